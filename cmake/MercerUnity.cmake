# SPDX-License-Identifier: Apache-2.0
#
# cmake/MercerUnity.cmake - files of a room that are compiled together when MERCER_UNITY is on.
#
# A compiler spends most of its time on headers: compiling a dozen files together takes half the
# time. The presets release, test and bench do so; the others compile each file by itself, which is
# better for edits and reveals a file that does not include what it uses.
#
# A room is divided by the first letters of its file names, so that a new file moves no other one.
# Names in unnamed namespaces must differ within a part.
set(MERCER_UNITY_PARTS_solvers a-c d-k l m-q r-z)
set(MERCER_UNITY_PARTS_cli a-d e-k l-r s t-z)
set(MERCER_UNITY_PARTS_compute a-k l-z)
set(MERCER_UNITY_PARTS_data a-k l-z)
set(MERCER_UNITY_PARTS_fit a-l m-z)
set(MERCER_UNITY_PARTS_kernels a-k l-z)
set(MERCER_UNITY_PARTS_report a-k l-z)
set(MERCER_UNITY_PARTS_theory a-k l-z)

option(MERCER_UNITY "Compile the files of a room together: fast from nothing, slow after an edit" OFF)

# GCC inlines less in a large translation unit, by default one of 10,000 instructions, which a
# single file seldom is: reading a file and ridge regression took 9 % more instructions. INLINES
# makes it inline as much as in single files; the command line is compiled for size.
function(mercer_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${MERCER_UNITY} UNITY_BUILD_MODE GROUP)
  if(MERCER_UNITY AND "INLINES" IN_LIST ARGN AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE --param=large-unit-insns=200000 --param=ipa-cp-large-unit-insns=320000)
  endif()
endfunction()

# Assigns each of the files (ARGN) to a part of `room`.
function(mercer_unity_parts room)
  set(parts a-z)
  if(DEFINED MERCER_UNITY_PARTS_${room})
    set(parts ${MERCER_UNITY_PARTS_${room}})
  endif()
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME)
    foreach(part IN LISTS parts)
      if(name MATCHES "^[${part}]")
        set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${room}_${part})
      endif()
    endforeach()
  endforeach()
endfunction()
