# Tests that other parts of the project bring: the Fortran modules, the cloud model, the install tree, ./go, the README. They are registered
# here because ctest knows only of folders that are entered after testing is switched on.
if(HALOCLINE_FORTRAN AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/fortran/CMakeLists.txt)
  add_subdirectory(fortran)
endif()

# The cloud model in every mode and on several rank counts: fingerprints, conservation, divergence. Sanitizers make it slow: fewer ranks.
if(TARGET cloud)
  _halocline_launcher_flags(launcher)
  list(PREPEND launcher ${MPIEXEC_EXECUTABLE})
  list(APPEND launcher ${MPIEXEC_NUMPROC_FLAG})
  list(JOIN launcher " " launcher)
  _halocline_test_environment(environment 600)
  set(ranks 1,2,3,4,6)
  if(HALOCLINE_SANITIZE)
    set(ranks 1,2)
  endif()
  add_test(NAME cloud.check COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/apps/cloud/check.py --cloud $<TARGET_FILE:cloud>
    --launcher ${launcher} --ranks ${ranks})
  set_tests_properties(cloud.check PROPERTIES TIMEOUT 600 PROCESSORS 6 ENVIRONMENT "${environment}" LABELS "mpi;app")
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
endif()
