# Fields in the memory of a device: a stand-in takes the place of CUDA's driver, by whose file name the library finds it.
add_library(halocline_cuda_stand_in SHARED device/stand_in.c)
target_include_directories(halocline_cuda_stand_in PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(halocline_cuda_stand_in PRIVATE halocline_flags)
set_target_properties(halocline_cuda_stand_in PROPERTIES C_VISIBILITY_PRESET default OUTPUT_NAME cuda SOVERSION 1
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/cuda_stand_in)
halocline_test_program(halocline_device_pointers device/pointers_test.cpp)
target_compile_definitions(halocline_device_pointers PRIVATE HALOCLINE_CUDA_STAND_IN="$<TARGET_FILE:halocline_cuda_stand_in>")
target_link_libraries(halocline_device_pointers PRIVATE ${CMAKE_DL_LIBS})
add_dependencies(halocline_device_pointers halocline_cuda_stand_in)
halocline_mpi_test(NAME device_pointers TARGET halocline_device_pointers RANKS 1 2 3)
