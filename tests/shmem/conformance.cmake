# OpenSHMEM 1.5, chapter by chapter; each file is one chapter.
halocline_test_program(halocline_shmem_conformance core_job.cpp atomics_test.cpp collectives_test.cpp locks_test.cpp random_test.cpp
  teams_test.cpp waiting_test.cpp)
target_link_libraries(halocline_shmem_conformance PRIVATE halocline_shmem)
# What fence, quiet and their relatives promise: between nodes, where writes overtake each other, it takes most.
halocline_test_program(halocline_shmem_order core_job.cpp ordering_test.cpp)
target_link_libraries(halocline_shmem_order PRIVATE halocline_shmem)
halocline_mpi_test(NAME shmem_order TARGET halocline_shmem_order LONG_RANKS 1 2 3 7 MPI_RANKS 3)
halocline_mpi_test(NAME shmem TARGET halocline_shmem_conformance RANKS 2 3 MPI_RANKS 1 2 4 7 MEMORY_RANKS 2 LONG_RANKS 1 4 7 TIMEOUT 240)
if(LIBFABRIC_INCLUDE_DIR)
  halocline_mpi_test(NAME shmem TARGET halocline_shmem_conformance RANKS 3 MPI_RANKS 4 7 MEMORY_RANKS 2 LONG_RANKS 2 4 7 FAKE_NODES 2
    TIMEOUT 240)
  halocline_mpi_test(NAME shmem_unordered TARGET halocline_shmem_conformance LONG_RANKS 2 4 FAKE_NODES 2 TIMEOUT 240
    ENV HALOCLINE_FAKE_NETWORK=unordered)
  halocline_mpi_test(NAME shmem_order TARGET halocline_shmem_order RANKS 2 LONG_RANKS 3 4 7 FAKE_NODES 2)
  halocline_mpi_test(NAME shmem_order_unordered TARGET halocline_shmem_order RANKS 4 MEMORY_RANKS 2 LONG_RANKS 2 3 7 FAKE_NODES 2
    ENV HALOCLINE_FAKE_NETWORK=unordered)
  # Without another thread that drives progress, a program that repeats calls does.
  halocline_mpi_test(NAME shmem_caller TARGET halocline_shmem_conformance RANKS 2 LONG_RANKS 3 FAKE_NODES 2 ENV HALOCLINE_PROGRESS=caller
    ARGS --gtest_filter=*serve_other_nodes*)
  halocline_mpi_test(NAME shmem_thread TARGET halocline_shmem_conformance LONG_RANKS 3 FAKE_NODES 2 TIMEOUT 240 ENV HALOCLINE_PROGRESS=thread)
endif()
# Programs as their users write them, which know nothing of MPI.
foreach(program generic overloads profile)
  file(GLOB source ${CMAKE_CURRENT_SOURCE_DIR}/${program}.c*)
  add_executable(halocline_shmem_${program} ${source})
  target_link_libraries(halocline_shmem_${program} PRIVATE halocline_shmem)
  halocline_mpi_test(NAME shmem_${program} TARGET halocline_shmem_${program} RANKS 2 MPI_RANKS 2 LONG_RANKS 1 3)
endforeach()
set_target_properties(halocline_shmem_generic halocline_shmem_profile PROPERTIES C_STANDARD 11)
add_executable(halocline_shmem_c90 c90.c)
target_link_libraries(halocline_shmem_c90 PRIVATE halocline_shmem)
target_compile_options(halocline_shmem_c90 PRIVATE -pedantic-errors)
set_target_properties(halocline_shmem_c90 PROPERTIES C_STANDARD 90 C_EXTENSIONS OFF UNITY_BUILD OFF)
halocline_mpi_test(NAME shmem_c90 TARGET halocline_shmem_c90 LONG_RANKS 1 2 3 MPI_RANKS 2)
# Inline forms, in all builds: each beside its function, and with a tool that replaces one.
add_executable(halocline_shmem_inline_forms inline_forms.c)
add_executable(halocline_shmem_profiled profiled.c profiling_tool.c)
foreach(program inline_forms profiled)
  target_link_libraries(halocline_shmem_${program} PRIVATE halocline_shmem)
  target_compile_options(halocline_shmem_${program} PRIVATE -O1)
  set_target_properties(halocline_shmem_${program} PROPERTIES C_STANDARD 11 UNITY_BUILD OFF)
  halocline_mpi_test(NAME shmem_${program} TARGET halocline_shmem_${program} RANKS 2 LONG_RANKS 1 3)
endforeach()
if(TARGET halocline_shmem_fortran)
  add_executable(halocline_shmem_fortran_program fortran.f90)
  target_include_directories(halocline_shmem_fortran_program PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(halocline_shmem_fortran_program PRIVATE halocline_shmem_fortran)
  # Procedures without interfaces, as Fortran's of OpenSHMEM are: one takes arguments of several types.
  target_compile_options(halocline_shmem_fortran_program PRIVATE $<$<Fortran_COMPILER_ID:GNU>:-fallow-argument-mismatch>)
  halocline_mpi_test(NAME shmem_fortran TARGET halocline_shmem_fortran_program RANKS 2 LONG_RANKS 1 3)
endif()
set(needed halocline_shmem)
if(TARGET halocline_shmem_fortran)
  list(APPEND needed halocline_shmem_fortran)
endif()
# A compiler that knows nothing of sanitizers cannot link a library that has one.
if(NOT HALOCLINE_SANITIZE)
  halocline_launcher_test(NAME shmem_wrappers SCRIPT wrappers.py TARGET halocline_shmem_generic NEEDS ${needed} CLASSES every_mpi)
endif()
add_executable(halocline_shmem_wrong_calls wrong_calls.cpp)
target_link_libraries(halocline_shmem_wrong_calls PRIVATE halocline_shmem halocline_flags)
halocline_launcher_test(NAME shmem_wrong_calls SCRIPT wrong_calls.py TARGET halocline_shmem_wrong_calls TIMEOUT 300)
halocline_launcher_test(NAME shmem_wrong_arguments SCRIPT wrong_arguments.py TARGET halocline_shmem_wrong_calls FULL CLASSES every_mpi)
