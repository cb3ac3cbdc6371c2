# Checks of what is written rather than of what runs: the layer arrow, the exported symbols, and headers that any compiler takes.
add_test(NAME layers COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/layers.py ${PROJECT_SOURCE_DIR}/src)
halocline_classify(layers QUICK)
add_test(NAME interfaces COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/interfaces.py ${PROJECT_SOURCE_DIR}/src)
halocline_classify(interfaces QUICK)
add_test(NAME exports COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/exports.py $<TARGET_FILE:halocline> hlc_
  ${PROJECT_SOURCE_DIR}/include/halocline/halocline.h ${PROJECT_SOURCE_DIR}/include/halocline/segment.h
  ${PROJECT_SOURCE_DIR}/include/halocline/view.h ${PROJECT_SOURCE_DIR}/include/halocline/reduce.h
  ${PROJECT_SOURCE_DIR}/include/halocline/index_halo.h ${PROJECT_SOURCE_DIR}/include/halocline/blocks.h
  ${PROJECT_SOURCE_DIR}/include/halocline/sparse.h ${PROJECT_SOURCE_DIR}/include/halocline/model.h)
add_test(NAME exports.gaspi COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/exports.py $<TARGET_FILE:halocline_gaspi> gaspi_=pgaspi_
  ${PROJECT_SOURCE_DIR}/include/GASPI.h ${PROJECT_SOURCE_DIR}/include/GASPI_Ext.h ${PROJECT_SOURCE_DIR}/include/PGASPI.h)
