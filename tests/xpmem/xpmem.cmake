# The program's own arrays, read by neighbours: XPMEM's kernel module is hardly anywhere, so a stand-in over memfd takes its library's place.
add_library(halocline_xpmem_stand_in SHARED xpmem/stand_in.c)
target_include_directories(halocline_xpmem_stand_in PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(halocline_xpmem_stand_in PRIVATE halocline_flags)
set_target_properties(halocline_xpmem_stand_in PROPERTIES C_VISIBILITY_PRESET default)
halocline_test_program(halocline_own_arrays xpmem/own_arrays_test.cpp)
target_link_libraries(halocline_own_arrays PRIVATE halocline_xpmem_stand_in)
halocline_mpi_test(NAME own_arrays TARGET halocline_own_arrays RANKS 1 2 3 ENV HALOCLINE_XPMEM=$<TARGET_FILE:halocline_xpmem_stand_in>)
