# SPDX-License-Identifier: Apache-2.0
#
# cmake/MercerDependencies.cmake - third-party libraries, all packages of the distribution.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(hwy REQUIRED)
find_package(ZLIB REQUIRED)
find_package(BZip2 REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
find_path(FAST_FLOAT_INCLUDE fast_float/fast_float.h REQUIRED)
find_path(CLP_INCLUDE coin/Clp_C_Interface.h REQUIRED)  # its library is loaded at run time
find_path(GMP_INCLUDE gmpxx.h REQUIRED)
find_library(GMP_LIBRARY gmp REQUIRED)
find_library(GMP_ARCHIVE libgmp.a)  # static, so that the program loads one library less

# Highway: only its headers. Its library is not linked (src/compute/cpu/targets.hpp says why).
# {fmt} is separate: the program compiles its own copy (cli/fmt.cpp).
add_library(mercer_dependencies_without_fmt INTERFACE)
target_include_directories(mercer_dependencies_without_fmt SYSTEM INTERFACE ${FAST_FLOAT_INCLUDE}
  ${CLP_INCLUDE} ${GMP_INCLUDE}
  $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>
  $<TARGET_PROPERTY:hwy::hwy,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(mercer_dependencies_without_fmt INTERFACE
  Threads::Threads nlohmann_json::nlohmann_json
  ZLIB::ZLIB BZip2::BZip2 LibLZMA::LibLZMA PkgConfig::ZSTD PkgConfig::XXHASH ${CMAKE_DL_LIBS})
add_library(mercer_dependencies INTERFACE)
target_link_libraries(mercer_dependencies INTERFACE mercer_dependencies_without_fmt fmt::fmt
  ${GMP_LIBRARY})

# BLAS and LAPACK are loaded at run time, with the right core type for the CPU (docs/adr). Only the
# path of the OpenMP flavour is looked up here; without it the loader searches by name.
find_library(MERCER_OPENBLAS NAMES libopenblas.so.0
  PATH_SUFFIXES openblas-openmp ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp)
