# SPDX-License-Identifier: Apache-2.0
# What nearly every file includes, parsed once: in unity builds only, since a Clang tool cannot read
# what GCC has precompiled.

# Creates plumb_NAME, whose headers targets with the same flags and DEPS reuse.
function(plumb_precompile NAME)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;DEPS;FLAGS")
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  set(source ${PROJECT_BINARY_DIR}/precompiled/${NAME}.cc)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "")
  endif()
  add_library(plumb_${NAME} OBJECT ${source})
  set_target_properties(plumb_${NAME} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_features(plumb_${NAME} PRIVATE cxx_std_23)
  target_link_libraries(plumb_${NAME} PRIVATE plumb_flags ${arg_DEPS})
  target_compile_options(plumb_${NAME} PRIVATE ${arg_FLAGS})
  target_precompile_headers(plumb_${NAME} PRIVATE ${arg_HEADERS})
endfunction()

function(plumb_reuse_precompiled TARGET NAME)
  if(CMAKE_UNITY_BUILD)
    target_precompile_headers(${TARGET} REUSE_FROM plumb_${NAME})
  endif()
endfunction()

set(headers
  <algorithm> <coroutine> <expected> <functional> <map> <memory> <optional> <set> <string> <vector>
  <nlohmann/json.hpp>)
plumb_precompile(common_headers HEADERS ${headers})
if(PLUMB_DEVELOPER_MODE)
  plumb_precompile(test_headers
    HEADERS ${headers} <gmock/gmock.h> <gtest/gtest.h> DEPS GTest::gmock
    FLAGS ${PLUMB_TEST_FLAGS})
endif()
unset(headers)
