# SPDX-License-Identifier: Apache-2.0
#
# tests/install/run.cmake - installs BUILD under WORK, then builds and runs other projects there.
function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${status}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
# Moved once, to prove that the package does not depend on where it was installed.
file(RENAME ${WORK}/installed ${WORK}/prefix)
run(${PYTHON} ${SOURCE}/tools/user_headers --same-as ${WORK}/prefix/${INCLUDEDIR})
run(${PYTHON} ${SOURCE}/tools/user_headers --same-as ${BUILD}/include)
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G ${GENERATOR}
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)

# The example of the README, built as docs/howto/cpp.md describes: by CMake and by pkg-config.
set(example ${SOURCE}/examples/cpp)
run(${CMAKE_COMMAND} -S ${example} -B ${WORK}/moons -G ${GENERATOR}
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/prefix
  "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
run(${CMAKE_COMMAND} --build ${WORK}/moons)
set(ENV{PKG_CONFIG_PATH} ${WORK}/prefix/${LIBDIR}/pkgconfig)
run(${PKG_CONFIG} --cflags --libs mercer)
separate_arguments(flags UNIX_COMMAND "${output}")
run(${COMPILER} -std=c++20 ${example}/moons.cpp -o ${WORK}/moons-by-pkg-config ${flags}
  -Wl,-rpath,${WORK}/prefix/${LIBDIR})
if(CLI)
  set(mercer ${WORK}/prefix/${BINDIR}/mercer)
  run(${mercer} --version)
  run(${mercer} data make moons --rows 500 --seed 1 -o moons.csv)
  foreach(program moons/moons moons-by-pkg-config)
    file(REMOVE ${WORK}/moons.mercer)
    run(${WORK}/${program})
    if(NOT output MATCHES "row 1 is of class -?1\nthe proof holds: within 0.00[0-9]+ of the best objective\n")
      message(FATAL_ERROR "${program}: ${output}")
    endif()
    run(${mercer} verify moons.mercer moons.csv)
  endforeach()
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
