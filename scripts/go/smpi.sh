# SimGrid with SMPI, and the library's modes under it. Sourced by ./go.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
simgrid_version=4.1
simgrid=$root/build/simgrid

need_simgrid() {
  [ ! -x "$simgrid/install/bin/smpirun" ] || return 0
  is_there header boost/intrusive/list.hpp || want_packages libboost-dev
  is_there header boost/intrusive/list.hpp || fail "SimGrid needs the headers of Boost (Debian package libboost-dev)"
  say "SimGrid $simgrid_version is built once, which takes 5 to 40 minutes."
  step 'Building SimGrid' build_simgrid
}

# SMPI and nothing else, from the source archive on PyPI. In a shell of its own, which changes the folder.
build_simgrid() (
  mkdir -p "$simgrid/build" && cd "$simgrid" || return 1
  "$venv/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary simgrid \
    "simgrid==$simgrid_version" || return 1
  tar xf "simgrid-$simgrid_version.tar.gz" || return 1
  write_unity_rules
  options=
  for off in model-checking documentation lto fortran python java ns3 compile_optimizations debug sthread; do
    options="$options -Denable_$off=off"
  done
  # shellcheck disable=SC2086  # a list of options
  "$(tool cmake)" -G Ninja -S "simgrid-$simgrid_version" -B build "-DCMAKE_MAKE_PROGRAM=$(tool ninja)" \
    "-DCMAKE_INSTALL_PREFIX=$simgrid/install" -DCMAKE_BUILD_TYPE=Release $options \
    -Dminimal-bindings=on -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=40 "-DCMAKE_PROJECT_INCLUDE=$simgrid/unity.cmake" || return 1
  "$(tool cmake)" --build build --target install
)

# Most of its files define a log category of their own, and cannot be compiled together. Those of collectives can.
write_unity_rules() {
  cat >"$simgrid/unity.cmake" <<'RULES'
file(GLOB_RECURSE alone "${CMAKE_CURRENT_SOURCE_DIR}/src/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/src/*.c")
list(FILTER alone EXCLUDE REGEX
  "/src/smpi/colls/(allgather|allgatherv|allreduce|alltoall|alltoallv|barrier|gather|reduce|reduce_scatter|scatter)/")
set_source_files_properties(${alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
RULES
}

build_smpi_program() {
  "$(tool cmake)" -G Ninja -S tests/smpi -B build/smpi "-DCMAKE_MAKE_PROGRAM=$(tool ninja)" "-DSIMGRID_PREFIX=$simgrid/install" \
    -DCMAKE_BUILD_TYPE=Release && "$(tool cmake)" --build build/smpi
}
