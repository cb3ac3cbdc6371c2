// The C API of contexts: how the library is opened for a communicator, and closed.
// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <string>
#include <utility>

#include "api/handles.hpp"
#include "api/unreleased_objects.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/communicator/tracing.hpp"

namespace api = halocline::core::api;
using halocline::core::Call;
using halocline::core::CallName;
using halocline::core::fail;
using halocline::core::failed;
using halocline::core::Status;

Status halocline::core::api::mpi_is_up(const char *function) {
  int initialised = 0, finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  if (initialised && !finalised) return Status::ok;
  return fail(Status::state, "%s: MPI %s", function, finalised ? "has been finalised" : "is not initialised; call MPI_Init first");
}

Status halocline::core::api::null_on(const Topology &context, const char *function, const char *argument) {
  return fail(Status::argument, "%s on rank %d: %s is NULL", function, context.rank(), argument);
}

void halocline::core::api::note_end_of_mpi(Context &context, const char *function) {
  if (mpi_has_ended()) context.lose_with_mpi(function, context.rank());
}

namespace {

/// The collective part of closing a context. A rank that must not close yet reports it to all, which get HLC_ERR_STATE. If a rank does not
/// enter the call, the others still close, without the collective steps. *stays: the context stays open.
Status end(halocline::core::Context &inner, bool *stays) {
  const Call in_call(inner, CallName::finalise);
  const std::string left = api::unreleased_objects(inner);
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

hlc_status hlc_init(MPI_Comm comm, hlc_context **context) {
  api::clear(context);
  return api::guarded("hlc_init", [&]() -> Status {
    HLC_TRY(api::mpi_is_up("hlc_init"));
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
  api::clear(context);
  if (const Status status = api::mpi_is_up("hlc_init"); failed(status)) return api::out(status);
#ifdef MPI_ABI_VERSION
  return hlc_init(MPI_Comm_fromint(comm), context);
#else
  return hlc_init(MPI_Comm_f2c(static_cast<MPI_Fint>(comm)), context);
#endif
}

hlc_status hlc_finalise(hlc_context **context) {
  return api::guarded("hlc_finalise", [&]() -> Status {
    if (!context || !*context) return Status::ok;
    halocline::core::Context &inner = (*context)->inner;
    api::note_end_of_mpi(inner, "hlc_finalise");
    bool stays = false;
    const Status ended = end(inner, &stays);
    if (stays) return ended;
    std::unique_ptr<hlc_context> closed(std::exchange(*context, nullptr));
    if (failed(ended)) give_up(std::move(closed));
    return ended;
  });
}

hlc_status hlc_context_info(const hlc_context *context, hlc_context_info_t *info) {
  if (!context || !info) return api::out(api::null("hlc_context_info", context ? "info" : "context"));
  const halocline::core::Context &inner = context->inner;
  *info = {inner.rank(), inner.size(), inner.node(), inner.nodes(), inner.member(), inner.members(), inner.cores()};
  return HLC_OK;
}

const char *hlc_context_network(const hlc_context *context) { return context ? context->inner.network().description() : nullptr; }

hlc_status hlc_refuse(hlc_context *context, const char *message) {
  return api::guarded("hlc_refuse", [&]() -> Status {
    if (!context) return api::null("hlc_refuse", "context");
    HLC_TRY(api::mpi_is_up("hlc_refuse"));
    halocline::core::Context &inner = context->inner;
    const Call in_call(inner, CallName::refuse);
    return halocline::core::meet(inner, fail(Status::argument, "%s", message ? message : "invalid argument"));
  });
}

}  // extern "C"
