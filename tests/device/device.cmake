# Fields in the memory of a device: a stand-in takes the place of CUDA's driver, by whose file name the library finds it.
add_library(halocline_cuda_stand_in SHARED device/stand_in.c)
target_include_directories(halocline_cuda_stand_in PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(halocline_cuda_stand_in PRIVATE halocline_flags Threads::Threads)
set_target_properties(halocline_cuda_stand_in PROPERTIES C_VISIBILITY_PRESET default OUTPUT_NAME cuda SOVERSION 1
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/cuda_stand_in)
halocline_test_program(halocline_device_pointers device/pointers_test.cpp)
halocline_test_program(halocline_device_windows device/windows_test.cpp)
halocline_test_program(halocline_device_staged device/staged_test.cpp)
foreach(test halocline_device_pointers halocline_device_windows halocline_device_staged)
  target_compile_definitions(${test} PRIVATE HALOCLINE_CUDA_STAND_IN="$<TARGET_FILE:halocline_cuda_stand_in>")
  target_link_libraries(${test} PRIVATE ${CMAKE_DL_LIBS})
  add_dependencies(${test} halocline_cuda_stand_in)
endforeach()
target_link_libraries(halocline_device_windows PRIVATE halocline_mpi)
halocline_mpi_test(NAME device_pointers TARGET halocline_device_pointers RANKS 2 LONG_RANKS 1 3)
halocline_mpi_test(NAME device_windows TARGET halocline_device_windows RANKS 2 LONG_RANKS 1 3 ENV HALOCLINE_MPI_STRICT=1)
# By default one mode, and what does not depend on the mode.
halocline_mpi_test(NAME device_staged_few TARGET halocline_device_staged RANKS 2 ARGS --gtest_filter=*/notify:StagedFields.*:ReadInPlace.a*)
halocline_mpi_test(NAME device_staged TARGET halocline_device_staged LONG_RANKS 1 2 3 4 TIMEOUT 240)
halocline_mpi_test(NAME device_staged TARGET halocline_device_staged LONG_RANKS 3 4 FAKE_NODES 2 TIMEOUT 240)
halocline_mpi_test(NAME device_staged_checked TARGET halocline_device_staged LONG_RANKS 2 3 ENV HALOCLINE_CHECK=1 TIMEOUT 240)

# The program of docs/guide/gpu.md is linked to the driver, as a program with CUDA is.
add_executable(halocline_device_guide device/guide.c)
target_include_directories(halocline_device_guide PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(halocline_device_guide PRIVATE halocline halocline_cuda_stand_in halocline_flags)
target_compile_options(halocline_device_guide PRIVATE -Wno-unused-result)
halocline_mpi_test(NAME docs.gpu TARGET halocline_device_guide RANKS 3)
