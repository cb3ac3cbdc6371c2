// The C API: each function checks its handle, calls one object, and returns the status. No logic of its own.
// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <string>
#include <utility>

#include "api/plans.hpp"
#include "api/unreleased_objects.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/communicator/tracing.hpp"
#include "engine/communicator/wait.hpp"
#include "engine/memory/node_memory.hpp"
#include "exchange/list.hpp"
#include "exchange/modes/modes.hpp"
#include "halo/grid.hpp"
#include "halo/halo.hpp"
#include "halo/placement.hpp"
#include "halo/rows.hpp"
#include "index_halo/index_halo.hpp"

using halocline::core::Call;
using halocline::core::CallName;
using halocline::core::fail;
using halocline::core::failed;
using halocline::core::Status;
using halocline::core::api::clear;
using halocline::core::api::continue_swap;
using halocline::core::api::explain;
using halocline::core::api::guarded;
using halocline::core::api::in_swap;
using halocline::core::api::make;
using halocline::core::api::mpi_is_up;
using halocline::core::api::note_end_of_mpi;
using halocline::core::api::null;
using halocline::core::api::out;
using halocline::core::api::PlanHandle;
using halocline::core::api::release;
using halocline::core::api::start_swap;
using halocline::core::api::unreleased_objects;

struct hlc_halo : PlanHandle<halocline::core::Halo> {
  using PlanHandle::PlanHandle;
};
struct hlc_index_halo : PlanHandle<halocline::core::IndexHalo> {
  using PlanHandle::PlanHandle;
};
struct hlc_exchange : PlanHandle<halocline::core::ListExchange> {
  using PlanHandle::PlanHandle;
};

Status halocline::core::api::mpi_is_up(const char *function) {
  int initialised = 0, finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  if (initialised && !finalised) return Status::ok;
  return fail(Status::state, "%s: MPI %s", function, finalised ? "has been finalised" : "is not initialised; call MPI_Init first");
}

void halocline::core::api::note_end_of_mpi(Context &context, const char *function) {
  if (mpi_has_ended()) context.lose_with_mpi(function, context.rank());
}

namespace {

/// The collective part of closing a context. A rank that must not close yet reports it to all, which get HLC_ERR_STATE. If a rank does not
/// enter the call, the others still close, without the collective steps. *stays: the context stays open.
Status end(halocline::core::Context &inner, bool *stays) {
  const Call in_call(inner, CallName::finalise);
  const std::string left = unreleased_objects(inner);
  const bool too_early = !left.empty();
  int worst = 0;
  Status ended = halocline::core::meet_to_release(inner, too_early ? 1 : 0, &worst);
  *stays = ended == Status::mismatch || too_early || (ended == Status::ok && worst != 0);
  if (ended == Status::mismatch) return ended;
  if (too_early)
    return fail(Status::state, "hlc_finalise on rank %d: not released yet: %s; release them first", inner.rank(), left.c_str());
  if (ended == Status::ok && worst)
    return fail(Status::state, "hlc_finalise on rank %d: another rank has not released all its objects; its message names them",
                inner.rank());
  if (!failed(ended)) ended = halocline::core::agree_on_largest(inner, inner.comm(), 0, &worst);
  if (!failed(ended)) ended = halocline::core::close_trace(inner);
  if (!failed(ended) && inner.check_mailbox()) ended = inner.check_mailbox()->close(inner);
  return ended;
}

/// Releases a context that has lost a rank, but leaks the memory that MPI may still write.
void give_up(std::unique_ptr<hlc_context> context) {
  context->inner.give_up();
  halocline::core::leak(std::move(context));
}

}  // namespace

