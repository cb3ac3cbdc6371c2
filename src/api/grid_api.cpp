// The C API of grids and rows: which rank has which block, and which cells of it a solver visits.
// SPDX-License-Identifier: BSD-3-Clause
#include "api/handles.hpp"
#include "halo/geometry.hpp"
#include "halo/grid.hpp"
#include "halo/placement.hpp"
#include "halo/rows.hpp"

namespace api = halocline::core::api;
using halocline::core::Status;

extern "C" {

hlc_status hlc_grid_create(const hlc_context *context, int ndims, const int64_t *global, const int *dims, const int *periodic,
                           hlc_grid *grid) {
  if (!context) return api::out(api::null("hlc_grid_create", "context"));
  return api::out(halocline::core::create_grid(context->inner, "hlc_grid_create", {ndims, global, dims, periodic}, grid));
}

// NOLINTNEXTLINE(readability-function-size): as hlc_grid_create, and the order
hlc_status hlc_grid_create_ordered(const hlc_context *context, hlc_layout order, int ndims, const int64_t *global, const int *dims,
                                   const int *periodic, hlc_grid *grid) {
  if (!context) return api::out(api::null("hlc_grid_create_ordered", "context"));
  return api::out(halocline::core::create_grid(context->inner, "hlc_grid_create_ordered", {ndims, global, dims, periodic, order}, grid));
}

hlc_status hlc_grid_reorder(hlc_context *context, const hlc_swap_shape *shape, hlc_grid *grid, hlc_placement *placement) {
  return api::guarded("hlc_grid_reorder", [&]() -> Status {
    if (!context) return api::null("hlc_grid_reorder", "context");
    HLC_TRY(api::mpi_is_up("hlc_grid_reorder"));
    return halocline::core::reorder_grid(context->inner, shape, grid, placement);
  });
}

int hlc_grid_rank(const hlc_grid *grid, const int *coords) {
  return grid && coords ? halocline::core::grid_rank(*grid, coords) : HLC_NO_NEIGHBOUR;
}

hlc_status hlc_fills_moving(int ndims, const int *velocity, unsigned char *fills) {
  return api::out(halocline::core::list_fills(ndims, velocity, fills));
}

hlc_status hlc_for_rows(const hlc_rows_spec *spec, hlc_row_fn body, void *user) {
  return api::out(halocline::core::for_rows(spec, body, user));
}

}  // extern "C"
