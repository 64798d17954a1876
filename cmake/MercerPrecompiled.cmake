# SPDX-License-Identifier: Apache-2.0
#
# cmake/MercerPrecompiled.cmake - headers that nearly every file includes, parsed once per target.
#
# Only the standard library and {fmt}: with our own headers every edit would cause a full build. It
# saves a quarter of the library's build time when each file is compiled by itself; with unity
# builds (MercerUnity.cmake) it gains nothing more. ccache gets no hits across folders with a
# precompiled header. A file must not rely on this list: it includes what it uses, and builds with
# ccache or -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON fail if it does not.
if(MERCER_UNITY OR CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

function(mercer_precompile target)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <functional> <limits> <map> <memory>
    <mutex> <numeric> <optional> <span> <string> <string_view> <utility> <variant> <vector>
    <fmt/format.h>)
  # GCC 12 mistakes "text" + std::string() for an overflow and no longer recognises system headers.
  # Builds with ccache still have these two warnings on.
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-array-bounds>")
endfunction()
