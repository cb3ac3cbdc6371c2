# Which drop-in a program gets. Then the one for the MPI-5 ABI: random programs that are compiled with that ABI and know nothing of this project. With HALOCLINE_ABI_MPIEXEC the same
# binaries run under another MPI, too.
set(abi_words "")
if(TARGET halocline_mpi_abi)
  set(abi_words $<TARGET_FILE:halocline_mpi_abi> $<TARGET_FILE:halocline_abi_random>)
endif()
if(TARGET halocline-run AND NOT HALOCLINE_SANITIZE)
  halocline_launcher_test(NAME mpi_run SCRIPT run_test.py TARGET halocline-run CLASSES every_mpi
    ARGS $<TARGET_FILE:halocline_mpi> $<TARGET_FILE:halocline_mpi_preloaded> $<TARGET_FILE:halocline_mpi_session>
      $<TARGET_FILE:halocline_mpi_late_window> ${abi_words})
endif()
if(NOT TARGET halocline_mpi_abi)
  halocline_skipped_test(mpi_abi "this MPI offers no MPI-5 ABI (libmpi_abi.so), or the drop-in for it is not built (HALOCLINE_MPI_ABI, which ./go test --all switches on; sanitizers)")
  return()
endif()

add_executable(halocline_abi_random random_rma.cpp plan.cpp random_types.cpp)
target_include_directories(halocline_abi_random PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_compile_features(halocline_abi_random PRIVATE cxx_std_17)
target_link_libraries(halocline_abi_random PRIVATE halocline_flags halocline_mpi_abi_host)
set(preloaded TARGET /usr/bin/env ${strict})
foreach(way "0;3" "4;0")
  list(GET way 0 flavor)
  list(GET way 1 sync)
  halocline_mpi_test(NAME mpi_abi.f${flavor}s${sync} ${preloaded} RANKS 2 MPI_RANKS 2 LONG_RANKS 3
    ARGS LD_PRELOAD=$<TARGET_FILE:halocline_mpi_abi> $<TARGET_FILE:halocline_abi_random> --seed=3 --flavor=${flavor} --sync=${sync} --delay-us=0)
endforeach()
foreach(way "1;1" "2;2" "3;3")
  list(GET way 0 flavor)
  list(GET way 1 sync)
  halocline_mpi_test(NAME mpi_abi.f${flavor}s${sync} ${preloaded} LONG_RANKS 2 3
    ARGS LD_PRELOAD=$<TARGET_FILE:halocline_mpi_abi> $<TARGET_FILE:halocline_abi_random> --seed=3 --flavor=${flavor} --sync=${sync} --delay-us=0)
endforeach()

# Notified access: with the drop-in, and the library that says that it is not there.
add_executable(halocline_mpi_abi_stand_in stand_in.c)
target_link_libraries(halocline_mpi_abi_stand_in PRIVATE halocline_mpix_abi halocline_flags)
set_target_properties(halocline_mpi_abi_stand_in PROPERTIES C_STANDARD 11)
halocline_launcher_test(NAME mpi_abi_stand_in SCRIPT stand_in.py TARGET halocline_mpi_abi_stand_in ARGS $<TARGET_FILE:halocline_mpi_abi>)
add_test(NAME exports.mpix_abi COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/scripts/mpi_exports.py $<TARGET_FILE:halocline_mpix_abi>)
halocline_classify(exports.mpix_abi NEEDS halocline_mpix_abi)

add_test(NAME exports.mpi_abi COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/scripts/mpi_exports.py $<TARGET_FILE:halocline_mpi_abi>
  ${PROJECT_SOURCE_DIR}/src/faces/mpi/interpose/host_table.hpp)
halocline_classify(exports.mpi_abi NEEDS halocline_mpi_abi)