extern "C" {

const char *hlc_status_name(hlc_status status) {
  switch (status) {
    case HLC_OK: return "HLC_OK";
    case HLC_AGAIN: return "HLC_AGAIN";
    case HLC_ERR_ARGUMENT: return "HLC_ERR_ARGUMENT";
    case HLC_ERR_STATE: return "HLC_ERR_STATE";
    case HLC_ERR_MEMORY: return "HLC_ERR_MEMORY";
    case HLC_ERR_MISMATCH: return "HLC_ERR_MISMATCH";
    case HLC_ERR_TIMEOUT: return "HLC_ERR_TIMEOUT";
    case HLC_ERR_PEER_DIED: return "HLC_ERR_PEER_DIED";
    case HLC_ERR_MPI: return "HLC_ERR_MPI";
    case HLC_ERR_UNSUPPORTED: return "HLC_ERR_UNSUPPORTED";
    case HLC_ERR_RULE: return "HLC_ERR_RULE";
  }
  return "not an hlc_status";
}

const char *hlc_error_message(void) { return halocline::core::error_message(); }

const char *hlc_mode_name(hlc_mode mode) {
  const halocline::core::ModeRow *row = halocline::core::find_mode(mode);
  return row ? row->name : "unknown";
}

hlc_status hlc_mode_from_name(const char *name, hlc_mode *mode) {
  return guarded("hlc_mode_from_name", [&] { return halocline::core::mode_from_name(name, mode); });
}

#define HLC_TEXT_(x) #x
#define HLC_TEXT(x) HLC_TEXT_(x)
const char *hlc_version(void) { return HLC_TEXT(HLC_VERSION_MAJOR) "." HLC_TEXT(HLC_VERSION_MINOR) "." HLC_TEXT(HLC_VERSION_PATCH); }

void hlc_set_wait_check(hlc_wait_check check) { halocline::core::set_wait_check(check); }

hlc_status hlc_init(MPI_Comm comm, hlc_context **context) {
  clear(context);
  return guarded("hlc_init", [&]() -> Status {
    HLC_TRY(mpi_is_up("hlc_init"));
    if (comm == MPI_COMM_NULL) return fail(Status::argument, "hlc_init: comm is MPI_COMM_NULL");
    int rank = 0, joins_two_groups = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_test_inter(comm, &joins_two_groups);
    if (joins_two_groups) return fail(Status::argument, "hlc_init on rank %d: comm is an inter-communicator", rank);
    // A rank that cannot open reports it to the others; without memory for a context it uses one on its stack.
    std::unique_ptr<hlc_context> made(new (std::nothrow) hlc_context);
    halocline::core::Context makeshift;
    Status mine = Status::ok;
    if (!context) mine = fail(Status::argument, "hlc_init on rank %d: context is NULL", rank);
    if (!made) mine = fail(Status::memory, "hlc_init: out of memory for a context on rank %d", rank);
    const Status opened = (made ? made->inner : makeshift).open(comm, mine);
    if (failed(opened)) {
      if (made && made->inner.lost()) give_up(std::move(made));
      return opened;
    }
    if (made->inner.member() != 0) made->machine.leave_reports_to_others();
    *context = made.release();
    return Status::ok;
  });
}

hlc_status hlc_init_fortran(int comm, hlc_context **context) {
  clear(context);
  if (const Status status = mpi_is_up("hlc_init"); failed(status)) return out(status);
#ifdef MPI_ABI_VERSION
  return hlc_init(MPI_Comm_fromint(comm), context);
#else
  return hlc_init(MPI_Comm_f2c(static_cast<MPI_Fint>(comm)), context);
#endif
}

hlc_status hlc_finalise(hlc_context **context) {
  return guarded("hlc_finalise", [&]() -> Status {
    if (!context || !*context) return Status::ok;
    halocline::core::Context &inner = (*context)->inner;
    note_end_of_mpi(inner, "hlc_finalise");
    bool stays = false;
    const Status ended = end(inner, &stays);
    if (stays) return ended;
    std::unique_ptr<hlc_context> closed(std::exchange(*context, nullptr));
    if (failed(ended)) give_up(std::move(closed));
    return ended;
  });
}

hlc_status hlc_context_info(const hlc_context *context, hlc_context_info_t *info) {
  if (!context || !info) return out(null("hlc_context_info", context ? "info" : "context"));
  const halocline::core::Context &inner = context->inner;
  *info = {inner.rank(), inner.size(), inner.node(), inner.nodes(), inner.member(), inner.members(), inner.cores()};
  return HLC_OK;
}

const char *hlc_context_network(const hlc_context *context) { return context ? context->inner.network().description() : nullptr; }

hlc_status hlc_field_alloc(hlc_context *context, size_t bytes, void **data) {
  clear(data);
  return guarded("hlc_field_alloc", [&]() -> Status {
    if (!context) return null("hlc_field_alloc", "context");
    HLC_TRY(mpi_is_up("hlc_field_alloc"));
    return context->inner.fields().allocate(bytes, data);
  });
}

hlc_status hlc_field_alloc_untouched(hlc_context *context, size_t bytes, void **data) {
  clear(data);
  return guarded("hlc_field_alloc_untouched", [&]() -> Status {
    if (!context) return null("hlc_field_alloc_untouched", "context");
    HLC_TRY(mpi_is_up("hlc_field_alloc_untouched"));
    return context->inner.fields().allocate(bytes, data, halocline::core::Pages::untouched);
  });
}

hlc_status hlc_field_free(hlc_context *context, void **data) {
  return guarded("hlc_field_free", [&]() -> Status {
    if (!data || !*data) return Status::ok;
    if (!context) return null("hlc_field_free", "context");
    HLC_TRY(context->inner.fields().release(*data));
    *data = nullptr;
    return Status::ok;
  });
}

hlc_status hlc_grid_create(const hlc_context *context, int ndims, const int64_t *global, const int *dims, const int *periodic,
                           hlc_grid *grid) {
  if (!context) return out(null("hlc_grid_create", "context"));
  return out(halocline::core::create_grid(context->inner, ndims, global, dims, periodic, grid));
}

hlc_status hlc_grid_reorder(hlc_context *context, const hlc_swap_shape *shape, hlc_grid *grid, hlc_placement *placement) {
  return guarded("hlc_grid_reorder", [&]() -> Status {
    if (!context) return null("hlc_grid_reorder", "context");
    HLC_TRY(mpi_is_up("hlc_grid_reorder"));
    return halocline::core::reorder_grid(context->inner, shape, grid, placement);
  });
}

int hlc_grid_rank(const hlc_grid *grid, const int *coords) {
  return grid && coords ? halocline::core::grid_rank(*grid, coords) : HLC_NO_NEIGHBOUR;
}

hlc_status hlc_halo_init(hlc_context *context, const hlc_halo_spec *spec, hlc_halo **halo) {
  return make(CallName::halo_init, context, spec, halo);
}

hlc_status hlc_fills_moving(int ndims, const int *velocity, unsigned char *fills) {
  return out(halocline::core::list_fills(ndims, velocity, fills));
}

hlc_status hlc_refuse(hlc_context *context, const char *message) {
  return guarded("hlc_refuse", [&]() -> Status {
    if (!context) return null("hlc_refuse", "context");
    HLC_TRY(mpi_is_up("hlc_refuse"));
    halocline::core::Context &inner = context->inner;
    const Call in_call(inner, CallName::refuse);
    return halocline::core::meet(inner, fail(Status::argument, "%s", message ? message : "invalid argument"));
  });
}

hlc_status hlc_halo_start(hlc_halo *halo, const hlc_swap *what) {
  return start_swap("hlc_halo_start", halo, "halo", [&](auto &inner) { return inner.start(what); });
}

hlc_status hlc_halo_start_with(hlc_halo *halo, const hlc_swap *what, void *const *data) {
  return in_swap("hlc_halo_start_with", halo, "halo", [&](auto &inner) { return inner.start_with(what, data); });
}

hlc_status hlc_halo_test(hlc_halo *halo) {
  return continue_swap("hlc_halo_test", halo, "halo", [](auto &inner) { return inner.test(); });
}
hlc_status hlc_halo_finish(hlc_halo *halo) {
  return continue_swap("hlc_halo_finish", halo, "halo", [](auto &inner) { return inner.finish(); });
}
hlc_status hlc_halo_finish_views(hlc_halo *halo) {
  return continue_swap("hlc_halo_finish_views", halo, "halo", [](auto &inner) { return inner.finish_views(); });
}
hlc_status hlc_halo_release(hlc_halo *halo) {
  return in_swap("hlc_halo_release", halo, "halo", [](auto &inner) { return inner.release(); });
}
hlc_status hlc_halo_views(const hlc_halo *halo, int field, hlc_view *views) {
  return out(halo ? halo->inner.list_views(field, views) : null("hlc_halo_views", "halo"));
}
hlc_status hlc_for_rows(const hlc_rows_spec *spec, hlc_row_fn body, void *user) { return out(halocline::core::for_rows(spec, body, user)); }
hlc_status hlc_halo_finalise(hlc_halo **halo) { return release(CallName::halo_finalise, halo); }

hlc_status hlc_halo_info(const hlc_halo *halo, hlc_plan_info *info) {
  if (!halo || !info) return out(null("hlc_halo_info", halo ? "info" : "halo"));
  *info = halo->inner.describe();
  return HLC_OK;
}

hlc_status hlc_halo_explain(const hlc_halo *halo, hlc_format format, char *buffer, size_t size, size_t *length) {
  return explain("hlc_halo_explain", halo, "halo", {format, buffer, size, length});
}

hlc_status hlc_exchange_create(hlc_context *context, const hlc_exchange_spec *spec, hlc_exchange **exchange) {
  return make(CallName::exchange_create, context, spec, exchange);
}

hlc_status hlc_exchange_start(hlc_exchange *exchange) {
  return start_swap("hlc_exchange_start", exchange, "exchange", [](auto &inner) { return inner.start(); });
}
hlc_status hlc_exchange_test(hlc_exchange *exchange) {
  return continue_swap("hlc_exchange_test", exchange, "exchange", [](auto &inner) { return inner.test(); });
}
hlc_status hlc_exchange_finish(hlc_exchange *exchange) {
  return continue_swap("hlc_exchange_finish", exchange, "exchange", [](auto &inner) { return inner.finish(); });
}
hlc_status hlc_exchange_destroy(hlc_exchange **exchange) { return release(CallName::exchange_destroy, exchange); }

hlc_status hlc_exchange_info(const hlc_exchange *exchange, hlc_plan_info *info) {
  if (!exchange || !info) return out(null("hlc_exchange_info", exchange ? "info" : "exchange"));
  *info = exchange->inner.describe();
  return HLC_OK;
}

hlc_status hlc_exchange_explain(const hlc_exchange *exchange, hlc_format format, char *buffer, size_t size, size_t *length) {
  return explain("hlc_exchange_explain", exchange, "exchange", {format, buffer, size, length});
}

hlc_status hlc_index_halo_init(hlc_context *context, const hlc_index_halo_spec *spec, hlc_index_halo **halo) {
  return make(CallName::index_halo_init, context, spec, halo);
}

hlc_status hlc_index_halo_start(hlc_index_halo *halo, const hlc_index_swap *what) {
  return start_swap("hlc_index_halo_start", halo, "halo", [&](auto &inner) { return inner.start(what); });
}
hlc_status hlc_index_halo_test(hlc_index_halo *halo) {
  return continue_swap("hlc_index_halo_test", halo, "halo", [](auto &inner) { return inner.test(); });
}
hlc_status hlc_index_halo_finish(hlc_index_halo *halo) {
  return continue_swap("hlc_index_halo_finish", halo, "halo", [](auto &inner) { return inner.finish(); });
}
hlc_status hlc_index_halo_finish_views(hlc_index_halo *halo) {
  return continue_swap("hlc_index_halo_finish_views", halo, "halo", [](auto &inner) { return inner.finish_views(); });
}
hlc_status hlc_index_halo_release(hlc_index_halo *halo) {
  return in_swap("hlc_index_halo_release", halo, "halo", [](auto &inner) { return inner.release(); });
}

hlc_status hlc_index_halo_view(hlc_index_halo *halo, int field, int neighbour, hlc_index_view *view) {
  return guarded("hlc_index_halo_view",
                 [&] { return halo ? halo->inner.show_view(field, neighbour, view) : null("hlc_index_halo_view", "halo"); });
}

hlc_status hlc_index_halo_finalise(hlc_index_halo **halo) { return release(CallName::index_halo_finalise, halo); }

hlc_status hlc_index_halo_explain(const hlc_index_halo *halo, hlc_format format, char *buffer, size_t size, size_t *length) {
  return explain("hlc_index_halo_explain", halo, "halo", {format, buffer, size, length});
}

hlc_status hlc_index_halo_info(const hlc_index_halo *halo, hlc_plan_info *info) {
  if (!halo || !info) return out(null("hlc_index_halo_info", halo ? "info" : "halo"));
  *info = halo->inner.describe();
  return HLC_OK;
}

}  // extern "C"
