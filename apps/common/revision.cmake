# Writes the header with the revision that is being built; run by every build, it touches the file only when the revision changes.
# A tree from `git archive` has no repository, or lies in a stranger's: its revision is in revision.txt, where the archive has put it.
cmake_minimum_required(VERSION 3.22)
if(EXISTS ${SOURCE}/.git)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --tags OUTPUT_VARIABLE revision ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
else()
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/revision.txt revision REGEX "^[0-9a-f]+$")
endif()
if(NOT revision)
  set(revision "not from git")
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define COMMON_REVISION \"@revision@\"\n" @ONLY)
