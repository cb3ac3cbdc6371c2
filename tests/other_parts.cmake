# Tests that other parts of the project bring: the Fortran modules, the cloud model, the install tree, ./go, the README. They are registered
# here because ctest knows only of folders that are entered after testing is switched on.
if(HALOCLINE_FORTRAN AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/fortran/CMakeLists.txt)
  add_subdirectory(fortran)
endif()

# The cloud model in every mode and on several rank counts: fingerprints, conservation, divergence.
function(halocline_cloud_check name ranks timeout labels)
  _halocline_launcher_flags(launcher)
  list(PREPEND launcher ${MPIEXEC_EXECUTABLE})
  list(APPEND launcher ${MPIEXEC_NUMPROC_FLAG})
  list(JOIN launcher " " launcher)
  _halocline_test_environment(environment ${timeout})
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/apps/cloud/check.py --cloud $<TARGET_FILE:cloud>
    --launcher ${launcher} --ranks ${ranks})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout} PROCESSORS 6 ENVIRONMENT "${environment}" LABELS "mpi;app;${labels}")
endfunction()
if(TARGET cloud AND HALOCLINE_SANITIZE)  # slow: the larger rank counts wait for the long run
  halocline_cloud_check(cloud.check 1,2 600 "")
  halocline_cloud_check(cloud.check.long 3,4,6 3600 long)
elseif(TARGET cloud AND HALOCLINE_SOURCE_CHECKS)
  halocline_cloud_check(cloud.check 1,2,3,4,6 600 "")
elseif(TARGET cloud)  # all rank counts with one MPI, some with the others
  halocline_cloud_check(cloud.check 1,2,4 600 "")
  halocline_cloud_check(cloud.check.long 3,6 600 long)
endif()

# A sanitized library is not what is installed.
if(NOT HALOCLINE_SANITIZE)
  add_test(NAME install.tree COMMAND ${PROJECT_SOURCE_DIR}/scripts/test_install.sh ${PROJECT_BINARY_DIR})
  set_tests_properties(install.tree PROPERTIES TIMEOUT 300 RUN_SERIAL ON)
endif()
if(HALOCLINE_SOURCE_CHECKS)
  add_test(NAME go.script COMMAND ${PROJECT_SOURCE_DIR}/scripts/test_go.sh)
  add_test(NAME readme COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/readme.py check)
  set_tests_properties(go.script readme PROPERTIES TIMEOUT 120)
  add_test(NAME install.clean_root COMMAND ${PROJECT_SOURCE_DIR}/scripts/test_clean_root.sh bookworm)
  set_tests_properties(install.clean_root PROPERTIES TIMEOUT 5400 RUN_SERIAL ON SKIP_RETURN_CODE 77 LABELS long)
endif()
