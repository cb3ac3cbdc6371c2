# Install tree: the library, headers, Fortran modules, programs, find_package(halocline), pkg-config files, and an uninstall target.
# Nothing in it names the prefix, so that the tree may be moved; only the MPI it was built with is named by its path.
include(CMakePackageConfigHelpers)
set(HALOCLINE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/halocline)
set(HALOCLINE_DATA_DIR ${CMAKE_INSTALL_DATADIR}/halocline)

# Libraries look for each other beside themselves, programs look in the library folder.
function(halocline_install_rpath)
  foreach(target IN LISTS ARGN)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "SHARED_LIBRARY")
      set(folder ${CMAKE_INSTALL_LIBDIR})
    else()
      set(folder ${CMAKE_INSTALL_BINDIR})
    endif()
    file(RELATIVE_PATH to_libraries ${CMAKE_INSTALL_PREFIX}/${folder} ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR})
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries}" INSTALL_RPATH_USE_LINK_PATH ON)
  endforeach()
endfunction()

function(halocline_install_library target)
  halocline_install_rpath(${target})
  add_dependencies(installed ${target})
  set(HALOCLINE_INSTALLED_LIBRARIES ${HALOCLINE_INSTALLED_LIBRARIES} $<TARGET_FILE:${target}> PARENT_SCOPE)
  install(TARGETS ${target} EXPORT halocline-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

function(halocline_install_pkg_config name)
  file(RELATIVE_PATH HALOCLINE_PC_PREFIX ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  configure_file(cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/package/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/package/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# cmake --build BUILD --target installed: all that is installed, without tests and mini-apps.
add_custom_target(installed COMMENT "What the installation puts in place")
# cmake --build BUILD --target raced: the part of it with which ./go compares the modes.
add_custom_target(raced COMMENT "What compares the modes")
foreach(target halocline halocline_mpi halocline-helper halocline-doctor halocline-bench cloud)
  if(TARGET ${target})
    add_dependencies(raced ${target})
  endif()
endforeach()
# Before the first file is installed: what has not been built ends the installation if others need it, and is named if it is a program.
set(HALOCLINE_INSTALLED_LIBRARIES "")
set(HALOCLINE_INSTALLED_PROGRAMS "")
install(SCRIPT ${CMAKE_BINARY_DIR}/package/look_for_built.cmake)
# Likewise: which folders, of those that the install rules share with others, are not there yet.
configure_file(cmake/note_folders.cmake.in ${CMAKE_BINARY_DIR}/package/note_folders.cmake @ONLY)
install(SCRIPT ${CMAKE_BINARY_DIR}/package/note_folders.cmake)

# The C and C++ libraries. Hidden visibility does not reach the templates of the standard library; the linker's map does.
foreach(library halocline_core halocline halocline_armci halocline_gaspi halocline_shmem halocline_mpi
        halocline_mpix)
  configure_file(cmake/${library}.map ${CMAKE_BINARY_DIR}/package/${library}.map @ONLY)
  target_link_options(${library} PRIVATE LINKER:--version-script=${CMAKE_BINARY_DIR}/package/${library}.map)
  set_target_properties(${library} PROPERTIES LINK_DEPENDS ${CMAKE_BINARY_DIR}/package/${library}.map)
endforeach()
target_compile_definitions(halocline INTERFACE ${HALOCLINE_SKIP_MPICXX})
# CMake exports a library together with all that it needs. The name says that no program links this one, but for those with ARMCI's archive.
halocline_install_library(halocline_core)
set_target_properties(halocline_core PROPERTIES EXPORT_NAME private_core)
halocline_install_library(halocline)
install(DIRECTORY include/halocline DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
halocline_install_pkg_config(halocline)
halocline_install_library(halocline_gaspi)
halocline_install_library(halocline_shmem)
halocline_install_library(halocline_armci)
halocline_install_library(halocline_armci_static)
halocline_install_library(halocline_mpi)
halocline_install_library(halocline_mpix)
halocline_install_pkg_config(halocline-mpix)
if(TARGET halocline_advise)
  # The command `halocline advise` loads it before a program, which is never linked to it.
  halocline_install_rpath(halocline_advise)
  add_dependencies(installed halocline_advise)
  list(APPEND HALOCLINE_INSTALLED_LIBRARIES $<TARGET_FILE:halocline_advise>)
  install(TARGETS halocline_advise LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/halocline)
endif()
if(TARGET halocline_mpi_abi)
  # Programs of another MPI load the one; those with notified access are linked to the other, by the name alone (docs/mpi.md).
  foreach(library halocline_mpi_abi halocline_mpix_abi)
    halocline_install_rpath(${library})
    add_dependencies(installed ${library})
    list(APPEND HALOCLINE_INSTALLED_LIBRARIES $<TARGET_FILE:${library}>)
    install(TARGETS ${library} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endforeach()
endif()
install(FILES include/GASPI.h include/GASPI_Ext.h include/PGASPI.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
halocline_install_pkg_config(halocline-gaspi)
install(FILES include/shmem.h include/shmemx.h include/pshmem.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
halocline_install_pkg_config(halocline-shmem)
install(DIRECTORY include/mpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES include/armci.h include/armcix.h include/message.h include/mp3.h include/parmci.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
halocline_install_pkg_config(halocline-armci)

# The Fortran modules, which only the compiler that made them can read.
set(HALOCLINE_NEEDS_MPI_FORTRAN FALSE)
if(TARGET halocline_fortran)
  halocline_install_library(halocline_fortran)
  halocline_install_library(halocline_shmem_fortran)
  halocline_install_library(halocline_mpix_fortran)
  install(FILES include/shmem.fh include/shmemx.fh DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY include/mpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.fh")
  get_target_property(fortran_uses halocline_fortran INTERFACE_LINK_LIBRARIES)
  if("MPI::MPI_Fortran" IN_LIST fortran_uses)
    set(HALOCLINE_NEEDS_MPI_FORTRAN TRUE)
  endif()
  install(DIRECTORY ${CMAKE_BINARY_DIR}/fortran/modules/ DESTINATION ${HALOCLINE_MODULE_DIR} FILES_MATCHING PATTERN "halocline*.mod" PATTERN "gaspi*.mod")
  install(DIRECTORY bindings/fortran/monc/ DESTINATION ${HALOCLINE_MODULE_DIR} FILES_MATCHING PATTERN "halocline_monc*.inc")
  target_include_directories(halocline_gaspi INTERFACE $<INSTALL_INTERFACE:${HALOCLINE_MODULE_DIR}>)
  halocline_install_pkg_config(halocline-fortran)
  # It makes the modules of the GASPI face.
  add_dependencies(installed halocline_gaspi_fortran)
endif()

# halocline_install_man_page(PAGE [AS]): the manual page of a program, under its own name or another one. scripts/man_pages.py keeps the
# options equal to those of --help. The sources of the Python package have no pages.
function(halocline_install_man_page page)
  if(NOT IS_DIRECTORY ${PROJECT_SOURCE_DIR}/docs/man)
    return()
  endif()
  set(names ${page} ${ARGN})
  list(GET names -1 name)
  configure_file(${PROJECT_SOURCE_DIR}/docs/man/${page}.in ${CMAKE_BINARY_DIR}/man/${name} @ONLY)
  string(REGEX MATCH "[0-9]$" section ${name})
  install(FILES ${CMAKE_BINARY_DIR}/man/${name} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endfunction()

# The programs, as far as they have been built, and the cases of the cloud model.
foreach(program halocline-bench halocline-doctor halocline-info halocline-replay halocline-run halocline-simulate cloud)
  if(TARGET ${program})
    halocline_install_rpath(${program})
    add_dependencies(installed ${program})
    list(APPEND HALOCLINE_INSTALLED_PROGRAMS $<TARGET_FILE:${program}>)
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
    halocline_install_man_page(${program}.1)
  endif()
endforeach()
# The library looks for it there.
if(TARGET halocline-helper)
  add_dependencies(installed halocline-helper)
  list(APPEND HALOCLINE_INSTALLED_LIBRARIES $<TARGET_FILE:halocline-helper>)
  install(TARGETS halocline-helper RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/halocline)
  halocline_install_man_page(halocline-helper.8)
endif()
if(TARGET cloud)
  install(FILES apps/cloud/dycoms_rf01.nml apps/cloud/dycoms_rf01.start apps/cloud/strong_scaling.nml
          apps/cloud/thermals.nml DESTINATION ${HALOCLINE_DATA_DIR}/cloud)
endif()
install(FILES LICENSE share/halocline/default_card.json DESTINATION ${HALOCLINE_DATA_DIR})

# find_package(halocline)
install(EXPORT halocline-targets NAMESPACE halocline:: DESTINATION ${HALOCLINE_PACKAGE_DIR})
configure_package_config_file(cmake/halocline-config.cmake.in ${CMAKE_BINARY_DIR}/package/halocline-config.cmake
  INSTALL_DESTINATION ${HALOCLINE_PACKAGE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/halocline-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/halocline-config.cmake ${CMAKE_BINARY_DIR}/package/halocline-config-version.cmake
  DESTINATION ${HALOCLINE_PACKAGE_DIR})

# cmake --build BUILD --target uninstall
configure_file(cmake/uninstall.cmake.in ${CMAKE_BINARY_DIR}/package/uninstall.cmake @ONLY)
add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -P ${CMAKE_BINARY_DIR}/package/uninstall.cmake
  COMMENT "Removing what the last installation put in place")
if(HALOCLINE_TOOLS)
  install(PROGRAMS tools/trace/halocline-trace DESTINATION ${CMAKE_INSTALL_BINDIR})
  halocline_install_man_page(halocline-trace.1)
  install(DIRECTORY tools/trace/trace_reader DESTINATION ${HALOCLINE_DATA_DIR}/trace FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
endif()
# The command `halocline`, which drives them: the part of the Python package that needs no compiled extension.
if(HALOCLINE_TOOLS AND EXISTS ${PROJECT_SOURCE_DIR}/tools/command/halocline)
  install(PROGRAMS tools/command/halocline DESTINATION ${CMAKE_INSTALL_BINDIR})
  halocline_install_man_page(halocline.1)
  set(package bindings/python/src/halocline)
  install(FILES ${package}/__init__.py ${package}/_errors.py ${package}/_mpi_names.py ${package}/_process.py DESTINATION ${HALOCLINE_DATA_DIR}/python/halocline)
  install(DIRECTORY ${package}/command DESTINATION ${HALOCLINE_DATA_DIR}/python/halocline PATTERN "__pycache__" EXCLUDE)
  file(WRITE ${CMAKE_BINARY_DIR}/package/VERSION "${PROJECT_VERSION}\n")
  install(FILES ${CMAKE_BINARY_DIR}/package/VERSION DESTINATION ${HALOCLINE_DATA_DIR}/python)
endif()

configure_file(cmake/look_for_built.cmake.in ${CMAKE_BINARY_DIR}/package/look_for_built.cmake.in @ONLY)
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/package/look_for_built.cmake INPUT ${CMAKE_BINARY_DIR}/package/look_for_built.cmake.in)
