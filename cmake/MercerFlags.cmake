# SPDX-License-Identifier: Apache-2.0
#
# cmake/MercerFlags.cmake - compiler flags shared by everything built here.
#
# -ffp-contract=off: the compiler may not fuse a*b+c on its own, so every target computes the same
# bits; the code uses fused operations explicitly. No -march: SIMD is chosen at run time.
add_library(mercer_flags INTERFACE)
target_compile_options(mercer_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers -ffp-contract=off
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${MERCER_WERROR}>:-Werror>
  $<$<CONFIG:Debug>:-D_GLIBCXX_ASSERTIONS>)
# One section for each function and object, so that the linker can leave out of the program what is
# never called. Only for the parts of the program: tests and benchmarks gain nothing.
add_library(mercer_sections INTERFACE)
target_compile_options(mercer_sections INTERFACE
  -ffunction-sections -fdata-sections -fno-semantic-interposition)
if(MERCER_SANITIZE)
  target_compile_options(mercer_flags INTERFACE
    -fsanitize=${MERCER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(mercer_flags INTERFACE -fsanitize=${MERCER_SANITIZE})
endif()
