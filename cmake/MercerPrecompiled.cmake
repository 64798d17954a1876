# SPDX-License-Identifier: Apache-2.0
#
# cmake/MercerPrecompiled.cmake - what nearly every file includes, parsed once for each target.
#
# Only the standard library and {fmt}: our own headers would make every edit a full build. It takes
# a quarter off the library's build where each file is compiled by itself; where they are compiled
# together (MercerUnity.cmake) it gains nothing more. ccache finds no file again that was compiled with
# a precompiled header from another folder. A file may not rely on this list: it includes what it uses,
# and builds with ccache or -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON say so.
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
  # GCC 12 takes "text" + std::string() for an overflow and no longer sees that the code is the system's.
  # Builds with ccache have these two warnings.
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-array-bounds>")
endfunction()
