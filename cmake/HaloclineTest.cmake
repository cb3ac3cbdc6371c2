# Registers programs that run under the MPI launcher as ctest tests, one test per rank count. Several folders include this file.
include_guard(GLOBAL)

# Finds out once which launcher we have, because each wants its own flags to run as root and with more ranks than cores. Binding is switched
# off because ctest runs launches side by side, and each would bind its ranks to the same first cores.
function(_halocline_launcher_flags result)
  if(NOT DEFINED CACHE{HALOCLINE_LAUNCHER_FLAGS} OR NOT DEFINED CACHE{HALOCLINE_LAUNCHER_ENVIRONMENT})
    execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE version ERROR_VARIABLE version)
    set(flags "")
    set(survival_flags "")
    set(environment "")
    if(version MATCHES "Open MPI|OpenRTE|PRRTE|prterun")
      set(survival_flags --enable-recovery)
      set(flags --oversubscribe --bind-to none)
      # Each start of Open MPI 5 sleeps for a second in this component, which no test needs.
      set(environment OMPI_MCA_btl=^ofi)
      execute_process(COMMAND id -u OUTPUT_VARIABLE uid OUTPUT_STRIP_TRAILING_WHITESPACE)
      if(uid STREQUAL "0")
        list(PREPEND flags --allow-run-as-root)
      endif()
    elseif(version MATCHES "Intel")
      set(flags -genv I_MPI_PIN 0)
    endif()
    set(HALOCLINE_LAUNCHER_FLAGS "${flags}" CACHE STRING "What the MPI launcher needs to run the tests")
    set(HALOCLINE_LAUNCHER_SURVIVAL_FLAGS "${survival_flags}" CACHE STRING "What makes the launcher leave ranks alone when one is killed")
    set(HALOCLINE_LAUNCHER_ENVIRONMENT "${environment}" CACHE STRING "What tests find in their environment because of the MPI")
    mark_as_advanced(HALOCLINE_LAUNCHER_FLAGS HALOCLINE_LAUNCHER_SURVIVAL_FLAGS HALOCLINE_LAUNCHER_ENVIRONMENT)
  endif()
  set(${result} "${HALOCLINE_LAUNCHER_FLAGS}" PARENT_SCOPE)
endfunction()

# What every test finds in its environment: the sanitizers' settings, a library timeout shorter than ctest's, and no report or card of this
# machine, on which the choices of mode auto depend.
function(_halocline_test_environment result timeout)
  math(EXPR watchdog "${timeout} - 3")
  math(EXPR wait "${timeout} / 2")
  _halocline_launcher_flags(flags)
  set(environment HALOCLINE_TIMEOUT=${wait} HALOCLINE_TEST_WATCHDOG=${watchdog} XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache_of_tests
    ${HALOCLINE_LAUNCHER_ENVIRONMENT})
  if(HALOCLINE_SANITIZE MATCHES "address")
    list(APPEND environment "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/lsan.supp:print_suppressions=0"
      "ASAN_OPTIONS=abort_on_error=0:detect_stack_use_after_return=1:allocator_may_return_null=1" "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1")
  elseif(HALOCLINE_SANITIZE MATCHES "thread")
    # MPI and libfabric are not instrumented. UCX hooks system calls of threads that end, where ThreadSanitizer is no longer at hand.
    list(APPEND environment "UCX_MEM_EVENTS=no" "UCX_MEM_MMAP_HOOK_MODE=none"
      "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/tsan.supp:halt_on_error=1:ignore_noninstrumented_modules=1")
  endif()
  set(${result} "${environment}" PARENT_SCOPE)
endfunction()

# Which tests a build runs by default. Every test is of class `protocol`: it depends neither on the MPI nor on what checks memory, and one build is
# enough for it. Some are of class `every_mpi` too, and run with every MPI and compiler, or of class `memory`, and run under the address and
# undefined-behaviour sanitizers. A test that is of none of a build's classes has the label `full` there: `./go test --all` runs it.
if(HALOCLINE_SANITIZE)
  set(_classes memory)
