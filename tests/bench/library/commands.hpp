// The commands of halocline_library_bench: those of halocline_library_bench, and auto, mesh, allreduce, rma, windows.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/bench.hpp"
#include "library/mesh.hpp"

namespace bench {

Commands library_commands(const AddContenders &halo_guests = {}, const MeshGuests &mesh_guests = {});

}  // namespace bench
