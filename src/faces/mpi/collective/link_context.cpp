// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/collective/link_context.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "base/atomics.hpp"
#include "base/environment.hpp"
#include "base/never_destroyed.hpp"
#include "device/driver.hpp"
#include "engine/communicator/collective.hpp"
#include "faces/mpi/interpose/fallback_report.hpp"
#include "faces/mpi/window/comm_contexts.hpp"

namespace halocline::core::mpi {
namespace {

constexpr auto kRoomBegin = static_cast<std::int64_t>(sizeof(Room::Begins));
static_assert(kRoomBegin % kLinePair == 0);

std::int64_t whole_lines(std::int64_t bytes) { return round_up(bytes, static_cast<std::int64_t>(kLinePair)); }

/// Short links find room for some more of their kind.
std::int64_t bytes_of_new_room(std::int64_t bytes) {
  constexpr std::int64_t kLeast = std::int64_t{1} << 16, kMost = std::int64_t{1} << 20, kMore = 8;
  return kRoomBegin + std::max(bytes, std::clamp(kMore * bytes, kLeast, kMost));
}

using KeptLinks = std::shared_ptr<LinkContext>;

/// Threads might make links of several communicators in another order on each rank, and meet on the communicator of one context.
bool may_share_contexts() {
  int level = MPI_THREAD_MULTIPLE;
  PMPI_Query_thread(&level);
  return level != MPI_THREAD_MULTIPLE;
}

/// The contexts of communicators, as their attributes. Never destroyed.
class LinkContexts {
 public:
  void add(MPI_Comm comm, const KeptLinks &context) {
    KeptLinks last = may_share_contexts() ? context : nullptr;
    const std::lock_guard lock(mutex_);
    const auto is_over = [&](const auto &one) { return one.expired() || one.lock() == context; };
    all_.erase(std::remove_if(all_.begin(), all_.end(), is_over), all_.end());
    all_.push_back(context);
    comms_.push_back(comm);
    last_.swap(last);
  }
  void release_last() {
    KeptLinks last;
    const std::lock_guard lock(mutex_);
    last_.swap(last);
  }
  void remove(MPI_Comm comm) {
    const std::lock_guard lock(mutex_);
    comms_.erase(std::remove(comms_.begin(), comms_.end(), comm), comms_.end());
  }
  std::vector<MPI_Comm> all_comms() {
    const std::lock_guard lock(mutex_);
    return comms_;
  }
  /// The latest for a communicator of the same ranks in the same order: that is one context, if all ranks still have it.
  KeptLinks find_congruent(MPI_Comm comm) {
    const std::lock_guard lock(mutex_);
    for (auto one = all_.rbegin(); one != all_.rend(); ++one) {
      KeptLinks context = one->lock();
      int result = MPI_UNEQUAL;
      if (!context || context->comm->context.lost()) continue;
      if (PMPI_Comm_compare(comm, context->comm->context.comm(), &result) == MPI_SUCCESS && result == MPI_CONGRUENT) return context;
    }
    return nullptr;
  }

 private:
  std::mutex mutex_;
  std::vector<MPI_Comm> comms_;
  std::vector<std::weak_ptr<LinkContext>> all_;
  KeptLinks last_;  // for programs that free a communicator before they make the next; null where none is shared
};
LinkContexts &link_contexts() { return never_destroyed<LinkContexts>(); }

int forget_link_context(MPI_Comm comm, int, void *kept, void *) {
  link_contexts().remove(comm);
  delete static_cast<KeptLinks *>(kept);
  return MPI_SUCCESS;
}

int link_context_key() {
  static const int made = [] {
    int key = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_link_context, &key, nullptr);
    return key;
  }();
  return made;
}

/// A rank that has no memory for that knows no context in the next meeting.
void keep_context(MPI_Comm comm, const KeptLinks &context) {
  static_cast<void>(before_meeting([&] {
    auto kept = std::make_unique<KeptLinks>(context);
    link_contexts().add(comm, context);
    if (PMPI_Comm_set_attr(comm, link_context_key(), kept.get()) != MPI_SUCCESS) {
      link_contexts().remove(comm);
      return Status::ok;
    }
    [[maybe_unused]] const KeptLinks *const attribute = kept.release();
    return Status::ok;
  }));
}

std::uint64_t random_number() {
  static std::mutex mutex;
  static std::mt19937_64 numbers{std::random_device{}()};
  const std::lock_guard lock(mutex);
  return numbers();
}

}  // namespace

HostComm::~HostComm() {
  if (comm != MPI_COMM_NULL && !is_left && has_world()) PMPI_Comm_free(&comm);
}

