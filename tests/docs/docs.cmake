# What the pages promise: names with comments, code that runs, figures that are cited, and the site. scripts/docs.py has the rules.
foreach(command names check)
  add_test(NAME docs.${command} COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/docs.py ${command})
  set_tests_properties(docs.${command} PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77)
  halocline_classify(docs.${command} QUICK)
endforeach()

# Whole programs are built and run as a user would: with all that is installed.
if(HALOCLINE_TOOLS AND HALOCLINE_FORTRAN AND HALOCLINE_APPS)
  add_test(NAME docs.code COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/docs.py code ${PROJECT_BINARY_DIR})
  set_tests_properties(docs.code PROPERTIES TIMEOUT 600 PROCESSORS 2)
  halocline_classify(docs.code FULL NEEDS halocline halocline_gaspi halocline_mpi halocline_fortran halocline_gaspi_fortran halocline-bench
    halocline-doctor halocline-info halocline-run halocline-simulate boltzmann cloud fft ghost hashtable lattice sparse)
else()
  halocline_skipped_test(docs.code "this build has no tools, no Fortran or no mini-apps, which the pages use")
endif()

# The blocks of docs/guide are lines of these programs, which verify what the blocks leave.
set(languages c cpp)
if(HALOCLINE_FORTRAN)
  list(APPEND languages F90)
endif()
foreach(language IN LISTS languages)
  string(TOLOWER docs_guide_${language} program)
  add_executable(${program} docs/guide.${language})
  target_link_libraries(${program} PRIVATE $<IF:$<STREQUAL:${language},F90>,halocline::fortran,halocline> halocline_flags)
  # Blocks of a page do not look at every status.
  target_compile_options(${program} PRIVATE $<$<COMPILE_LANGUAGE:C>:-Wno-unused-result>)
  set_target_properties(${program} PROPERTIES Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/modules_guide)
  halocline_mpi_test(NAME docs.guide.${language} TARGET ${program} RANKS 3 LONG_RANKS 4)
endforeach()

# Sphinx writes the site, and warns.
add_test(NAME docs.site COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/docs.py site ${PROJECT_BINARY_DIR}/site/html)
halocline_classify(docs.site FULL)
set_tests_properties(docs.site PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77)
