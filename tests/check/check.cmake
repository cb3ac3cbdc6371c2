# Check mode: a test that breaks each rule, faults of MPI made on purpose, and correct programs, in which it must find nothing.
halocline_test_program(halocline_check check/calls_test.cpp check/cells_test.cpp check/ranks_test.cpp)
halocline_mpi_test(NAME check TARGET halocline_check RANKS 2 MEMORY_RANKS 2 QUICK_RANKS 2 LONG_RANKS 1 3 4 6 9
  ENV HALOCLINE_CHECK=1 HALOCLINE_TIMEOUT=30)
halocline_mpi_test(NAME check TARGET halocline_check RANKS 4 FAKE_NODES 2 ENV HALOCLINE_CHECK=1 HALOCLINE_TIMEOUT=30)

halocline_test_program(halocline_check_faults check/faults_test.cpp check/faults.cpp)
set_target_properties(halocline_check_faults PROPERTIES ENABLE_EXPORTS ON CXX_VISIBILITY_PRESET default DISABLE_PRECOMPILE_HEADERS ON)
halocline_mpi_test(NAME check_faults TARGET halocline_check_faults RANKS 2 ENV HALOCLINE_CHECK=1)

# The conformance program is correct: whatever check mode says about it is wrong.
halocline_mpi_test(NAME check_conformance TARGET halocline_conformance LONG_RANKS 1 2 3 4 6 9 ENV HALOCLINE_CHECK=1 TIMEOUT 600)
halocline_mpi_test(NAME check_conformance TARGET halocline_conformance RANKS 4 FULL FAKE_NODES 2 ENV HALOCLINE_CHECK=1 TIMEOUT 400)
foreach(test check_conformance.n1 check_conformance.n2 check_conformance.n3 check_conformance.n4 check_conformance.n6 check_conformance.n9
    check_conformance.n4.fake2)
  if(TEST ${test})
    set_tests_properties(${test} PROPERTIES FAIL_REGULAR_EXPRESSION "HALOCLINE_CHECK:")
  endif()
endforeach()

# In check mode, too, the error of ranks that wait for a missing rank names its number.
halocline_mpi_test(NAME check_timeout TARGET halocline_timeout RANKS 3 FULL WAITS ENV HALOCLINE_CHECK=1 HALOCLINE_TIMEOUT=1)
