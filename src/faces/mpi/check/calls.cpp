// What is checked around the calls of MPI RMA, and the reports. An access is compared with all that are not complete when it is made. So two
// accesses are reported only if nothing that the program does can have ordered them.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <list>
#include <map>
#include <mutex>
#include <string>

#include "base/log.hpp"
#include "faces/mpi/access/resolve_target.hpp"
#include "faces/mpi/check/buffers.hpp"
#include "faces/mpi/check/check_memory.hpp"
#include "faces/mpi/check/checker.hpp"
#include "faces/mpi/check/reports.hpp"
#include "faces/mpi/interpose/fallback_report.hpp"
#include "faces/mpi/sync/locks.hpp"

namespace halocline::core::mpi {
namespace {

class WindowCheck;

/// The windows that are checked. Never destroyed.
struct CheckedWindows {
  std::mutex mutex;
  std::list<WindowCheck *> all;
};

CheckedWindows &checked_windows() {
  static auto *const all = new CheckedWindows;
  return *all;
}

/// What is complete stays in the log until the next access looks. `fences`: how many the window has had.
bool is_live(const LoggedAccess &access, const TargetLog &log, std::uint64_t fences) {
  if (access.epoch == EpochKind::fence) return access.number == fences;
  return access.epoch == EpochKind::passive || access.number == log.exposures;
}

/// Another rank's access that ends with a flush may be complete earlier, and the program may know that: see_by_fetch, see_by_loads. What ranks
/// of other nodes know, and pass on, is not seen here.
bool is_certain(const Window &window, const LoggedAccess &first, const LoggedAccess &second) {
  const bool is_passive = first.epoch == EpochKind::passive || second.epoch == EpochKind::passive;
  return first.origin == second.origin || !is_passive || !(first.seen || window.comm->spans_nodes());
}

/// Whether these bytes are in this rank's part of a window.
bool are_in(const Window &window, const void *base, std::int64_t bytes) {
  const Place mine = window.memory.at(window.rank());
  const auto begin = reinterpret_cast<std::uintptr_t>(base), here = reinterpret_cast<std::uintptr_t>(mine.mapped);
  return mine.is_mapped && begin < here + static_cast<std::uintptr_t>(mine.bytes) && here < begin + static_cast<std::uintptr_t>(bytes);
}

class WindowCheck final : public Check {
 public:
  WindowCheck(Window &window, const char *call, int number)
      : window_(window), memory_(window), reports_(window, memory_, "window " + std::to_string(number) + " of " + call) {}
  ~WindowCheck() override;
  Status open();

  int around(const CheckedAccess &access, const std::function<int()> &work) override;
  int around(const CheckedSync &sync, const std::function<int()> &work) override;
  std::function<void()> end_of_request() override;
  void note_query() override { may_store_elsewhere_ = true; }
  void note_memory(const void *base, std::int64_t bytes) override;
  void report_open_epochs(const char *call) override;

 private:
  bool describe(const CheckedAccess &access, LoggedAccess &described, ResolvedTarget &resolved);
  bool find_conflicts(const LoggedAccess &own, int target);
  void see_by_fetch(const LoggedAccess &own, int target);
  bool find_store_before(const LoggedAccess &own, int target);
  bool find_busy_buffers(const CheckedAccess &access, const LoggedAccess &own);
  BusyBuffer buffer_of(const CheckedAccess &access, const LoggedAccess &own, const OriginBuffer &buffer) const;
  void keep_buffers(const CheckedAccess &access, const LoggedAccess &own);

  int before(const CheckedSync &sync);
  int after(const CheckedSync &sync);
  int complete_at_all();
  int complete_at(int target);
  void forget_access(int target, std::uint64_t id);
  void complete_started_far();
  void complete_locally(int target);
  int after_fence(int assertion);
  int after_exposure(const int *flag);
  void begin_exposure();
  bool find_store_after(LoggedAccess &access, int target);
  template <class Work>
  void for_each_memory(Work work);
  int see_by_loads(int target);
  void forget_images();
  void disable_image();

