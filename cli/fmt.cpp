// SPDX-License-Identifier: Apache-2.0
//
// cli/fmt.cpp - the compiled part of {fmt}, from its headers, linked into the program.
//
// Debian has it only as a shared library, which needs the shared C++ library: together 1.3 MB of
// resident memory and 0.4 ms of every start. Defining FMT_HEADER_ONLY everywhere would have the
// same effect but compile these functions again in each file. The instantiations are those that
// fmt/format.h declares as extern; they are those of fmt 9 (see CMakeLists.txt).
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template FMT_API dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template FMT_API std::locale locale_ref::get<std::locale>() const;
template FMT_API thousands_sep_result<char> thousands_sep_impl(locale_ref);
template FMT_API char decimal_point_impl(locale_ref);
template FMT_API void buffer<char>::append(const char*, const char*);
template FMT_API void vformat_to(buffer<char>&, string_view,
                                 basic_format_args<buffer_context<char>>, locale_ref);

}  // namespace detail
FMT_END_NAMESPACE
