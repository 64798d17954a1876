# SPDX-License-Identifier: Apache-2.0
#
# cmake/MercerInstall.cmake - what `cmake --install` installs: headers, library, program, package.
include(CMakePackageConfigHelpers)
set(MERCER_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Mercer)

install(TARGETS mercer EXPORT MercerTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(header IN LISTS MERCER_USER_HEADERS)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${CMAKE_SOURCE_DIR}/include/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
install(EXPORT MercerTargets NAMESPACE Mercer:: DESTINATION ${MERCER_CMAKE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/MercerConfig.cmake.in
  ${CMAKE_BINARY_DIR}/MercerConfig.cmake INSTALL_DESTINATION ${MERCER_CMAKE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/MercerConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH MERCER_PREFIX_FROM_PC
  /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)  # installed files are relocatable
configure_file(${CMAKE_CURRENT_LIST_DIR}/mercer.pc.in ${CMAKE_BINARY_DIR}/mercer.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/mercer.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${CMAKE_BINARY_DIR}/MercerConfig.cmake ${CMAKE_BINARY_DIR}/MercerConfigVersion.cmake
  DESTINATION ${MERCER_CMAKE_DIR})
