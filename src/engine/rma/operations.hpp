// The one-sided operations on segments. Each checks its arguments, asks the segment for its route, and does its work there; halocline/
// segment.h says what they promise. Any thread may call all of them but barrier.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/rma/public_segment.hpp"

namespace halocline {

Status put(PublicSegment &segment, Target to, const void *data, std::int64_t bytes);
Status get(PublicSegment &segment, Target from, void *data, std::int64_t bytes);
Status put_strided(PublicSegment &segment, Target to, const void *data, const hlc_block *block);
Status get_strided(PublicSegment &segment, Target from, void *data, const hlc_block *block);

Status put_notify(PublicSegment &segment, Target to, const void *data, std::int64_t bytes, hlc_notification notification);
Status notify(PublicSegment &segment, int rank, hlc_notification notification);
Status notify_wait(PublicSegment &segment, hlc_ids ids, int *id);
Status notify_test(PublicSegment &segment, hlc_ids ids, int *id);
Status notify_reset(PublicSegment &segment, int id, std::uint32_t *value);

/// What an atomic on one word of 32 or 64 bits does; `call` is its name in messages.
Status fetch_word(PublicSegment &segment, const char *call, Target at, hlc_action action, std::int64_t value, std::int64_t *old);
Status compare_swap(PublicSegment &segment, Target at, hlc_number type, std::int64_t expected, std::int64_t value, std::int64_t *old);
Status fetch_op(PublicSegment &segment, Target at, hlc_action action, const void *operand, void *old);
Status accumulate(PublicSegment &segment, Target at, hlc_action action, const void *data, std::int64_t count);

Status flush(PublicSegment &segment, int rank);
Status flush_all(PublicSegment &segment);
Status flush_local(PublicSegment &segment, int rank);
Status flush_local_all(PublicSegment &segment);

Status barrier(PublicSegment &segment);

}  // namespace halocline