Status HostComm::open(MPI_Comm of) {
  HLC_TRY(check_mpi(PMPI_Comm_dup(of, &comm), "MPI_Comm_dup"));
  return check_mpi(PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

Status HostComm::make(Context &context, std::shared_ptr<HostComm> *made) {
  std::shared_ptr<HostComm> one;
  HLC_TRY(prepare(context, context.comm(), [&] { return one = std::make_shared<HostComm>(), Status::ok; }));
  HLC_TRY(agree(context, context.comm(), one->open(context.comm())));
  *made = std::move(one);
  return Status::ok;
}

void LinkContext::offer(std::int64_t bytes, LinksMeeting &say) const {
  if (!room_) return;
  const std::int64_t all = room_->memory.part_bytes(comm->context.member());
  say.idle = room_.use_count() == 1 ? 1 : 0;
  say.fits = room_->links < Room::kLinks && room_->used + whole_lines(bytes) <= all ? 1 : 0;
  say.fits_if_idle = kRoomBegin + whole_lines(bytes) <= all ? 1 : 0;
}

Status LinkContext::take(std::int64_t bytes, const LinksMeeting &met, RoomPiece *piece) {
  Context &context = comm->context;
  const auto ranks = static_cast<std::uint64_t>(context.size());
  const bool idle = met.idle == ranks;
  if ((idle ? met.fits_if_idle : met.fits) != ranks) {
    std::shared_ptr<Room> made;
    HLC_TRY(prepare(context, context.comm(), [&] { return made = std::make_shared<Room>(), Status::ok; }));
    HLC_TRY(agree(context, context.comm(), create_shared_memory(context, bytes_of_new_room(whole_lines(bytes)), made->memory)));
    room_ = std::move(made);
  } else if (idle) {
    room_->used = kRoomBegin;
    room_->links = 0;
  }
  *piece = {room_, room_->links++};
  room_->begins_of(context.member())[piece->index] = room_->used;
  room_->used += whole_lines(bytes);
  return Status::ok;
}

Status LinkContext::share_host_comm(std::shared_ptr<HostComm> *shared) {
  if (!host_comm_) HLC_TRY(HostComm::make(comm->context, &host_comm_));
  *shared = host_comm_;
  return Status::ok;
}

MeetingForLinks::MeetingForLinks(MPI_Comm comm, const char *what) : comm_(comm), what_(what) {
  device::look_for_driver();
  PMPI_Comm_rank(comm, &rank_);
  void *found = nullptr;
  int has = 0;
  PMPI_Comm_get_attr(comm, link_context_key(), &found, &has);
  is_of_comm_ = has != 0;
  known_ = has ? *static_cast<KeptLinks *>(found) : may_share_contexts() ? link_contexts().find_congruent(comm) : nullptr;
}

KeptLinks MeetingForLinks::meet(Status ready, LinksMeeting *say) {
  if (failed(ready)) *say = {};
  say->failed = failed(ready) ? 1 : 0;
  say->no_world = has_world() ? 0 : 1;
  say->off = std::strcmp(environment("MPI_COLLECTIVES"), "host") == 0 ? 1 : 0;
  say->context = known_ ? known_->name : 0;
  say->random = random_number();
  if (PMPI_Allreduce(MPI_IN_PLACE, say, LinksMeeting::kNumbers, MPI_UINT64_T, MPI_SUM, comm_) != MPI_SUCCESS) return *say = {}, nullptr;
  if (say->refused > 0) return nullptr;
  if (say->no_world > 0) return leave_to_host("the program uses MPI sessions without MPI_Init");
  if (say->off > 0) return leave_to_host("HALOCLINE_MPI_COLLECTIVES=host on a rank");
  if (failed(ready)) return leave_to_host(error_message());
  if (say->failed > 0) return leave_to_host("another rank could not prepare them, and says why");
  const std::uint64_t name = known_ ? known_->name : 0;
  const auto ranks = static_cast<std::uint64_t>(known_ ? known_->comm->context.size() : 0);
  if (name != 0 && say->context == name * ranks) {
    if (!is_of_comm_) keep_context(comm_, known_);
    return known_;
  }
  say->idle = say->fits = say->fits_if_idle = 0;
  return agree_on_context(*say);
}

/// A new one, if not all ranks know the same. Collective.
KeptLinks MeetingForLinks::agree_on_context(const LinksMeeting &met) {
  const std::shared_ptr<CommContext> opened = find_comm_context(comm_);
  if (!opened->obstacle().empty()) return leave_to_host(opened->obstacle().c_str());
  KeptLinks made;
  const Status prepared = prepare(opened->context, opened->context.comm(),
                                  [&] { return made = std::make_shared<LinkContext>(opened, met.random), Status::ok; });
  if (failed(prepared)) return leave_to_host(error_message());
  keep_context(comm_, made);
  return made;
}

KeptLinks MeetingForLinks::leave_to_host(const char *why) const {
  inform("the host MPI carries the %s of a communicator: %s", what_, why);
  return nullptr;
}

void release_link_contexts() {
  for (const MPI_Comm comm : link_contexts().all_comms()) PMPI_Comm_delete_attr(comm, link_context_key());
  link_contexts().release_last();
}

}  // namespace halocline::core::mpi
