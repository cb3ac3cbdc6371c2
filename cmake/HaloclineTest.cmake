# Registers programs that run under the MPI launcher as ctest tests, one test per rank count. Several folders include this file.
include_guard(GLOBAL)

# Finds out once which launcher we have, because each wants its own flags to run as root and with more ranks than cores. Binding is switched
# off because ctest runs launches side by side, and each would bind its ranks to the same first cores.
function(_halocline_launcher_flags result)
  if(NOT DEFINED CACHE{HALOCLINE_LAUNCHER_FLAGS})
    execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE version ERROR_VARIABLE version)
    set(flags "")
    set(survival_flags "")
    if(version MATCHES "Open MPI|OpenRTE|PRRTE|prterun")
      set(survival_flags --enable-recovery)
      set(flags --oversubscribe --bind-to none)
      execute_process(COMMAND id -u OUTPUT_VARIABLE uid OUTPUT_STRIP_TRAILING_WHITESPACE)
      if(uid STREQUAL "0")
        list(PREPEND flags --allow-run-as-root)
      endif()
    elseif(version MATCHES "Intel")
      set(flags -genv I_MPI_PIN 0)
    endif()
    set(HALOCLINE_LAUNCHER_FLAGS "${flags}" CACHE STRING "What the MPI launcher needs to run the tests")
    set(HALOCLINE_LAUNCHER_SURVIVAL_FLAGS "${survival_flags}" CACHE STRING "What makes the launcher leave ranks alone when one is killed")
    mark_as_advanced(HALOCLINE_LAUNCHER_FLAGS HALOCLINE_LAUNCHER_SURVIVAL_FLAGS)
  endif()
  set(${result} "${HALOCLINE_LAUNCHER_FLAGS}" PARENT_SCOPE)
endfunction()

# What every test finds in its environment: the sanitizers' settings, and a library timeout shorter than ctest's.
function(_halocline_test_environment result timeout)
  math(EXPR watchdog "${timeout} - 3")
  math(EXPR wait "${timeout} / 2")
  set(environment HALOCLINE_TIMEOUT=${wait} HALOCLINE_TEST_WATCHDOG=${watchdog})
  if(HALOCLINE_SANITIZE MATCHES "address")
    list(APPEND environment "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/lsan.supp:print_suppressions=0"
      "ASAN_OPTIONS=abort_on_error=0:detect_stack_use_after_return=1" "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1")
  elseif(HALOCLINE_SANITIZE MATCHES "thread")
    # MPI and libfabric are not instrumented. UCX hooks system calls of threads that end, where ThreadSanitizer is no longer at hand.
    list(APPEND environment "UCX_MEM_EVENTS=no" "UCX_MEM_MMAP_HOOK_MODE=none"
      "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/tsan.supp:halt_on_error=1:ignore_noninstrumented_modules=1")
  endif()
  set(${result} "${environment}" PARENT_SCOPE)
endfunction()

# halocline_mpi_test(NAME name TARGET program RANKS r... [LONG_RANKS r...] [LONG] [ARGS a...] [ENV K=V...] [TIMEOUT s] [LABELS l...]
#                    [FAKE_NODES n] [LAUNCHER_ARGS a...])
# Registers `name.n<ranks>`, or `name.n<ranks>.fake<n>`, for each rank count. TARGET is a CMake target or the path of a program. Tests with
# LONG, rank counts in LONG_RANKS, and more than 2 ranks in a build with sanitizers get the label `long`: only `./go test --long` runs
# them. FAKE_NODES leaves out rank counts below n, which cannot fill n nodes. ENV overrides what every test is given. A program that cannot
# run here prints why and ends with status 77: ctest lists it as skipped.
function(halocline_mpi_test)
  cmake_parse_arguments(arg "LONG" "NAME;TARGET;TIMEOUT;FAKE_NODES" "RANKS;LONG_RANKS;ARGS;ENV;LABELS;LAUNCHER_ARGS" ${ARGN})
  if(NOT arg_NAME OR NOT arg_TARGET OR NOT (arg_RANKS OR arg_LONG_RANKS))
    message(FATAL_ERROR "halocline_mpi_test needs NAME, TARGET, and RANKS or LONG_RANKS")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(TARGET ${arg_TARGET})
    set(program $<TARGET_FILE:${arg_TARGET}>)
  else()
    set(program ${arg_TARGET})
  endif()
  _halocline_launcher_flags(flags)
  _halocline_test_environment(environment ${arg_TIMEOUT})
  set(suffix "")
  if(arg_FAKE_NODES)
    set(suffix .fake${arg_FAKE_NODES})
    list(APPEND environment HALOCLINE_FAKE_NODES=${arg_FAKE_NODES})
  endif()

  foreach(ranks IN LISTS arg_RANKS arg_LONG_RANKS)
    if(arg_FAKE_NODES AND ranks LESS arg_FAKE_NODES)
      continue()
    endif()
    set(name ${arg_NAME}.n${ranks}${suffix})
    set(labels mpi ${arg_LABELS})
    if(arg_LONG OR ranks IN_LIST arg_LONG_RANKS OR (HALOCLINE_SANITIZE AND ranks GREATER 2))
      list(APPEND labels long)
    endif()
    add_test(NAME ${name}
      COMMAND ${MPIEXEC_EXECUTABLE} ${flags} ${arg_LAUNCHER_ARGS} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${program} ${arg_ARGS})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} PROCESSORS ${ranks} SKIP_RETURN_CODE 77
      ENVIRONMENT "${environment};${arg_ENV}" LABELS "${labels}")
  endforeach()
endfunction()

# halocline_launcher_test(NAME name SCRIPT script.py TARGET program [ARGS a...] [TIMEOUT s] [LABELS l...] [SURVIVORS] [LONG])
# Registers a Python script that launches a program itself: it is called as `script.py PROGRAM ARGS... -- LAUNCHER FLAG...`. With SURVIVORS
# the launcher is told to leave the other ranks alone when one is killed. With LONG the test has the label `long`.
function(halocline_launcher_test)
  cmake_parse_arguments(arg "SURVIVORS;LONG" "NAME;SCRIPT;TARGET;TIMEOUT" "ARGS;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 400)
  endif()
  _halocline_launcher_flags(flags)
  _halocline_test_environment(environment ${arg_TIMEOUT})
  if(arg_SURVIVORS)
    list(APPEND flags ${HALOCLINE_LAUNCHER_SURVIVAL_FLAGS})
  endif()
  set(labels mpi ${arg_LABELS})
  if(arg_LONG)
    list(APPEND labels long)
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SCRIPT} $<TARGET_FILE:${arg_TARGET}>
    ${arg_ARGS} -- ${MPIEXEC_EXECUTABLE} ${flags})
  set_tests_properties(${arg_NAME} PROPERTIES TIMEOUT ${arg_TIMEOUT} PROCESSORS 2 SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}"
    LABELS "${labels}")
endfunction()

# halocline_skipped_test(NAME REASON): a test that this build cannot have. It is listed as skipped with its reason, not silently absent.
function(halocline_skipped_test name reason)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${reason}")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
endfunction()
