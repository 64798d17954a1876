// SPDX-License-Identifier: Apache-2.0
//
// src/compute/backend.cpp - the list of backends.
#include "mercer/compute/backend.hpp"

#include <algorithm>
#include <array>

#include "compute/cpu/backend.hpp"
#include "compute/reference/backend.hpp"

namespace mercer {

namespace {

constexpr reference::ReferenceBackend kReference;
constexpr cpu::CpuBackend kCpu;
constexpr std::array<const Backend*, 2> kBackends{&kCpu, &kReference};

}  // namespace

const Backend& reference_backend() noexcept { return kReference; }
const Backend& cpu_backend() noexcept { return kCpu; }

const Backend& backend_of(Device device) noexcept {
    switch (device) {
        case Device::cpu:
            return kCpu;
        case Device::reference:
            return kReference;
    }
    return kReference;
}

std::span<const Backend* const> backends() noexcept { return kBackends; }

const Backend* find_backend(std::string_view name) noexcept {
    const auto found = std::find_if(kBackends.begin(), kBackends.end(),
                                    [name](const Backend* each) { return each->name() == name; });
    return found == kBackends.end() ? nullptr : *found;
}

}  // namespace mercer
