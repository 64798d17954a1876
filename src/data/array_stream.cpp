// SPDX-License-Identifier: Apache-2.0
//
// src/data/array_stream.cpp - decoding, checking and transposing raw arrays.
#include "data/array_stream.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "data/bad_input.hpp"
#include "data/number.hpp"

namespace mercer::data {

namespace {

static_assert(std::endian::native == std::endian::little, "raw arrays are read as they lie");

template <typename To>
using Decode = void (*)(const char* bytes, index_t count, bool swap, To* out);

template <typename From, typename To>
void decode(const char* bytes, index_t count, bool swap, To* out) {
    for (index_t i = 0; i < count; ++i) {
        std::array<char, sizeof(From)> raw;
        std::memcpy(raw.data(), bytes + i * static_cast<index_t>(sizeof(From)), sizeof(From));
        if (swap) {
            std::reverse(raw.begin(), raw.end());
        }
        From value;
        std::memcpy(&value, raw.data(), sizeof(From));
        out[i] = static_cast<To>(value);
    }
}

template <typename To>
Decode<To> decoder_of(const ElementType& type) {
    const bool is_signed = type.kind == ElementKind::signed_integer;
    if (type.kind == ElementKind::floating) {
        return type.width == 4 ? decode<float, To> : decode<double, To>;
    }
    switch (type.width) {
        case 1:
            return is_signed ? decode<std::int8_t, To> : decode<std::uint8_t, To>;
        case 2:
            return is_signed ? decode<std::int16_t, To> : decode<std::uint16_t, To>;
        case 4:
            return is_signed ? decode<std::int32_t, To> : decode<std::uint32_t, To>;
        default:
            return is_signed ? decode<std::int64_t, To> : decode<std::uint64_t, To>;
    }
}

/// True when a float holds every number of the type exactly.
bool fits_float(const ElementType& type) {
    return type.kind == ElementKind::floating ? type.width == 4 : type.width <= 2;
}

/// Numbers below this magnitude are accepted: all finite ones, or the integers that doubles hold.
double largest_magnitude(const ElementType& type) {
    const bool wide_integer = type.kind != ElementKind::floating && type.width == 8;
    return wide_integer ? 0x1.0p53 - 1.0 : std::numeric_limits<double>::max();
}

class ArrayReader {
public:
    ArrayReader(const ArrayHeader& header, ByteSource& source, const std::string& name,
                Context& context)
        : header_(header), source_(source), name_(name), context_(context) {
        if (header.shape.empty()) {
            refuse(name, "array: it is a single number, not rows");
        }
        if (header.type.is_text()) {
            refuse(name, "array: it holds text; only the targets y of a .npz file may");
        }
        rows_ = header.shape.front();
        for (std::size_t i = 1; i < header.shape.size(); ++i) {
            columns_ = multiply(columns_, header.shape[i]);
        }
        if (columns_ == 0 && rows_ > 0) {
            refuse(name, "array: it has rows but no columns");
        }
        count_ = multiply(rows_, columns_);
        const index_t bytes = multiply(count_, header.type.width);
        const index_t there = source.remaining();
        if (there >= 0 && bytes > there) {
            refuse(name, fmt::format("array: the header promises {} bytes, the file has {}", bytes,
                                     there));
        }
    }

    template <typename To>
    [[nodiscard]] ArrayValues read() {
        GrowingArray<To> values(context_.memory(), "values");
        const bool transposed = header_.fortran_order && rows_ > 1 && columns_ > 1;
        if (transposed && source_.remaining() >= 0) {
            // The bytes are known to exist, so the result may be allocated at once and filled in
            // file order.
            To* out = values.extend(count_);
            read_blocks<To>([&](const To* block, index_t first, index_t count) {
                scatter(block, first, count, out);
            });
        } else {
            read_blocks<To>([&](const To* block, index_t, index_t count) {
                std::copy_n(block, count, values.extend(count));
            });
            values.shrink_to_fit();
        }
        if (transposed && source_.remaining() < 0) {
            GrowingArray<To> result(context_.memory(), "values");
            scatter(values.data(), 0, count_, result.extend(count_));
            values = std::move(result);
        }
        return {std::move(values), rows_, columns_};
    }

private:
    [[nodiscard]] index_t multiply(index_t a, index_t b) const {
        const std::optional<index_t> product = try_multiply(a, b);
        if (!product) {
            refuse(name_, "array: its size does not fit 64 bits");
        }
        return *product;
    }

    /// Calls use(values, index of the first, count) for block after block, in file order.
    template <typename To, typename Use>
    void read_blocks(Use use) {
        constexpr index_t kBlock = 8192;
        const Decode<To> decode_block = decoder_of<To>(header_.type);
        std::vector<char> bytes(static_cast<std::size_t>(kBlock * header_.type.width));
        std::vector<To> block(kBlock);
        for (index_t first = 0; first < count_; first += kBlock) {
            context_.throw_if_stopped("read");
            context_.report({"read", first, count_, kNaN, context_.memory()->used()});
            const index_t count = std::min(kBlock, count_ - first);
            const index_t wanted = count * header_.type.width;
            const index_t got =
                source_.read_fully(std::span(bytes).first(static_cast<std::size_t>(wanted)));
            if (got < wanted) {
                refuse(name_, fmt::format("array: the file ends after {} of {} numbers",
                                          first + got / header_.type.width, count_));
            }
            decode_block(bytes.data(), count, header_.type.big_endian, block.data());
            check(block.data(), first, count);
            use(block.data(), first, count);
        }
    }

