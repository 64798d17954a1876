# SPDX-License-Identifier: Apache-2.0
#
# cmake/MercerHeaders.cmake - the headers of users: mercer.hpp and all that it includes.
#
# They are installed and copied to build/include, so that the build folder can be used without
# installing. The other headers are interfaces between rooms.
set(MERCER_USER_HEADERS)
set(headers_to_follow mercer/mercer.hpp)
while(headers_to_follow)
  list(POP_FRONT headers_to_follow header)
  if(NOT header IN_LIST MERCER_USER_HEADERS)
    list(APPEND MERCER_USER_HEADERS ${header})
    file(STRINGS ${CMAKE_SOURCE_DIR}/include/${header} lines REGEX "^#include \"mercer/")
    list(TRANSFORM lines REPLACE "^#include \"([^\"]*)\".*" "\\1")
    list(APPEND headers_to_follow ${lines})
  endif()
endwhile()

file(GLOB_RECURSE copied RELATIVE ${CMAKE_BINARY_DIR}/include ${CMAKE_BINARY_DIR}/include/*.hpp)
list(REMOVE_ITEM copied ${MERCER_USER_HEADERS})
foreach(header IN LISTS copied)  # no longer included
  file(REMOVE ${CMAKE_BINARY_DIR}/include/${header})
endforeach()
foreach(header IN LISTS MERCER_USER_HEADERS)  # editing one of them runs cmake again
  configure_file(${CMAKE_SOURCE_DIR}/include/${header} ${CMAKE_BINARY_DIR}/include/${header} COPYONLY)
endforeach()