elseif(HALOCLINE_SOURCE_CHECKS)
  set(_classes protocol every_mpi memory)
else()
  set(_classes every_mpi)
endif()
set(HALOCLINE_TEST_CLASSES "${_classes}" CACHE STRING "Classes of tests that this build runs by default: protocol, every_mpi, memory")
add_custom_target(default_tests COMMENT "What the tests that run by default need")
add_custom_target(quick_tests COMMENT "What the tests with the label quick need")

# Two tests side by side that each have a rank per core would wait for each other more than they work.
cmake_host_system_information(RESULT _cores QUERY NUMBER_OF_LOGICAL_CORES)
set(HALOCLINE_CORES ${_cores} CACHE INTERNAL "Cores of this machine")

# _halocline_needs(COLLECTION word...): words that are targets, or $<TARGET_FILE:...> of one, become dependencies of the collection.
function(_halocline_needs collection)
  foreach(word IN LISTS ARGN)
    string(REGEX REPLACE "^.*TARGET_FILE:([^>]*)>.*$" "\\1" word "${word}")
    if(TARGET ${word})
      add_dependencies(${collection} ${word})
    endif()
  endforeach()
endfunction()

# halocline_classify(NAME [LONG] [FULL] [QUICK] [WAITS] [CLASSES class...] [LABELS l...] [NEEDS word...]): what kind of test a registered one is.
# CLASSES: those beside `protocol`. LONG: only `./go test --long` runs it. FULL: `--all` does, too. QUICK: it is one of the two minutes of
# `ctest -L quick`. WAITS: it sleeps more than it computes, and runs beside others. tests/run gives ctest
# the cores, of which the others take one or as many as they have ranks, and some places for tests that wait. NEEDS: what has to be built for it.
function(halocline_classify name)
  cmake_parse_arguments(arg "LONG;FULL;QUICK;WAITS" "" "CLASSES;LABELS;NEEDS" ${ARGN})
  set(labels protocol ${arg_CLASSES} ${arg_LABELS})
  set(in_class FALSE)
  foreach(class IN LISTS arg_CLASSES ITEMS protocol)
    if(class IN_LIST HALOCLINE_TEST_CLASSES)
      set(in_class TRUE)
    endif()
  endforeach()
  if(arg_LONG OR (arg_FULL AND NOT in_class))
    list(APPEND labels long)
  elseif(arg_FULL OR NOT in_class)
    list(APPEND labels full)
  else()
    _halocline_needs(default_tests ${arg_NEEDS})
    if(arg_QUICK)
      list(APPEND labels quick)
      _halocline_needs(quick_tests ${arg_NEEDS})
    endif()
  endif()
  if(arg_WAITS)
    list(APPEND labels waits)
    set_tests_properties(${name} PROPERTIES PROCESSORS 1 COST 100 RESOURCE_GROUPS 1,waiting:1)
  else()
    # Ranks that share a core with those of another test wait for each other more than they work.
    get_test_property(${name} PROCESSORS cores)
    if(NOT cores)
      set(cores 1)
    endif()
    # Those of one core come first, beside those that wait: they mind company less than ranks do that wait for each other. With 0, ctest would
    # take the time of an earlier run.
    set(cost 1)
    if(cores EQUAL 1)
      set(cost 50)
    endif()
    set_tests_properties(${name} PROPERTIES COST ${cost} RESOURCE_GROUPS 1,cores:${cores})
  endif()
  set_property(TEST ${name} APPEND PROPERTY LABELS ${labels})
endfunction()

# Where the MPI has a sister with the same binary interface (Intel MPI for MPICH), the tests of class every_mpi run under that, too: `name.abi`.
set(HALOCLINE_ABI_MPIEXEC "" CACHE FILEPATH "The launcher of another MPI, with the same binary interface; empty: there is none")

