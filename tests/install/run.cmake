# SPDX-License-Identifier: Apache-2.0
#
# tests/install/run.cmake - installs BUILD under WORK, then builds and runs the consumer there.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${status}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
# Moved once, to prove that nothing in the package remembers where it was installed.
file(RENAME ${WORK}/installed ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G ${GENERATOR}
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
if(CLI)
  run(${WORK}/prefix/${BINDIR}/mercer --version)
  foreach(name svm-train svm-predict svm-scale)  # without files: usage
    execute_process(COMMAND ${WORK}/prefix/${BINDIR}/${name} RESULT_VARIABLE status
      ERROR_VARIABLE output)
    if(NOT status EQUAL 2 OR NOT output MATCHES "Usage: ${name}")
      message(FATAL_ERROR "${name}: ${status}\n${output}")
    endif()
  endforeach()
endif()
if(CAPI)
  file(GLOB library ${WORK}/prefix/*/mercer-libsvm/libsvm.so.3 ${WORK}/prefix/*/*/mercer-libsvm/libsvm.so.3)
  if(NOT library)
    message(FATAL_ERROR "mercer-libsvm/libsvm.so.3 is not installed")
  endif()
  run(${PYTHON} -c "import ctypes; ctypes.CDLL('${library}').svm_train")
endif()
