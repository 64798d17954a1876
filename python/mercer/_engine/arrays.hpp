// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/arrays.hpp - numpy arrays in without a copy, and out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <mercer/mercer.hpp>
#include <utility>
#include <vector>

namespace mercer::python {

namespace nb = nanobind;

template <typename T>
using InMatrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using InVector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Holds a reference to a Python object while the engine reads its memory, released on any thread.
template <typename Held>
[[nodiscard]] std::shared_ptr<const void> kept_alive(Held held) {
    return {new Held(std::move(held)), [](const void* last) {
                const nb::gil_scoped_acquire gil;
                delete static_cast<const Held*>(last);
            }};
}

template <typename T>
[[nodiscard]] std::vector<T> to_vector(const InVector<T>& array) {
    return std::vector<T>(array.data(), array.data() + array.size());
}

/// A new numpy array of that shape which owns the numbers.
template <typename T>
[[nodiscard]] nb::object to_numpy(std::vector<T> values, std::vector<std::size_t> shape) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    T* data = owned->data();
    nb::capsule owner(owned.get(),
                      [](void* last) noexcept { delete static_cast<std::vector<T>*>(last); });
    (void)owned.release();
    return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner));
}

template <typename T>
[[nodiscard]] nb::object to_numpy(std::vector<T> values) {
    const std::size_t size = values.size();
    return to_numpy(std::move(values), {size});
}

}  // namespace mercer::python
