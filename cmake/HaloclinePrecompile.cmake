# Precompiled headers: what most files of a part of the project include is read once per build. Two thirds of the time that a file of the library
# takes to compile is the reading of headers.
include_guard(GLOBAL)
option(HALOCLINE_PRECOMPILE "Read the headers that many files include once. OFF shows where a file forgets to include one" ON)

# halocline_precompiled_headers(NAME [PIE] HEADERS <header>... LIBRARIES target...): target NAME holds the headers, compiled as programs are
# (PIE) or as libraries are; halocline_precompile(target NAME) has a target use them. What is to use them has to be compiled with the same options.
function(halocline_precompiled_headers name)
  cmake_parse_arguments(arg "PIE" "" "HEADERS;LIBRARIES;OPTIONS" ${ARGN})
  if(NOT HALOCLINE_PRECOMPILE)
    return()
  endif()
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  if(arg_PIE)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIE)
  endif()
endfunction()

# halocline_compile_cheaply(FILE...): files that run once per program and are slow to compile, as those that read the command line.
function(halocline_compile_cheaply)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS $<$<CONFIG:Release>:-O0>)
endfunction()

function(halocline_precompile target name)
  if(TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
