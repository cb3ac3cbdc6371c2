// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/collective/link_context.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/atomics.hpp"
#include "base/environment.hpp"
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

/// The contexts of communicators, as their attributes. Never destroyed.
class LinkContexts {
 public:
  void add(MPI_Comm comm, const KeptLinks &context) {
    KeptLinks last = context;
    const std::lock_guard lock(mutex_);
    comms_.push_back(comm);
    const auto is_over = [&](const auto &one) { return one.expired() || one.lock() == context; };
    all_.erase(std::remove_if(all_.begin(), all_.end(), is_over), all_.end());
    all_.push_back(context);
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
  KeptLinks last_;  // for programs that free a communicator before they make the next
};
LinkContexts &link_contexts() {
  static auto *const made = new LinkContexts;
  return *made;
}

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

void keep_context(MPI_Comm comm, const KeptLinks &context) {
  link_contexts().add(comm, context);
  PMPI_Comm_set_attr(comm, link_context_key(), new KeptLinks(context));
}

/// Threads might make links of several communicators in another order on each rank, and meet on the communicator of one context.
bool may_share_contexts() {
  int level = MPI_THREAD_MULTIPLE;
  PMPI_Query_thread(&level);
  return level != MPI_THREAD_MULTIPLE;
}

/// What this rank knows before the ranks meet: the context of the communicator, or one of other communicators.
struct KnownContext {
  KeptLinks context;
  bool is_of_comm = false;

  explicit KnownContext(MPI_Comm comm) {
    void *found = nullptr;
    int has = 0;
    PMPI_Comm_get_attr(comm, link_context_key(), &found, &has);
    is_of_comm = has != 0;
    context = has ? *static_cast<KeptLinks *>(found) : may_share_contexts() ? link_contexts().find_congruent(comm) : nullptr;
  }
  std::uint64_t name() const { return context ? context->name : 0; }
};

std::uint64_t random_number() {
  static std::mutex mutex;
  static std::mt19937_64 numbers{std::random_device{}()};
  const std::lock_guard lock(mutex);
  return numbers();
}

/// That which all ranks know, or a new one. Collective; null if the host carries the call, and why.
KeptLinks agree_on_context(MPI_Comm comm, const KnownContext &known, LinksMeeting *met, std::string *why) {
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  KeptLinks context = known.context;
  if (known.name() == 0 || met->context != known.name() * static_cast<std::uint64_t>(ranks)) {
    met->idle = met->fits = met->fits_if_idle = 0;
    const std::shared_ptr<CommContext> opened = find_comm_context(comm);
    if (opened->obstacle().empty())
      context = std::make_shared<LinkContext>(opened, met->random);
    else
      return *why = opened->obstacle(), nullptr;
  }
  if (!known.is_of_comm) keep_context(comm, context);
  return context;
}

}  // namespace

HostComm::~HostComm() {
  if (comm != MPI_COMM_NULL && has_world()) PMPI_Comm_free(&comm);
}

Status HostComm::open(MPI_Comm of) {
  HLC_TRY(check_mpi(PMPI_Comm_dup(of, &comm), "MPI_Comm_dup"));
  return check_mpi(PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
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
  if (!host_comm_) {
    auto made = std::make_shared<HostComm>();
    HLC_TRY(made->open(comm->context.comm()));
    host_comm_ = std::move(made);
  }
  *shared = host_comm_;
  return Status::ok;
}

std::shared_ptr<LinkContext> meet_for_links(MPI_Comm comm, const char *what, const OfferLinks &offer, LinksMeeting *met) {
  device::look_for_driver();
  const KnownContext known(comm);
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  *met = offer(rank, known.context.get());
  met->no_world = has_world() ? 0 : 1;
  met->off = std::strcmp(environment("MPI_COLLECTIVES"), "host") == 0 ? 1 : 0;
  met->context = known.name();
  met->random = random_number();
  if (PMPI_Allreduce(MPI_IN_PLACE, met, LinksMeeting::kNumbers, MPI_UINT64_T, MPI_SUM, comm) != MPI_SUCCESS) return nullptr;
  std::string why = met->no_world > 0 ? "the program uses MPI sessions without MPI_Init"
                    : met->off > 0    ? "HALOCLINE_MPI_COLLECTIVES=host on a rank"
                                      : "";
  if (why.empty())
    if (std::shared_ptr<LinkContext> context = agree_on_context(comm, known, met, &why)) return context;
  inform("the host MPI carries the %s of a communicator: %s", what, why.c_str());
  return nullptr;
}

void release_link_contexts() {
  for (const MPI_Comm comm : link_contexts().all_comms()) PMPI_Comm_delete_attr(comm, link_context_key());
  link_contexts().release_last();
}

}  // namespace halocline::core::mpi
