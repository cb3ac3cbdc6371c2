# Writes the header with the revision that is being built; run by every build, it touches the file only when the revision changes.
cmake_minimum_required(VERSION 3.22)
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --tags OUTPUT_VARIABLE revision ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT revision)
  set(revision "not from git")
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define COMMON_REVISION \"@revision@\"\n" @ONLY)
