// The C API of sparse exchanges: each function checks its handle and calls one object.
// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>

#include "api/handles.hpp"
#include "device/driver.hpp"
#include "device/pointers.hpp"
#include "engine/communicator/collective.hpp"
#include "sparse/sparse_exchange.hpp"

namespace api = halocline::core::api;
using halocline::core::Call;
using halocline::core::CallName;
using halocline::core::fail;
using halocline::core::Status;
namespace device = halocline::core::device;

struct hlc_sparse {
  explicit hlc_sparse(hlc_context *its_context) : context(its_context), inner(its_context->inner.network()) {}
  hlc_context *context;
  halocline::core::SparseExchange inner;
};

namespace {

/// What is refused has not been started, and may be tried again.
Status start(const char *call, const hlc_sparse &sparse, halocline::core::SparseExchange &inner, int count,
             const hlc_sparse_message *messages) {
  const halocline::core::Caller caller{call, sparse.context->inner.rank()};
  if (device::driver() && messages)
    for (int i = 0; i < count; ++i)
      if (halocline::core::failed(device::check_argument(caller, "data", messages[i].data)))
        return device::check_argument(caller, ("messages[" + std::to_string(i) + "].data").c_str(), messages[i].data);
  return inner.start(count, messages);
}

}  // namespace

extern "C" {

hlc_status hlc_sparse_create(hlc_context *context, const hlc_sparse_spec *spec, hlc_sparse **sparse) {
  const char *call = name_of(CallName::sparse_create);
  api::clear(sparse);
  return api::guarded(call, [&]() -> Status {
    if (!context) return api::null(call, "context");
    HLC_TRY(api::mpi_is_up(call));
    halocline::core::Context &inner = context->inner;
    std::unique_ptr<hlc_sparse> made;
    device::look_for_driver();
    const Call in_call(inner, CallName::sparse_create, inner.next_plan());
    std::string name;
    const Status mine = halocline::core::alone(inner, [&] {
      if (!sparse) return api::null_on(inner, call, "the result pointer");
      made = std::make_unique<hlc_sparse>(context);
      return made->inner.take(spec, &name);
    });
    HLC_TRY(halocline::core::meet(inner, mine, name));
    inner.count_plan();
    HLC_TRY(made->inner.create());
    inner.live.add(halocline::core::Live::sparse);
    *sparse = made.release();
    return Status::ok;
  });
}

hlc_status hlc_sparse_start(hlc_sparse *sparse, int count, const hlc_sparse_message *messages) {
  constexpr const char *call = "hlc_sparse_start";
  return api::guarded(call, [&] {
    return static_cast<Status>(
        api::in_swap(call, sparse, "sparse", [&](auto &inner) { return start(call, *sparse, inner, count, messages); }));
  });
}

hlc_status hlc_sparse_test(hlc_sparse *sparse) {
  constexpr const char *call = "hlc_sparse_test";
  return api::guarded(
      call, [&] { return static_cast<Status>(api::in_swap(call, sparse, "sparse", [&](auto &inner) { return inner.test(call); })); });
}

hlc_status hlc_sparse_finish(hlc_sparse *sparse) {
  const char *call = name_of(CallName::sparse_finish);
  return api::guarded(
      call, [&] { return static_cast<Status>(api::in_swap(call, sparse, "sparse", [&](auto &inner) { return inner.finish(); })); });
}

hlc_status hlc_sparse_exchange(hlc_sparse *sparse, int count, const hlc_sparse_message *messages) {
  constexpr const char *call = "hlc_sparse_exchange";
  return api::guarded(call, [&] {
    return static_cast<Status>(api::in_swap(call, sparse, "sparse", [&](auto &inner) {
      HLC_TRY(start(call, *sparse, inner, count, messages));
      return inner.finish();
    }));
  });
}

hlc_status hlc_sparse_destroy(hlc_sparse **sparse) {
  const char *call = name_of(CallName::sparse_destroy);
  return api::guarded(call, [&]() -> Status {
    if (!sparse || !*sparse) return Status::ok;
    hlc_context &context = *(*sparse)->context;
    halocline::core::SparseExchange &inner = (*sparse)->inner;
    if (inner.outstanding() && !inner.broken())
      return fail(Status::state, "%s on rank %d: an exchange is outstanding", call, context.inner.rank());
    api::note_end_of_mpi(context.inner, call);
    const Call in_call(context.inner, CallName::sparse_destroy, inner.serial());
    int broken = 0;
    const Status met = halocline::core::meet_to_release(context.inner, inner.broken() ? 1 : 0, &broken);
    if (met == Status::mismatch) return met;
    const std::unique_ptr<hlc_sparse> released(std::exchange(*sparse, nullptr));
    const Status ended = released->inner.end(broken != 0 || halocline::core::failed(met));
    context.inner.live.remove(halocline::core::Live::sparse);
    return ended;
  });
}

}  // extern "C"
