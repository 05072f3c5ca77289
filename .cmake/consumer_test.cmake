# SPDX-License-Identifier: Apache-2.0
# Installs the build tree BUILD into a folder of its own, builds the project SOURCE against it, and
# runs the result.
set(prefix ${BUILD}/consumer/prefix)
file(REMOVE_RECURSE ${BUILD}/consumer)

execute_process(
  COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix}
  RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE errors)
if(result AND errors MATCHES "cannot find|No such file")
  message(STATUS "not everything is built: ${errors}")
  return()
endif()
if(result)
  message(FATAL_ERROR "${errors}")
endif()

execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD}/consumer/build -G Ninja
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD}/consumer/build COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${BUILD}/consumer/build/consumer COMMAND_ERROR_IS_FATAL ANY)
