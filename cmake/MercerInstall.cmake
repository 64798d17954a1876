# SPDX-License-Identifier: Apache-2.0
#
# cmake/MercerInstall.cmake - what `cmake --install` leaves: headers, library, program, package.
include(CMakePackageConfigHelpers)
set(MERCER_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Mercer)

install(TARGETS mercer EXPORT MercerTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/mercer DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT MercerTargets NAMESPACE Mercer:: DESTINATION ${MERCER_CMAKE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/MercerConfig.cmake.in
  ${CMAKE_BINARY_DIR}/MercerConfig.cmake INSTALL_DESTINATION ${MERCER_CMAKE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/MercerConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/MercerConfig.cmake ${CMAKE_BINARY_DIR}/MercerConfigVersion.cmake
  DESTINATION ${MERCER_CMAKE_DIR})
