# SPDX-License-Identifier: Apache-2.0
# The libraries that the project uses, each from Debian's packages.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 CONFIG REQUIRED)
find_package(yaml-cpp 0.7 CONFIG REQUIRED)
find_package(CLI11 2.1 CONFIG REQUIRED)
find_package(fmt 9 CONFIG REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)
pkg_check_modules(pcre2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
find_path(PLUMB_STB_FOLDER stb/stb_image.h REQUIRED)  # Debian: libstb-dev
if(PLUMB_DEVELOPER_MODE)
  enable_testing()
  find_package(GTest 1.12 CONFIG REQUIRED)
  find_package(rapidcheck CONFIG REQUIRED)
  find_package(benchmark 1.7 CONFIG REQUIRED)
endif()
