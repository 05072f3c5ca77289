# SPDX-License-Identifier: Apache-2.0
# What an installation holds: the program, its scenarios, the libraries with their headers and a
# CMake package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(plumb_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/plumbline)
if(TARGET plumb)
  install(TARGETS plumb RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/scenarios)
  install(DIRECTORY scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/plumbline)
endif()
if(TARGET plumb_kernel)
  install(EXPORT plumb_targets NAMESPACE plumb:: DESTINATION ${plumb_package_dir})
  configure_package_config_file(
    .cmake/plumbline-config.cmake.in plumbline-config.cmake
    INSTALL_DESTINATION ${plumb_package_dir})
  write_basic_package_version_file(plumbline-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(
    FILES
      ${PROJECT_BINARY_DIR}/plumbline-config.cmake
      ${PROJECT_BINARY_DIR}/plumbline-config-version.cmake
      .cmake/plumb_packages.cmake
    DESTINATION ${plumb_package_dir})
endif()

if(PLUMB_DEVELOPER_MODE AND TARGET plumb_kernel AND TARGET plumb_values)
  add_test(
    NAME package_consumer
    COMMAND ${CMAKE_COMMAND}
      -DBUILD=${PROJECT_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR}/.cmake/consumer
      -DCOMPILER=${CMAKE_CXX_COMPILER} -DFLAGS=${CMAKE_CXX_FLAGS}
      -P ${PROJECT_SOURCE_DIR}/.cmake/consumer_test.cmake)
  set_tests_properties(package_consumer PROPERTIES
    LABELS package TIMEOUT 300 SKIP_REGULAR_EXPRESSION "not everything is built")
endif()

set(CPACK_PACKAGE_NAME plumbline)
set(CPACK_PACKAGE_VENDOR plumbline)
set(CPACK_PACKAGE_CONTACT "plumbline maintainers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Conformance harness and simulator for LLM agent engines")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CPACK_PACKAGE_CONTACT}")
include(CPack)
