// Making and ending a segment, and its error messages.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/segment.hpp"

#include <bit>

#include "base/types.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/communicator/wait.hpp"
#include "engine/memory/node_memory.hpp"

namespace halocline::core {
namespace {

/// Number of rounds of a dissemination barrier.
int rounds(int ranks) { return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1))); }

/// Bytes of a part before its data, with so many notifications; `barrier_words`: one per round.
std::int64_t bytes_before_data(int notifications, int barrier_words) {
  return SharedMemory::rounded(static_cast<std::int64_t>(sizeof(PartHeader)) + NotificationWords::bytes_of(notifications, barrier_words) +
                               kDummyTarget);
}

/// The file stays open where a helper process serves the memory to other nodes.
ObjectFile file_of(const Communicator &communicator) {
  return communicator.nodes() > 1 && communicator.progress() == Progress::helper ? ObjectFile::kept : ObjectFile::closed;
}

/// All ranks must have the same value of the spec's member `what`.
Status same_on_all_ranks(Communicator &communicator, const char *what, std::int64_t mine) {
  std::int64_t ends[2] = {mine, -mine};  // the least, the most
  HLC_TRY(reduce(communicator, communicator.comm(), MPI_MIN, ends, 2));
  const std::int64_t least = ends[0], most = -ends[1];
  if (least == most) return Status::ok;
  std::int64_t first[2] = {mine == least ? communicator.rank() : communicator.size(),
                           mine == most ? communicator.rank() : communicator.size()};
  HLC_TRY(reduce(communicator, communicator.comm(), MPI_MIN, first, 2));
  return fail(Status::mismatch, "hlc_segment_create: ranks disagree on %s: rank %d has %lld, rank %d has %lld", what,
              static_cast<int>(first[0]), static_cast<long long>(least), static_cast<int>(first[1]), static_cast<long long>(most));
}

}  // namespace

void NodeParts::list(const Communicator &communicator) {
  members_ = communicator.members();
  parts_.resize(static_cast<std::size_t>(members_));
  for (Member member = 0; member < members_; ++member) of(member).rank = communicator.rank_of(member);
}

Status Segment::create(const hlc_segment_spec *spec) {
  plan_ = communicator_.next_plan() - 1;
  notifications_ = spec->notifications;
  shared_ = spec->shared != 0;
  HLC_TRY(same_on_all_ranks(communicator_, "notifications", notifications_));
  HLC_TRY(same_on_all_ranks(communicator_, "shared", shared_ ? 1 : 0));
  HLC_TRY(prepare(communicator_, communicator_.comm(), [this] {
    parts_.list(communicator_);
    return Status::ok;
  }));
  const std::int64_t bytes = bytes_before_data(notifications_, rounds(communicator_.size())) + spec->bytes;
  HLC_TRY(agree(communicator_, communicator_.comm(), create_shared_memory(communicator_, bytes, memory_, file_of(communicator_))));
  reinterpret_cast<PartHeader *>(memory_.part(communicator_.member()))->bytes = spec->bytes;
  // All ranks have written the sizes of their parts before any rank reads them.
  HLC_TRY(agree(communicator_, communicator_.comm(), Status::ok));
  find_parts();
  return communicator_.nodes() > 1 ? connect() : Status::ok;
}

Status Segment::connect() {
  HLC_TRY(prepare(communicator_, communicator_.comm(), [this] {
    remote_ = std::make_unique<RemoteRma>(network_);
    return Status::ok;
  }));
  const NodeParts::Part &mine = parts_.of(communicator_.member());
  if (shared_) counted_.count(communicator_);
  HLC_TRY(remote_->connect({mine.data, mine.bytes, mine.words}, memory_));
  memory_.close();
  return Status::ok;
}

Status Segment::end(bool broken) {
  int largest = 0;
  return agree_on_largest(communicator_, communicator_.comm(), broken || barriers.failed ? 1 : 0, &largest);
}

Status Segment::check(const hlc_segment_spec *spec) const {
  if (!spec) return fail(Status::argument, "hlc_segment_create on rank %d: spec is NULL", rank());
  if (spec->bytes < 0 || spec->bytes > kMostBytes)
    return fail(Status::argument, "hlc_segment_create on rank %d: bytes is %lld, it must be 0 or more, and no more than memory holds",
                rank(), static_cast<long long>(spec->bytes));
  if (spec->notifications < 0 || spec->notifications > HLC_MAX_NOTIFICATIONS)
    return fail(Status::argument, "hlc_segment_create on rank %d: notifications is %d, it must be 0 to %d", rank(), spec->notifications,
                HLC_MAX_NOTIFICATIONS);
  return Status::ok;
}

void Segment::find_parts() {
  const int words = rounds(communicator_.size());
  for (Member member = 0; member < communicator_.members(); ++member) {
    char *memory = memory_.part(member);
    NodeParts::Part &part = parts_.of(member);
    part.data = memory + bytes_before_data(notifications_, words);
    part.bytes = reinterpret_cast<const PartHeader *>(memory)->bytes;
    part.words = NotificationWords(memory + sizeof(PartHeader), notifications_, words);
    if (shared_) part.words.notifications = parts_.of(0).words.notifications;
  }
}

Status Segment::describe(int rank, hlc_segment_info_t *info) const {
  if (rank < 0 || rank >= communicator_.size()) return wrong_rank("hlc_segment_info", rank);
  const Member member = parts_.member_of(rank);
  if (member == kNotOnNode) {
    *info = {remote_->bytes_of(rank), notifications_, nullptr};
    return Status::ok;
  }
  const NodeParts::Part &part = parts_.of(member);
  *info = {part.bytes, notifications_, part.bytes > 0 ? part.data : nullptr};
  return Status::ok;
}

WaitStatus Segment::check_failure(const Wait &wait) const {
  for (Member member = 0; member < communicator_.members(); ++member)
    if (!communicator_.doorbell().alive(member)) return {Status::peer_died, parts_.of(member).rank};
  return {wait.timed_out() ? Status::timeout : Status::ok, -1};
}

std::string Segment::name_of(int rank) const {
  return parts_.member_of(rank) == kNotOnNode ? network_.requests()->name_of(rank) : "rank " + std::to_string(rank);
}

Status Segment::wrong_rank(const char *call, int rank) const {
  return fail(Status::argument, "%s on rank %d: rank is %d, it must be 0 to %d", call, communicator_.rank(), rank,
              communicator_.size() - 1);
}

Status Segment::wrong_id(const char *call, const char *argument, int id) const {
  if (notifications_ == 0)
    return fail(Status::argument, "%s on rank %d: %s is %d, but the segment was made without notifications", call, rank(), argument, id);
  return fail(Status::argument, "%s on rank %d: %s is %d, it must be 0 to %d", call, rank(), argument, id, notifications_ - 1);
}

Status Segment::zero_value(const char *call, int id) const {
  return fail(Status::argument, "%s on rank %d: notification.value is 0 for id %d, it must be another value", call, rank(), id);
}

Status Segment::wrong_offset(const char *call, Target target, Extent extent, std::int64_t bytes) const {
  return fail(Status::argument, "%s on rank %d: offset is %lld: bytes %lld to %lld from there are not within the %lld bytes of rank %d",
              call, rank(), static_cast<long long>(target.offset), static_cast<long long>(extent.low), static_cast<long long>(extent.high),
              static_cast<long long>(bytes), target.rank);
}

}  // namespace halocline::core
