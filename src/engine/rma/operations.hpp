// The one-sided operations on segments, specified in halocline/segment.h. Each checks its arguments, finds its target with Segment::route,
// and operates there. Any thread may call them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/rma/segment.hpp"

namespace halocline::core {

Status put(Segment &segment, Target to, const void *data, std::int64_t bytes);
Status get(Segment &segment, Target from, void *data, std::int64_t bytes);
Status put_strided(Segment &segment, Target to, const void *data, const hlc_block *block);
Status get_strided(Segment &segment, Target from, void *data, const hlc_block *block);

Status put_notify(Segment &segment, Target to, const void *data, std::int64_t bytes, hlc_notification notification);
Status notify(Segment &segment, int rank, hlc_notification notification);
Status notify_wait(Segment &segment, hlc_ids ids, int *id);
Status notify_test(Segment &segment, hlc_ids ids, int *id);
Status notify_reset(Segment &segment, int id, std::uint32_t *value);

/// An atomic on one word of 32 or 64 bits; `call` is its name in messages.
Status fetch_word(Segment &segment, const char *call, Target at, hlc_action action, std::int64_t value, std::int64_t *old);
Status compare_swap(Segment &segment, Target at, hlc_number type, std::int64_t expected, std::int64_t value, std::int64_t *old);
Status fetch_op(Segment &segment, Target at, hlc_action action, const void *operand, void *old);
Status accumulate(Segment &segment, Target at, hlc_action action, const void *data, std::int64_t count);

Status flush(Segment &segment, int rank);
Status flush_all(Segment &segment);
Status flush_local(Segment &segment, int rank);
Status flush_local_all(Segment &segment);

}  // namespace halocline::core
