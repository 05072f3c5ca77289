# SPDX-License-Identifier: Apache-2.0
# The one way to add a library (plumb_module), a test program (plumb_test) and a benchmark
# (plumb_bench).

add_library(plumb_flags INTERFACE)
target_compile_options(plumb_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough
  $<$<BOOL:${PLUMB_DEVELOPER_MODE}>:-Werror>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # libstdc++ 12's stable_sort uses what it deprecates.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  # In a unity build a source file counts as a header, whose types must not use file-local ones.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>)

# NAME: target plumb_NAME, alias plumb::NAME. PUBLIC_HEADERS and SOURCES are relative to the
# calling folder. AS_TEST: compiled as tests are, since nobody waits for it to run.
function(plumb_module)
  cmake_parse_arguments(PARSE_ARGV 0 arg "AS_TEST" "NAME"
    "PUBLIC_HEADERS;SOURCES;DEPS;PRIVATE_DEPS")
  add_library(plumb_${arg_NAME} STATIC ${arg_SOURCES})
  add_library(plumb::${arg_NAME} ALIAS plumb_${arg_NAME})
  set_target_properties(plumb_${arg_NAME} PROPERTIES EXPORT_NAME ${arg_NAME} CXX_EXTENSIONS OFF)
  target_sources(plumb_${arg_NAME} PUBLIC
    FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${arg_PUBLIC_HEADERS})
  target_compile_features(plumb_${arg_NAME} PUBLIC cxx_std_23)
  target_link_libraries(plumb_${arg_NAME}
    PUBLIC ${arg_DEPS} PRIVATE $<BUILD_INTERFACE:plumb_flags> ${arg_PRIVATE_DEPS})
  if(arg_AS_TEST AND PLUMB_DEVELOPER_MODE)
    # With all that the headers were precompiled with, which it takes over.
    target_compile_options(plumb_${arg_NAME}
      PRIVATE ${PLUMB_TEST_FLAGS} $<TARGET_PROPERTY:GTest::gtest,INTERFACE_COMPILE_OPTIONS>)
    plumb_reuse_precompiled(plumb_${arg_NAME} test_headers)
  else()
    plumb_reuse_precompiled(plumb_${arg_NAME} common_headers)
  endif()
  install(
    TARGETS plumb_${arg_NAME} EXPORT plumb_targets
    FILE_SET HEADERS DESTINATION include/plumbline)
endfunction()

# One program a room and one ctest entry, which runs in the root of the repository:
# plumb_test(NAME kernel_test LABEL unit SOURCES ... DEPS ...). A room that starts threads gives
# LABEL "unit;threads": the thread sanitizer runs what has that label.
function(plumb_test)
  if(NOT PLUMB_DEVELOPER_MODE)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;LABEL" "SOURCES;DEPS")
  add_executable(${arg_NAME} ${arg_SOURCES})
  set_target_properties(${arg_NAME} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_features(${arg_NAME} PRIVATE cxx_std_23)
  target_include_directories(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${arg_NAME} PRIVATE plumb_flags ${arg_DEPS} GTest::gmock GTest::gtest_main)
  # What a guard measures is compiled as the product is.
  if(NOT arg_LABEL STREQUAL "bench")
    target_compile_options(${arg_NAME} PRIVATE ${PLUMB_TEST_FLAGS})
    plumb_reuse_precompiled(${arg_NAME} test_headers)
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT 1200)
endfunction()

function(plumb_bench)
  if(NOT PLUMB_DEVELOPER_MODE)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;DEPS")
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_compile_features(${arg_NAME} PRIVATE cxx_std_23)
  target_include_directories(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  # With the allocator of the program, as what is measured is to run there.
  target_link_libraries(${arg_NAME} PRIVATE
    plumb_flags ${arg_DEPS} $<TARGET_NAME_IF_EXISTS:plumb_small_blocks> benchmark::benchmark_main)
endfunction()