file(GLOB shmem_headers ${PROJECT_SOURCE_DIR}/include/halocline/shmem/*.h)
add_test(NAME exports.shmem COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/exports.py $<TARGET_FILE:halocline_shmem> shmem_=pshmem_
  ${PROJECT_SOURCE_DIR}/include/shmem.h ${PROJECT_SOURCE_DIR}/include/shmemx.h ${PROJECT_SOURCE_DIR}/include/pshmem.h ${shmem_headers}
  +MPI_Init +MPI_Init_thread +MPI_Finalize +shmem_near_1)
add_test(NAME exports.armci COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/armci_exports.py $<TARGET_FILE:halocline_armci>
  ${PROJECT_SOURCE_DIR}/include/armci.h ${PROJECT_SOURCE_DIR}/include/message.h ${PROJECT_SOURCE_DIR}/include/armcix.h
  ${PROJECT_SOURCE_DIR}/include/parmci.h)
add_test(NAME exports.core COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/private_exports.py $<TARGET_FILE:halocline_core>
  $<TARGET_FILE:halocline> $<TARGET_FILE:halocline_gaspi> $<TARGET_FILE:halocline_shmem> $<TARGET_FILE:halocline_armci>
  $<TARGET_FILE:halocline_mpi>)
add_test(NAME exports.mpi COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/mpi_exports.py $<TARGET_FILE:halocline_mpi>
  ${PROJECT_SOURCE_DIR}/src/faces/mpi/interpose/host_table.hpp)
add_test(NAME exports.mpix COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/mpi_exports.py $<TARGET_FILE:halocline_mpix>)
# What of the standard library's templates is seen depends on the compiler.
halocline_classify(exports QUICK CLASSES every_mpi NEEDS halocline)
halocline_classify(exports.gaspi QUICK CLASSES every_mpi NEEDS halocline_gaspi)
halocline_classify(exports.shmem QUICK CLASSES every_mpi NEEDS halocline_shmem)
halocline_classify(exports.armci QUICK CLASSES every_mpi NEEDS halocline_armci)
halocline_classify(exports.core QUICK CLASSES every_mpi NEEDS halocline halocline_gaspi halocline_shmem halocline_armci halocline_mpi)
halocline_classify(exports.mpi QUICK CLASSES every_mpi NEEDS halocline_mpi)
halocline_classify(exports.mpix QUICK CLASSES every_mpi NEEDS halocline_mpix)

# Which symbols a released version has, programs rely on: lists in abi/ (docs/packages.md).
set(listed halocline halocline_armci halocline_gaspi halocline_shmem halocline_mpi halocline_mpix)
if(TARGET halocline_fortran)
  list(APPEND listed halocline_fortran)
endif()
list(TRANSFORM listed REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE listed_files)
if(NOT HALOCLINE_SANITIZE)
  add_test(NAME exports.listed COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/abi.py check ${listed_files})
  halocline_classify(exports.listed QUICK NEEDS ${listed})
endif()

# cmake --build BUILD --target update_abi: when functions or types have changed on purpose.
add_custom_target(update_abi
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/abi.py update ${listed_files}
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/layouts.py update ${MPI_C_INCLUDE_DIRS}
  COMMENT "Writing the lists of abi/ anew")
add_dependencies(update_abi ${listed})

# The constants of the MPI-5 ABI are enumerators, and those of other headers macros. The drop-in and the wheel compile the other layers for it.
if(HALOCLINE_SOURCE_CHECKS AND TARGET halocline_mpi_abi_host)
  foreach(face armci gaspi shmem)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/faces/${face}/*.cpp)
    set(with_mpi "")
    foreach(source IN LISTS sources)
      file(STRINGS ${source} named REGEX "MPI_[A-Z]" LIMIT_COUNT 1)
      if(named)
        list(APPEND with_mpi ${source})
      endif()
    endforeach()
    add_test(NAME mpi_abi_compiles.${face} COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -Werror -DMPI_ABI=1
      -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include -isystem ${HALOCLINE_MPI_ABI_HEADERS} ${with_mpi})
    halocline_classify(mpi_abi_compiles.${face} FULL)
  endforeach()
endif()

# How the sources are written does not depend on the build.
if(HALOCLINE_SOURCE_CHECKS)
  foreach(check format shell python)
    add_test(NAME lint.${check} COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/lint.py ${check})
    set_tests_properties(lint.${check} PROPERTIES SKIP_RETURN_CODE 77)
    halocline_classify(lint.${check} QUICK)
  endforeach()
  add_test(NAME lint.tidy COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/lint.py tidy --build ${PROJECT_BINARY_DIR}
    --stamps ${HALOCLINE_STAMPS})
  set_tests_properties(lint.tidy PROPERTIES SKIP_RETURN_CODE 77 PROCESSORS 2 TIMEOUT 3000)
  # More than two minutes of both cores, from nothing.
  halocline_classify(lint.tidy FULL)
  add_test(NAME totals COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/run_test.py ${CMAKE_CURRENT_SOURCE_DIR}/run
    ${CMAKE_CTEST_COMMAND})
  add_test(NAME stamps COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/unless_same_test.py
    ${CMAKE_CURRENT_SOURCE_DIR}/scripts/unless_same.py)
  add_test(NAME pauses.script COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/pauses_test.py
    ${CMAKE_CURRENT_SOURCE_DIR}/scripts/pauses.py)
  # Programs that are stopped for seconds.
  halocline_classify(pauses.script FULL)
  add_test(NAME lint.imports COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/imports.py)
  halocline_classify(lint.imports QUICK)
  add_test(NAME shmem_interface COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/shmem_interface.py check)
  halocline_classify(shmem_interface QUICK)
  foreach(script layers interfaces)
    add_test(NAME ${script}.script COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/${script}_test.py
      ${CMAKE_CURRENT_SOURCE_DIR}/scripts/${script}.py)
    halocline_classify(${script}.script QUICK)
  endforeach()
  add_test(NAME prose.script COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/prose_test.py ${PROJECT_SOURCE_DIR}/scripts/prose.py)
  halocline_classify(prose.script QUICK)
  halocline_classify(totals QUICK)
  halocline_classify(stamps QUICK)
  foreach(check check schemas)
    add_test(NAME release.${check} COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/release.py ${check})
    set_tests_properties(release.${check} PROPERTIES SKIP_RETURN_CODE 77)
  endforeach()
  halocline_classify(release.check QUICK)
  # It fetches what reads them.
  halocline_classify(release.schemas FULL)
  add_test(NAME exports.layouts COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/layouts.py check ${MPI_C_INCLUDE_DIRS})
  set_tests_properties(exports.layouts PROPERTIES SKIP_RETURN_CODE 77)
  halocline_classify(exports.layouts QUICK)
  add_test(NAME release.script COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/release_test.py)
  halocline_classify(release.script FULL)
  add_test(NAME networks.headers COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/networks_test.py ${PROJECT_SOURCE_DIR}
    ${CMAKE_COMMAND} ${MPI_C_COMPILER} ${MPI_CXX_COMPILER} ${MPIEXEC_EXECUTABLE})
  # Four configurations, each of some seconds.
  halocline_classify(networks.headers FULL)
  add_test(NAME size COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/size_report.py --brief ${PROJECT_BINARY_DIR})
  add_test(NAME size.all COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/size_report.py ${PROJECT_BINARY_DIR})
  set_tests_properties(size size.all PROPERTIES SKIP_RETURN_CODE 77 LABELS report)
  halocline_classify(size)
  halocline_classify(size.all FULL)
endif()

# halocline_header_test(NAME COMPILER STANDARD HEADER): the header alone is a valid, warning-free program.
function(halocline_header_test name compiler language standard header)
  set(system_includes "")
  foreach(folder IN LISTS MPI_C_INCLUDE_DIRS)
    list(APPEND system_includes -isystem ${folder})
  endforeach()
  add_test(NAME ${name} COMMAND ${compiler} -x ${language} -std=${standard} -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only ${system_includes}
    -I${PROJECT_SOURCE_DIR}/include -include ${header} /dev/null)
  halocline_classify(${name} CLASSES every_mpi QUICK)
endfunction()
# Clang checks src/base/mutex.hpp: a member that is used without its lock is an error.
foreach(use IN ITEMS LOCKED UNLOCKED)
  string(TOLOWER locks.${use} name)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    halocline_skipped_test(${name} "only clang checks which lock is held")
    continue()
  endif()
  add_test(NAME ${name} COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -Wthread-safety -Werror -DUSE_${use} -I${PROJECT_SOURCE_DIR}/src
    ${CMAKE_CURRENT_SOURCE_DIR}/threads/lock_use.cpp)
  halocline_classify(${name} CLASSES every_mpi QUICK)
endforeach()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set_tests_properties(locks.unlocked PROPERTIES PASS_REGULAR_EXPRESSION "writing variable 'count_' requires holding mutex 'mutex_'")
endif()
halocline_header_test(header.c11 ${CMAKE_C_COMPILER} c c11 halocline/halocline.h)
halocline_header_test(header.c11_segment ${CMAKE_C_COMPILER} c c11 halocline/segment.h)
halocline_header_test(header.c11_view ${CMAKE_C_COMPILER} c c11 halocline/view.h)
halocline_header_test(header.c11_blocks ${CMAKE_C_COMPILER} c c11 halocline/blocks.h)
halocline_header_test(header.c11_index_halo ${CMAKE_C_COMPILER} c c11 halocline/index_halo.h)
halocline_header_test(header.c11_reduce ${CMAKE_C_COMPILER} c c11 halocline/reduce.h)
halocline_header_test(header.c11_sparse ${CMAKE_C_COMPILER} c c11 halocline/sparse.h)
halocline_header_test(header.c11_model ${CMAKE_C_COMPILER} c c11 halocline/model.h)
halocline_header_test(header.cxx17 ${CMAKE_CXX_COMPILER} c++ c++17 halocline/halocline.h)
halocline_header_test(header.cxx_api ${CMAKE_CXX_COMPILER} c++ c++17 halocline/halocline.hpp)
halocline_header_test(header.c11_gaspi ${CMAKE_C_COMPILER} c c11 PGASPI.h)
halocline_header_test(header.cxx17_gaspi ${CMAKE_CXX_COMPILER} c++ c++17 PGASPI.h)
halocline_header_test(header.c99_shmem ${CMAKE_C_COMPILER} c c99 pshmem.h)
halocline_header_test(header.c11_shmem ${CMAKE_C_COMPILER} c c11 pshmem.h)
halocline_header_test(header.cxx17_shmem ${CMAKE_CXX_COMPILER} c++ c++17 pshmem.h)
halocline_header_test(header.c11_armci ${CMAKE_C_COMPILER} c c11 armcix.h)
halocline_header_test(header.cxx17_armci ${CMAKE_CXX_COMPILER} c++ c++17 armcix.h)