  Window &window_;
  CheckMemory memory_;
  CheckReports reports_;
  CallSiteWriter writer_;
  std::atomic<std::uint64_t> fences_{0}, ids_{0};
  std::atomic<bool> may_store_elsewhere_{false};  // in memory of other ranks of the node
  std::mutex opened_mutex_;
  std::map<std::string, std::uint32_t> opened_;  // epochs that are open, and where they were opened
};

/// The last access of a thread.
struct LastAccess {
  const Window *window = nullptr;
  int target = 0;
  std::uint64_t id = 0;
  bool fetches = false;
};
thread_local LastAccess last_access;

WindowCheck::~WindowCheck() {
  busy_buffers().forget(window_, -1);
  const std::lock_guard lock(checked_windows().mutex);
  checked_windows().all.remove(this);
}

Status WindowCheck::open() {
  HLC_TRY(memory_.open());
  writer_.open(&memory_.sites(window_.rank()));
  const Place mine = window_.memory.at(window_.rank());
  if (mine.is_mapped) note_memory(mine.mapped, mine.bytes);
  const std::lock_guard lock(checked_windows().mutex);
  checked_windows().all.push_back(this);
  return Status::ok;
}

/// An access by another window is a store for this one's image.
void WindowCheck::note_memory(const void *base, std::int64_t bytes) {
  const std::lock_guard lock(checked_windows().mutex);
  for (WindowCheck *const other : checked_windows().all) {
    if (other == this || !are_in(other->window_, base, bytes)) continue;
    other->disable_image();
    disable_image();
  }
}

void WindowCheck::disable_image() {
  TargetLog &log = memory_.log(window_.rank());
  const HeldLog held(log);
  log.shares_memory = 1;
}

// Accesses.

/// False if the call is refused or accesses nothing.
bool WindowCheck::describe(const CheckedAccess &access, LoggedAccess &described, ResolvedTarget &resolved) {
  if (access.target->rank == MPI_PROC_NULL || resolve_target(window_, *access.target, &resolved) != MPI_SUCCESS || resolved.count == 0)
    return false;
  const Epochs &epochs = window_.epochs;
  described.origin = window_.rank();
  described.call = access.call;
  described.op = access.call >= Call::accumulate ? typed::operation_of(access.op) : typed::Operation::none;
  described.basic = resolved.layout->basic();
  if (epochs.is_locked(resolved.rank))
    described.epoch = EpochKind::passive;
  else if (epochs.hold(resolved.rank) == Hold::started)
    described.epoch = EpochKind::started;
  described.runs = ByteRuns(*resolved.layout, resolved.count, resolved.offset);
  described.site = writer_.here();
  described.id = ++ids_;
  if (described.epoch == EpochKind::fence) described.number = fences_;
  return !described.runs.empty();
}

int WindowCheck::around(const CheckedAccess &access, const std::function<int()> &work) {
  LoggedAccess own;
  ResolvedTarget resolved;
  last_access = {};
  if (!describe(access, own, resolved)) return work();
  bool is_wrong = find_busy_buffers(access, own);
  const bool is_far = !window_.comm->is_near(resolved.rank);
  int code = MPI_SUCCESS;
  {
    TargetLog &log = memory_.log(resolved.rank);
    const HeldLog held(log);
    if (own.epoch == EpochKind::started) own.number = log.exposures;
    own.reported = find_conflicts(own, resolved.rank) || find_store_before(own, resolved.rank);
    is_wrong = is_wrong || own.reported;
    see_by_fetch(own, resolved.rank);
    if (!is_far) code = work();
    if (code == MPI_SUCCESS && own.writes()) memory_.follow(resolved.rank, own.runs);
    if (code == MPI_SUCCESS) log.add(own);
  }
  // Not while the log is held: that may wait for the target, which may wait for another rank of this node.
  if (is_far) code = work();
  if (is_far && code != MPI_SUCCESS) forget_access(resolved.rank, own.id);
  if (code != MPI_SUCCESS) return code;
  keep_buffers(access, own);
  last_access = {&window_, resolved.rank, own.id, own.fetches()};
  return is_wrong ? MPI_ERR_RMA_CONFLICT : MPI_SUCCESS;
}

/// One conflict per access is reported, as one mistake makes many.
bool WindowCheck::find_conflicts(const LoggedAccess &own, int target) {
  TargetLog &log = memory_.log(target);
  for (std::uint32_t at = 0; at < log.used;) {
    LoggedAccess &other = log.all[at];
    ByteRange common;
    if (!is_live(other, log, fences_)) {
      log.erase(at);
    } else if (!other.reported && why_not(other, own) && is_certain(window_, other, own) && overlap(other.runs, own.runs, &common)) {
      other.reported = true;
      reports_.conflict(other, own, target, common);
      return true;
    } else {
      at += 1;
    }
  }
  return false;
}

/// An accumulate that fetches shows what accumulates before it have done, before these are flushed: so locks and counters work. A rank
/// that is notified of them may access the bytes afterwards.
void WindowCheck::see_by_fetch(const LoggedAccess &own, int target) {
  if (!own.fetches() || !own.accumulates()) return;
  TargetLog &log = memory_.log(target);
  for (std::uint32_t at = 0; at < log.used; ++at) {
    LoggedAccess &other = log.all[at];
    if (other.epoch == EpochKind::passive && other.accumulates() && may_overlap(other.runs, own.runs)) other.seen = true;
  }
}

/// In an epoch of fences, or of the target's post, the image is from its beginning.
bool WindowCheck::find_store_before(const LoggedAccess &own, int target) {
  const TargetLog &log = memory_.log(target);
  const std::uint64_t image = own.epoch == EpochKind::fence ? log.image_fence : log.image_exposure;
  ByteRange found;
  if (own.epoch == EpochKind::passive || !own.writes() || image != own.number + 1) return false;
  if (!memory_.find_store(target, own.runs, &found)) return false;
  reports_.store(own, target, found, "earlier in the same epoch");
  return true;
}

BusyBuffer WindowCheck::buffer_of(const CheckedAccess &access, const LoggedAccess &own, const OriginBuffer &buffer) const {
  const bool is_written = &buffer == access.result;
  BusyBuffer busy{&window_, this, access.target->rank, access.call, is_written, own.site, own.id, {}};
  typed::Buffer found{};
  if (find_buffer(buffer, &found) == MPI_SUCCESS && found.count > 0)
    busy.runs = ByteRuns(*found.layout, found.count, static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(found.address)));
  return busy;
}

bool WindowCheck::find_busy_buffers(const CheckedAccess &access, const LoggedAccess &own) {
  for (const OriginBuffer *buffer : {access.origin, access.result}) {
    if (!buffer || (buffer == access.origin && own.op == typed::Operation::no_op)) continue;
    const BusyBuffer wanted = buffer_of(access, own, *buffer);
    BusyBuffer busy{};
    ByteRange common;
    if (!busy_buffers().find(wanted, &busy, &common)) continue;
    const auto *other = static_cast<const WindowCheck *>(busy.check);
    report_rule("buffers used before their access is complete",
                reports_.name() + ": " + reports_.who(wanted.call, window_.rank(), wanted.site) +
                    (wanted.is_written ? " writes to" : " reads") + " a buffer that " +
                    other->reports_.who(busy.call, window_.rank(), busy.site) + " still " + (busy.is_written ? "writes to" : "reads") +
                    ": a flush or the end of the epoch is missing between them");
    return true;
  }
  return false;
}

void WindowCheck::keep_buffers(const CheckedAccess &access, const LoggedAccess &own) {
  for (const OriginBuffer *buffer : {access.origin, access.result}) {
    if (!buffer || (buffer == access.origin && own.op == typed::Operation::no_op)) continue;
    if (const BusyBuffer busy = buffer_of(access, own, *buffer); !busy.runs.empty()) busy_buffers().add(busy);
  }
}

/// A request completes the buffers, and what is fetched. What is written to the target waits for a flush as well.
std::function<void()> WindowCheck::end_of_request() {
  if (last_access.window != &window_) return [] {};
  return [this, access = last_access] {
    busy_buffers().forget_access(window_, access.id);
    if (access.fetches) forget_access(access.target, access.id);
  };
}

/// One of this rank.
void WindowCheck::forget_access(int target, std::uint64_t id) {
  TargetLog &log = memory_.log(target);
  const HeldLog held(log);
  for (std::uint32_t at = 0; at < log.used; ++at)
    if (log.all[at].origin == window_.rank() && log.all[at].id == id) return log.erase(at);
}

/// The wait of a target on another node is not seen here, so accesses after MPI_Win_start end with MPI_Win_complete.
void WindowCheck::complete_started_far() {
  if (!window_.epochs.is_started) return;
  for (const int target : window_.epochs.started) {
    if (window_.comm->is_near(target)) continue;
    TargetLog &log = memory_.log(target);
    const HeldLog held(log);
    for (std::uint32_t at = 0; at < log.used;)
      if (log.all[at].origin == window_.rank() && log.all[at].epoch == EpochKind::started)
        log.erase(at);
      else
        at += 1;
  }
}

// Synchronisation.

int WindowCheck::around(const CheckedSync &sync, const std::function<int()> &work) {
  const int found = before(sync);
  const int code = work();
  if (code != MPI_SUCCESS) return code;
  const int later = after(sync);
  return found != MPI_SUCCESS ? found : later;
}

int WindowCheck::before(const CheckedSync &sync) {
  const bool is_target = sync.target >= 0 && sync.target < window_.size();
  switch (sync.call) {
    case Sync::unlock: return first_of(see_by_loads(sync.target), is_target ? complete_at(sync.target) : MPI_SUCCESS);
    case Sync::flush: return is_target ? complete_at(sync.target) : MPI_SUCCESS;
    case Sync::unlock_all: return first_of(see_by_loads(window_.rank()), complete_at_all());
    case Sync::flush_all: return complete_at_all();
    case Sync::flush_local:
      if (is_target) complete_locally(sync.target);
      return MPI_SUCCESS;
    case Sync::flush_local_all:
      for (int target = 0; target < window_.size(); ++target) complete_locally(target);
      return MPI_SUCCESS;
    case Sync::post: begin_exposure(); return MPI_SUCCESS;
    case Sync::complete: complete_started_far(); return MPI_SUCCESS;
    case Sync::sync: {
      const int found = see_by_loads(window_.rank());
      forget_images();
      return found;
    }
    default: return MPI_SUCCESS;
  }
}

int WindowCheck::after(const CheckedSync &sync) {
  const auto opens = [&](const std::string &epoch) {
    const std::lock_guard lock(opened_mutex_);
    opened_[epoch] = writer_.here();
  };
  switch (sync.call) {
    case Sync::fence: return after_fence(sync.assertion);
    case Sync::lock: opens("MPI_Win_lock of rank " + std::to_string(sync.target)); return see_by_loads(sync.target);
    case Sync::lock_all: opens("MPI_Win_lock_all"); break;
    case Sync::start: opens("MPI_Win_start"); break;
    case Sync::post: opens("MPI_Win_post"); break;
    case Sync::complete: busy_buffers().forget(window_, -1); break;
    case Sync::wait: return after_exposure(sync.flag);
    default: break;
  }
  return MPI_SUCCESS;
}

int WindowCheck::complete_at_all() {
  int found = MPI_SUCCESS;
  for (int target = 0; target < window_.size(); ++target)
    if (const int code = complete_at(target)) found = code;
  return found;
}

/// Ends this rank's accesses to a target, those of all its threads, before others can know of it. Another thread may be ending them just now:
/// this one does not return before that is done.
int WindowCheck::complete_at(int target) {
  busy_buffers().forget(window_, target);
  TargetLog &log = memory_.log(target);
  const HeldLog held(log);
  int code = MPI_SUCCESS;
  for (std::uint32_t at = 0; at < log.used;) {
    LoggedAccess &access = log.all[at];
    const bool ends = access.origin == window_.rank() && access.epoch == EpochKind::passive;
    if (ends && find_store_after(access, target)) code = MPI_ERR_RMA_CONFLICT;
    if (ends)
      log.erase(at);
    else
      at += 1;
  }
  return code;
}

/// What has fetched is complete. What has written is not at the target.
void WindowCheck::complete_locally(int target) {
  busy_buffers().forget(window_, target);
  TargetLog &log = memory_.log(target);
  const HeldLog held(log);
  for (std::uint32_t at = 0; at < log.used;) {
    const LoggedAccess &access = log.all[at];
    if (access.origin == window_.rank() && access.epoch == EpochKind::passive && access.fetches())
      log.erase(at);
    else
      at += 1;
  }
}

/// The fence has met all ranks. They meet again before an access of the next epoch changes what is compared here.
int WindowCheck::after_fence(int assertion) {
  constexpr int kNothing = MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
  busy_buffers().forget(window_, -1);
  if ((assertion & kNothing) == kNothing) return MPI_SUCCESS;
  int code = MPI_SUCCESS;
  {
    TargetLog &log = memory_.log(window_.rank());
    const HeldLog held(log);
    for (std::uint32_t at = 0; at < log.used; ++at)
      if (log.all[at].epoch == EpochKind::fence && is_live(log.all[at], log, fences_) && find_store_after(log.all[at], window_.rank()))
        code = MPI_ERR_RMA_CONFLICT;
    log.image_fence = 0;
    fences_ += 1;
    if ((assertion & MPI_MODE_NOSUCCEED) == 0) {
      memory_.take_image();
      log.image_fence = fences_ + 1;
    }
  }
  if (const int met = code_of(window_.barrier())) return met;
  return code;
}

void WindowCheck::begin_exposure() {
  TargetLog &log = memory_.log(window_.rank());
  const HeldLog held(log);
  if (window_.epochs.is_posted) return;
  memory_.take_image();
  log.image_exposure = log.exposures + 1;
}

int WindowCheck::after_exposure(const int *flag) {
  if (flag && !*flag) return MPI_SUCCESS;
  TargetLog &log = memory_.log(window_.rank());
  const HeldLog held(log);
  int code = MPI_SUCCESS;
  for (std::uint32_t at = 0; at < log.used; ++at)
    if (log.all[at].epoch == EpochKind::started && is_live(log.all[at], log, fences_) && find_store_after(log.all[at], window_.rank()))
      code = MPI_ERR_RMA_CONFLICT;
  log.exposures += 1;
  log.image_exposure = 0;
  return code;
}

/// An access that was reported is not reported again.
bool WindowCheck::find_store_after(LoggedAccess &access, int target) {
  ByteRange found;
  if (access.reported || access.seen || !access.writes() || !memory_.find_store(target, access.runs, &found)) return false;
  access.reported = true;
  reports_.store(access, target, found, "before it was complete");
  return true;
}

/// Calls work(rank, log) for the memory that the program's loads and stores reach: that of this rank, and of others that it has asked for.
template <class Work>
void WindowCheck::for_each_memory(Work work) {
  const bool all = window_.attributes.flavor == MPI_WIN_FLAVOR_SHARED || may_store_elsewhere_;
  for (int rank = 0; rank < window_.size(); ++rank) {
    if (rank != window_.rank() && !(all && window_.comm->is_near(rank))) continue;
    TargetLog &log = memory_.log(rank);
    const HeldLog held(log);
    work(rank, log);
  }
}

/// Loads that MPI_Win_sync or a lock has ordered show what accesses have written, before these are flushed. A rank that is notified of
/// that may access the bytes afterwards. Stores of the program up to now were not ordered after these loads. `target`: what was locked.
int WindowCheck::see_by_loads(int target) {
  int code = MPI_SUCCESS;
  if (target != window_.rank() && !may_store_elsewhere_) return code;
  for_each_memory([&](int rank, TargetLog &log) {
    for (std::uint32_t at = 0; at < log.used; ++at) {
      if (is_live(log.all[at], log, fences_) && find_store_after(log.all[at], rank)) code = MPI_ERR_RMA_CONFLICT;
      log.all[at].seen = true;
    }
  });
  return code;
}

/// Stores before MPI_Win_sync are in order with what follows.
void WindowCheck::forget_images() {
  for_each_memory([](int, TargetLog &log) { log.image_fence = log.image_exposure = 0; });
}

// Open epochs.

void WindowCheck::report_open_epochs(const char *call) {
  const Epochs &epochs = window_.epochs;
  const std::lock_guard lock(opened_mutex_);
  for (const auto &[epoch, site] : opened_) {
    bool is_open = (epoch == "MPI_Win_lock_all" && epochs.locks_all != Hold::none) || (epoch == "MPI_Win_start" && epochs.is_started) ||
                   (epoch == "MPI_Win_post" && epochs.is_posted);
    for (int rank = 0; rank < window_.size(); ++rank)
      is_open = is_open || (epochs.hold(rank) >= Hold::shared && epoch == "MPI_Win_lock of rank " + std::to_string(rank));
    if (!is_open) continue;
    report_rule("epochs left open", reports_.name() + ": in " + call + " the epoch that " + epoch + " of " + rank_text(window_.rank()) +
                                        " has opened in " + text_of(memory_.sites(window_.rank()), site) + " is still open");
  }
}

}  // namespace

std::shared_ptr<Check> open_check(Window &window, const char *call) {
  if (!window.comm->context.check_mailbox()) return nullptr;
  if (window.comm->spans_nodes() && window.rank() == 0)
    report_once("check", "nodes", "HALOCLINE_CHECK=1: in windows of several nodes the accesses of each node are checked, without stores");
  static std::atomic<int> numbers{0};
  auto made = std::make_shared<WindowCheck>(window, call, ++numbers);
  if (!failed(made->open())) return made;
  report_once("check", "window", "HALOCLINE_CHECK=1: accesses to windows are not checked: %s", error_message());
  return nullptr;
}

void report_open_windows() {
  const std::lock_guard lock(checked_windows().mutex);
  for (WindowCheck *check : checked_windows().all) check->report_open_epochs("MPI_Finalize");
}

}  // namespace halocline::core::mpi
