# Compiler flags shared by every target: standards, warnings, sanitizers, hidden visibility.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
find_package(Threads REQUIRED)

# What every C and C++ file of the project is compiled with; consumers of the installed library never see it.
add_library(halocline_flags INTERFACE)
set(_warnings -Wall -Wextra -Wpedantic -Wconversion -Wdouble-promotion -Wcast-qual -Wcast-align -Wformat=2 -Wundef)
set(_cxx_warnings -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Wextra-semi -Wzero-as-null-pointer-constant)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND _warnings -Wduplicated-cond -Wduplicated-branches -Wlogical-op)
  list(APPEND _cxx_warnings -Wsuggest-override)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND _cxx_warnings -Wthread-safety)  # src/base/mutex.hpp
endif()
target_compile_options(halocline_flags INTERFACE
  "$<$<COMPILE_LANGUAGE:C,CXX>:${_warnings}>" "$<$<COMPILE_LANGUAGE:CXX>:${_cxx_warnings}>"
  # Signs are converted knowingly in the library; tests, tools and examples index with int throughout.
  $<$<COMPILE_LANGUAGE:C,CXX>:$<IF:$<BOOL:$<TARGET_PROPERTY:HALOCLINE_LAYER>>,-Wsign-conversion,-Wno-sign-conversion>>)
if(HALOCLINE_WERROR)
  target_compile_options(halocline_flags INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-Werror>)
endif()
if(HALOCLINE_SANITIZE)
  # gfortran's undefined-behaviour checks take an absent optional array that is passed on for a null pointer, so Fortran goes without.
  string(REPLACE ",undefined" "" _fortran_sanitize "${HALOCLINE_SANITIZE}")
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${HALOCLINE_SANITIZE}>
                      $<$<COMPILE_LANGUAGE:Fortran>:-fsanitize=${_fortran_sanitize}> -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HALOCLINE_SANITIZE})
  # MPI_BOTTOM is a null pointer, to which addresses are added.
  add_compile_options($<$<COMPILE_LANG_AND_ID:C,Clang>:-fno-sanitize=pointer-overflow> $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-sanitize=pointer-overflow>)
  # A C program has to bring what the library's C++ needs.
  add_link_options($<$<LINK_LANG_AND_ID:C,Clang>:-fsanitize-link-c++-runtime$<SEMICOLON>-lstdc++>)
endif()
