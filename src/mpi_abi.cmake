# The drop-in for programs of the MPI-5 ABI: the engine and the MPI face, compiled a second time from the same sources with that ABI's header, as
# one library (docs/design/036-mpi-abi.md). The layers are checked where they are compiled for libhalocline_core.
option(HALOCLINE_MPI_ABI "Build the drop-in for the MPI-5 ABI, too, if the MPI offers that" ON)
if(NOT HALOCLINE_MPI_ABI OR HALOCLINE_SANITIZE OR NOT TARGET halocline_mpi_abi_host)
  return()
endif()

halocline_precompiled_headers(halocline_abi_headers OPTIONS ${HALOCLINE_CORE_OPTIONS}
  LIBRARIES halocline_flags halocline_mpi_abi_host Threads::Threads HEADERS ${HALOCLINE_LAYER_HEADERS})
add_library(halocline_mpi_abi SHARED)
foreach(layer IN LISTS HALOCLINE_CORE_LAYERS HALOCLINE_MPI_LAYERS)
  get_target_property(sources halocline_${layer} SOURCES)
  add_library(halocline_abi_${layer} OBJECT ${sources})
  target_include_directories(halocline_abi_${layer} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(halocline_abi_${layer} PRIVATE ${HALOCLINE_CORE_OPTIONS})
  target_link_libraries(halocline_abi_${layer} PRIVATE halocline_flags halocline_mpi_abi_host Threads::Threads)
  set_target_properties(halocline_abi_${layer} PROPERTIES HALOCLINE_LAYER ON)
  halocline_precompile(halocline_abi_${layer} halocline_abi_headers)
  target_sources(halocline_mpi_abi PRIVATE $<TARGET_OBJECTS:halocline_abi_${layer}>)
endforeach()
foreach(headers IN ITEMS ${LIBFABRIC_INCLUDE_DIR} ${UCX_INCLUDE_DIR})
  if(headers)
    target_include_directories(halocline_abi_transport SYSTEM PRIVATE ${headers})
  endif()
endforeach()
target_link_libraries(halocline_mpi_abi PRIVATE halocline_mpi_abi_host Threads::Threads ${CMAKE_DL_LIBS} rt)
target_link_options(halocline_mpi_abi PRIVATE LINKER:-z,nodelete
  LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/halocline_mpi.map)
set_target_properties(halocline_mpi_abi PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${HALOCLINE_SOVERSION} LINKER_LANGUAGE CXX
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/halocline_mpi.map)

# As libhalocline_mpix, for programs of that ABI.
add_library(halocline_mpix_abi SHARED faces/mpix/stand_in.cpp)
set_target_properties(halocline_mpix_abi PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${HALOCLINE_SOVERSION} LINKER_LANGUAGE C
  CXX_VISIBILITY_PRESET default)
target_include_directories(halocline_mpix_abi PUBLIC ${PROJECT_SOURCE_DIR}/include)
target_link_options(halocline_mpix_abi PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/halocline_mpix.map)
target_link_libraries(halocline_mpix_abi PUBLIC halocline_mpi_abi_host PRIVATE halocline_flags ${CMAKE_DL_LIBS})