    template <typename To>
    void check(const To* block, index_t first, index_t count) const {
        const double largest = largest_magnitude(header_.type);
        for (index_t i = 0; i < count; ++i) {
            const double value = block[i];
            if (!(std::abs(value) <= largest)) {
                const index_t k = first + i;
                const index_t row = header_.fortran_order ? k % rows_ : k / columns_;
                const index_t column = header_.fortran_order ? k / rows_ : k % columns_;
                refuse(
                    name_,
                    std::isfinite(value)
                        ? fmt::format("value: {:.0f} is too large for a double to be exact", value)
                        : fmt::format("value: {} is not finite", value),
                    row + 1, column + 1);
            }
        }
    }

    /// Copies `count` numbers of a column-major array, from number `first` on, to row-major `out`.
    template <typename To>
    void scatter(const To* block, index_t first, index_t count, To* out) const {
        index_t row = first % rows_;
        index_t column = first / rows_;
        for (index_t i = 0; i < count; ++i) {
            out[row * columns_ + column] = block[i];
            if (++row == rows_) {
                row = 0;
                ++column;
            }
        }
    }

    const ArrayHeader& header_;
    ByteSource& source_;
    const std::string& name_;
    Context& context_;
    index_t rows_ = 0;
    index_t columns_ = 1;
    index_t count_ = 0;
};

/// Removes column `target` from the rows, in place.
template <typename T>
std::vector<double> take_column(GrowingArray<T>& values, index_t rows, index_t columns,
                                index_t target) {
    std::vector<double> taken;
    taken.reserve(static_cast<std::size_t>(rows));
    T* out = values.data();
    for (index_t i = 0; i < rows; ++i) {
        const T* row = values.data() + i * columns;
        taken.push_back(row[target]);
        for (index_t j = 0; j < columns; ++j) {
            if (j != target) {
                *out++ = row[j];
            }
        }
    }
    values.truncate(rows * (columns - 1));
    return taken;
}

index_t target_index(const ArrayValues& array, const Reading& reading) {
    const std::string& wanted = reading.options.target;
    index_t index = 0;
    const char* last = wanted.data() + wanted.size();
    const auto parsed = std::from_chars(wanted.data(), last, index);
    if (parsed.ec != std::errc() || parsed.ptr != last) {
        refuse(reading.name, fmt::format("target: no column is named {}; an array's columns have "
                                         "numbers only",
                                         quoted(wanted)));
    }
    const index_t column = index < 0 ? array.columns + index : index;
    if (column < 0 || column >= array.columns) {
        refuse(reading.name, fmt::format("target: there is no column {}; the array has {}", index,
                                         array.columns));
    }
    return column;
}

}  // namespace

ArrayValues read_array(const ArrayHeader& header, ByteSource& source, const std::string& name,
                       Context& context) {
    ArrayReader reader(header, source, name, context);
    return fits_float(header.type) ? reader.read<float>() : reader.read<double>();
}

void expect_end(ByteSource& source, const std::string& name) {
    char byte = 0;
    if (source.read({&byte, 1}) != 0) {
        refuse(name, "array: bytes follow its end");
    }
}

Dataset make_dataset(ArrayValues array, Reading& reading) {
    const bool has_column = !reading.options.target.empty() && reading.options.target != "none";
    const std::shared_ptr<MemoryBudget>& budget = reading.context.memory();
    struct Owned {
        ArrayValues array;
        Charge targets_charge;
    };
    auto owned = std::make_shared<Owned>(Owned{std::move(array), Charge(budget)});
    std::vector<double> targets;
    if (has_column || !reading.options.labels.empty()) {
        owned->targets_charge.add(checked_multiply(owned->array.rows, sizeof(double)), "targets");
    }
    if (has_column) {
        const index_t column = target_index(owned->array, reading);
        targets = std::visit(
            [&](auto& values) {
                return take_column(values, owned->array.rows, owned->array.columns, column);
            },
            owned->array.values);
        --owned->array.columns;
    } else if (!reading.options.labels.empty()) {
        targets = read_labels(reading);
        if (static_cast<index_t>(targets.size()) != owned->array.rows) {
            refuse(reading.name,
                   fmt::format("labels: {} holds {} labels for {} rows", reading.options.labels,
                               targets.size(), owned->array.rows));
        }
    }
    Dataset data = std::visit(
        [&](const auto& values) {
            using T = std::remove_cvref_t<decltype(values[0])>;
            return Dataset::from_checked(
                MatrixView<const T>(values.data(), owned->array.rows, owned->array.columns), owned,
                budget);
        },
        owned->array.values);
    data.targets = std::move(targets);
    return data;
}

std::vector<double> to_vector(const ArrayValues& array) {
    return std::visit(
        [](const auto& values) {
            return std::vector<double>(values.span().begin(), values.span().end());
        },
        array.values);
}

}  // namespace mercer::data
