# The covering array of MPI RMA: covering.py chooses the rows, one program runs those of its launch.
foreach(strength pairs triples)
  set(covering_${strength} ${CMAKE_CURRENT_BINARY_DIR}/covering_${strength}.rows)
  add_custom_command(OUTPUT ${covering_${strength}} DEPENDS covering.py COMMENT "Choosing the rows of covering_${strength}"
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/covering.py ${strength} --write ${covering_${strength}})
endforeach()
add_custom_target(halocline_covering_rows DEPENDS ${covering_pairs})
# No test that runs by default has them.
add_custom_target(halocline_covering_triples ALL DEPENDS ${covering_triples})

set(covering_sources covering_test.cpp covering_values.cpp covering_window.cpp)
add_executable(halocline_mpi_covering ${covering_sources})
target_link_libraries(halocline_mpi_covering PRIVATE halocline_mpi)
# The same rows on the host MPI alone.
add_executable(halocline_mpi_covering_host ${covering_sources})
foreach(program halocline_mpi_covering halocline_mpi_covering_host)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_features(${program} PRIVATE cxx_std_17)
  target_link_libraries(${program} PRIVATE halocline_flags MPI::MPI_C)
  add_dependencies(${program} halocline_covering_rows)
endforeach()

add_test(NAME mpi_covering.pairs COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/covering_check.py ${covering_pairs})
halocline_classify(mpi_covering.pairs NEEDS halocline_covering_rows)

set(covering TARGET halocline_mpi_covering ARGS ${covering_pairs})
halocline_mpi_test(NAME mpi_covering ${covering} RANKS 1 2 3 4 7 MPI_RANKS 2 ABI_RANKS 2 MEMORY_RANKS 2 QUICK_RANKS 2 ${strict})
halocline_mpi_test(NAME mpi_covering ${covering} --nodes=2 RANKS 2 3 FAKE_NODES 2 ${strict})
foreach(network poor unordered crowded)
  halocline_mpi_test(NAME mpi_covering_${network} ${covering} --nodes=2 LONG_RANKS 2 3 FAKE_NODES 2 ${strict} HALOCLINE_FAKE_NETWORK=${network})
endforeach()
set(covering TARGET halocline_mpi_covering ARGS ${covering_triples})
halocline_mpi_test(NAME mpi_covering_triples ${covering} LONG_RANKS 1 2 3 4 7 ${strict})
halocline_mpi_test(NAME mpi_covering_triples ${covering} --nodes=2 LONG_RANKS 2 3 4 7 FAKE_NODES 2 ${strict})
halocline_mpi_test(NAME mpi_covering_host TARGET halocline_mpi_covering_host ARGS ${covering_pairs} --host LONG_RANKS 1 2 3 4 7)