# halocline_mpi_test(NAME name TARGET program RANKS r... [MPI_RANKS r...] [ABI_RANKS r...] [MEMORY_RANKS r...] [QUICK_RANKS r...] [LONG_RANKS r...]
#                    [LONG] [FULL] [ELSEWHERE] [WAITS] [ARGS a...] [ENV K=V...] [TIMEOUT s] [LABELS l...] [FAKE_NODES n] [LAUNCHER_ARGS a...])
# Registers `name.n<ranks>`, or `name.n<ranks>.fake<n>`, for each rank count. TARGET is a CMake target or the path of a program. All rank counts
# run in the main build, those in MPI_RANKS with every MPI, those in MEMORY_RANKS under sanitizers, those in QUICK_RANKS are quick too; those in
# LONG_RANKS wait for --all. `name.abi` runs by default for those of MPI_RANKS that are in ABI_RANKS, too. ELSEWHERE: the main build leaves it to --all,
# as it has another test that finds the same; the builds of the other classes run it. For LONG, FULL and WAITS, which hold for all rank counts, see
# halocline_classify. FAKE_NODES leaves out rank counts below n, which cannot fill n nodes. ENV overrides what every test is given. A program that
# cannot run here prints why and ends with status 77: ctest lists it as skipped.
function(halocline_mpi_test)
  cmake_parse_arguments(arg "LONG;FULL;ELSEWHERE;WAITS" "NAME;TARGET;TIMEOUT;FAKE_NODES"
    "RANKS;MPI_RANKS;ABI_RANKS;MEMORY_RANKS;QUICK_RANKS;LONG_RANKS;ARGS;ENV;LABELS;LAUNCHER_ARGS" ${ARGN})
  set(every ${arg_RANKS} ${arg_MPI_RANKS} ${arg_MEMORY_RANKS} ${arg_QUICK_RANKS} ${arg_LONG_RANKS})
  if(NOT arg_NAME OR NOT arg_TARGET OR NOT every)
    message(FATAL_ERROR "halocline_mpi_test needs NAME, TARGET, and RANKS, or rank counts of another kind")
  endif()
  list(REMOVE_DUPLICATES every)
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

  foreach(ranks IN LISTS every)
    if(arg_FAKE_NODES AND ranks LESS arg_FAKE_NODES)
      continue()
    endif()
    set(name ${arg_NAME}.n${ranks}${suffix})
    add_test(NAME ${name}
      COMMAND ${MPIEXEC_EXECUTABLE} ${flags} ${arg_LAUNCHER_ARGS} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${program} ${arg_ARGS})
    set(slots ${ranks})
    if(slots GREATER HALOCLINE_CORES)
      set(slots ${HALOCLINE_CORES})
    endif()
    set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} PROCESSORS ${slots} SKIP_RETURN_CODE 77
      ENVIRONMENT "${environment};${arg_ENV}" LABELS mpi)
    set(more "")
    if(arg_ELSEWHERE AND "protocol" IN_LIST HALOCLINE_TEST_CLASSES)
      set(more FULL)
    endif()
    _halocline_classify_ranks(${name} ${ranks} ${more})
    if(HALOCLINE_ABI_MPIEXEC AND ranks IN_LIST arg_MPI_RANKS)
      add_test(NAME ${name}.abi COMMAND ${HALOCLINE_ABI_MPIEXEC} -genv I_MPI_PIN 0 -n ${ranks} ${program} ${arg_ARGS})
      set_tests_properties(${name}.abi PROPERTIES TIMEOUT ${arg_TIMEOUT} PROCESSORS ${slots} SKIP_RETURN_CODE 77
        ENVIRONMENT "${environment};${arg_ENV}" LABELS "mpi;abi")
      set(more FULL)
      if(ranks IN_LIST arg_ABI_RANKS)
        set(more "")
      endif()
      _halocline_classify_ranks(${name}.abi ${ranks} ${more})
    endif()
  endforeach()
endfunction()

