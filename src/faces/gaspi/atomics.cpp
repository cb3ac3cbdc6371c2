// GASPI 17.1, section 10: atomics.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/posting.hpp"
#include "faces/gaspi/profiling.hpp"

using namespace halocline::core::gaspi;
using halocline::core::RemoteMemory;
using halocline::core::Status;
using halocline::core::Target;

namespace {

constexpr gaspi_offset_t kWord = sizeof(gaspi_atomic_value_t);
constexpr hlc_action kAdd{HLC_OP_SUM, HLC_NUMBER_UINT64};

/// An atomic's target and operation, and its timeout.
struct Atomic {
  const char *call;
  Asked asked;
  gaspi_timeout_t timeout_ms;
};

/// Fails for a rank of the node that has ended. Its memory could still be changed, but atomics have no queue that would report the loss.
Status look(Job &job, RemoteMemory &part, const Atomic &atomic, gaspi_atomic_value_t *old) {
  const Asked &asked = atomic.asked;
  if (is_lost(job, part)) return job.watch.report(atomic.call, asked.rank);
  return job.pending_queries.look(part, asked, [&](halocline::core::Query &query) {
    const Target target{part, asked.offset};
    if (asked.what == Asked::What::fetch_add) return fetch_op(atomic.call, target, kAdd, {&asked.first, old}, query);
    return compare_swap(atomic.call, target, kAdd.type, {&asked.first, &asked.second, old}, query);
  });
}

gaspi_return_t carry_out(const Atomic &atomic, gaspi_offset_t offset, gaspi_atomic_value_t *old) {
  return enter([&](Job &job) {
    if (!old) return GASPI_ERR_NULLPTR;
    const auto rank = static_cast<gaspi_rank_t>(atomic.asked.rank);
    const auto segment = static_cast<gaspi_segment_id_t>(atomic.asked.segment);
    if (const gaspi_return_t wrong = check_rank(job, rank, segment); wrong != GASPI_SUCCESS) return wrong;
    if (offset % kWord != 0) return GASPI_ERR_UNALIGN_OFF;
    const auto attempt = [&](RemoteMemory &part) {
      return lies_within(offset, kWord, part.bytes()) ? answer(look(job, part, atomic, old)) : GASPI_ERR_INV_REM_OFF;
    };
    return until(
        job, atomic.call, atomic.timeout_ms, [&] { return job.parts.with(rank, segment, attempt); }, halocline::core::WakeUp::by_polling);
  });
}

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-function-size): the signatures are the specification's

gaspi_return_t pgaspi_atomic_fetch_add(gaspi_segment_id_t segment_id, gaspi_offset_t offset, gaspi_rank_t rank,
                                       gaspi_atomic_value_t value_add, gaspi_atomic_value_t *value_old, gaspi_timeout_t timeout_ms) {
  const Asked asked{Asked::What::fetch_add, rank, segment_id, signed_of(offset), value_add};
  return carry_out({"gaspi_atomic_fetch_add", asked, timeout_ms}, offset, value_old);
}

gaspi_return_t pgaspi_atomic_compare_swap(gaspi_segment_id_t segment_id, gaspi_offset_t offset, gaspi_rank_t rank,
                                          gaspi_atomic_value_t comparator, gaspi_atomic_value_t value_new, gaspi_atomic_value_t *value_old,
                                          gaspi_timeout_t timeout_ms) {
  const Asked asked{Asked::What::compare_swap, rank, segment_id, signed_of(offset), comparator, value_new};
  return carry_out({"gaspi_atomic_compare_swap", asked, timeout_ms}, offset, value_old);
}

// NOLINTEND(readability-function-size)
HLC_WEAK_ALIAS(atomic_fetch_add);
HLC_WEAK_ALIAS(atomic_compare_swap);

}  // extern "C"
