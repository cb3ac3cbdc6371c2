# Tests that other parts of the project bring: the Fortran bindings, the cloud model, the benchmark. They are registered here because ctest
# knows only of folders that are entered after testing is switched on.
if(HALOCLINE_FORTRAN AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/fortran/CMakeLists.txt)
  add_subdirectory(fortran)
endif()

if(TARGET halocline-bench)
  halocline_mpi_test(NAME bench.halo TARGET halocline-bench RANKS 2 ARGS halo --local 8,8,16 --fields 3 --repetitions 10 TIMEOUT 120)
endif()
