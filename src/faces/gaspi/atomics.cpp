// GASPI 17.1, section 10: atomics.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/posting.hpp"
#include "faces/gaspi/profiling.hpp"

using namespace halocline::gaspi;
using halocline::PeerPart;

namespace {

constexpr gaspi_offset_t kWord = sizeof(gaspi_atomic_value_t);

/// Checks where an atomic goes, and calls work(part).
template <class Work>
gaspi_return_t at(gaspi_rank_t rank, gaspi_segment_id_t segment, gaspi_offset_t offset, const gaspi_atomic_value_t *old, Work work) {
  return enter([&](Job &job) {
    if (!old) return GASPI_ERR_NULLPTR;
    if (const gaspi_return_t wrong = check_rank(job, rank, segment); wrong != GASPI_SUCCESS) return wrong;
    if (offset % kWord != 0) return GASPI_ERR_UNALIGN_OFF;
    return job.parts.with(rank, segment, [&](PeerPart &part) {
      if (!lies_within(offset, kWord, part.bytes())) return GASPI_ERR_INV_REM_OFF;
      return answer(work(part, static_cast<std::int64_t>(offset)));
    });
  });
}

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-function-size): the signatures are the specification's

gaspi_return_t pgaspi_atomic_fetch_add(gaspi_segment_id_t segment_id, gaspi_offset_t offset, gaspi_rank_t rank,
                                       gaspi_atomic_value_t value_add, gaspi_atomic_value_t *value_old, gaspi_timeout_t) {
  return at(rank, segment_id, offset, value_old,
            [&](PeerPart &part, std::int64_t place) { return part.fetch_add("gaspi_atomic_fetch_add", place, value_add, value_old); });
}

gaspi_return_t pgaspi_atomic_compare_swap(gaspi_segment_id_t segment_id, gaspi_offset_t offset, gaspi_rank_t rank,
                                          gaspi_atomic_value_t comparator, gaspi_atomic_value_t value_new, gaspi_atomic_value_t *value_old,
                                          gaspi_timeout_t) {
  return at(rank, segment_id, offset, value_old, [&](PeerPart &part, std::int64_t place) {
    return part.compare_swap("gaspi_atomic_compare_swap", place, comparator, value_new, value_old);
  });
}

// NOLINTEND(readability-function-size)
HLC_WEAK_ALIAS(atomic_fetch_add);
HLC_WEAK_ALIAS(atomic_compare_swap);

}  // extern "C"