# A part of halocline_mpi_test, of whose arguments it reads the kinds of rank counts. What follows is for halocline_classify.
function(_halocline_classify_ranks name ranks)
  set(kind ${ARGN})
  set(classes "")
  foreach(option LONG FULL WAITS)
    if(arg_${option})
      list(APPEND kind ${option})
    endif()
  endforeach()
  if(ranks IN_LIST arg_LONG_RANKS)
    list(APPEND kind FULL)
  endif()
  if(ranks IN_LIST arg_QUICK_RANKS)
    list(APPEND kind QUICK)
  endif()
  if(ranks IN_LIST arg_MPI_RANKS)
    list(APPEND classes every_mpi)
  endif()
  if(ranks IN_LIST arg_MEMORY_RANKS)
    list(APPEND classes memory)
  endif()
  halocline_classify(${name} ${kind} CLASSES ${classes} LABELS ${arg_LABELS} NEEDS ${arg_TARGET} ${arg_ARGS} ${arg_ENV})
endfunction()

# halocline_launcher_test(NAME name SCRIPT script.py TARGET program [ARGS a...] [TIMEOUT s] [SURVIVORS] [COMPUTES] [LONG] [FULL] [QUICK]
#                         [CLASSES class...] [LABELS l...] [NEEDS target...])
# Registers a Python script that launches a program itself: it is called as `script.py PROGRAM ARGS... -- LAUNCHER FLAG...`. With SURVIVORS
# the launcher is told to leave the other ranks alone when one is killed. Such a script mostly waits, unless it COMPUTES. The rest is as with
# halocline_classify.
function(halocline_launcher_test)
  cmake_parse_arguments(arg "SURVIVORS;COMPUTES;LONG;FULL;QUICK" "NAME;SCRIPT;TARGET;TIMEOUT" "ARGS;LABELS;CLASSES;NEEDS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 400)
  endif()
  _halocline_launcher_flags(flags)
  _halocline_test_environment(environment ${arg_TIMEOUT})
  if(arg_SURVIVORS)
    list(APPEND flags ${HALOCLINE_LAUNCHER_SURVIVAL_FLAGS})
  endif()
  set(kind WAITS)
  if(arg_COMPUTES)
    set(kind "")
  endif()
  foreach(option LONG FULL QUICK)
    if(arg_${option})
      list(APPEND kind ${option})
    endif()
  endforeach()
  add_test(NAME ${arg_NAME} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SCRIPT} $<TARGET_FILE:${arg_TARGET}>
    ${arg_ARGS} -- ${MPIEXEC_EXECUTABLE} ${flags})
  set_tests_properties(${arg_NAME} PROPERTIES TIMEOUT ${arg_TIMEOUT} PROCESSORS 2 SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}" LABELS mpi)
  halocline_classify(${arg_NAME} ${kind} CLASSES ${arg_CLASSES} LABELS ${arg_LABELS} NEEDS ${arg_TARGET} ${arg_ARGS} ${arg_NEEDS})
endfunction()

# halocline_app_check(APP RANKS NODES [FULL] [words...]): NAME.n<ranks>[.fake<nodes>], the check.py of this folder with a mini-app. NAME is the folder's.
function(halocline_app_check app ranks nodes)
  cmake_parse_arguments(arg "FULL" "" "" ${ARGN})
  get_filename_component(name ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(name ${name}.n${ranks})
  if(nodes GREATER 1)
    set(name ${name}.fake${nodes})
    if(NOT LIBFABRIC_INCLUDE_DIR)
      halocline_skipped_test(${name} "without libfabric the engine reaches no other node")
      return()
    endif()
  endif()
  set(full "")
  if(arg_FULL)
    set(full FULL)
  endif()
  halocline_launcher_test(NAME ${name} SCRIPT check.py TARGET ${app} ARGS --ranks ${ranks} --nodes ${nodes} ${arg_UNPARSED_ARGUMENTS}
    COMPUTES ${full} LABELS app)
endfunction()

# halocline_skipped_test(NAME REASON): a test that this build cannot have. It is listed as skipped with its reason, not silently absent.
function(halocline_skipped_test name reason)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${reason}")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: " LABELS protocol)
endfunction()
