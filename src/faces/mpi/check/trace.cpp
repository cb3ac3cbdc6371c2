// A Check that checks nothing by itself, and records. So the calls of MPI have one branch for both.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/check/trace.hpp"

#include <iterator>
#include <string>
#include <utility>

#include "engine/communicator/tracing.hpp"
#include "faces/mpi/access/resolve_target.hpp"
#include "faces/mpi/datatype/typed_copy.hpp"
#include "faces/mpi/interpose/fallback_report.hpp"
#include "trace/recorder.hpp"

namespace halocline::core::mpi {
namespace {

constexpr const char *kSyncNames[] = {"MPI_Win_fence",           "MPI_Win_lock",  "MPI_Win_unlock",      "MPI_Win_lock_all",
                                      "MPI_Win_unlock_all",      "MPI_Win_flush", "MPI_Win_flush_local", "MPI_Win_flush_all",
                                      "MPI_Win_flush_local_all", "MPI_Win_sync",  "MPI_Win_post",        "MPI_Win_start",
                                      "MPI_Win_complete",        "MPI_Win_wait"};
constexpr const char *kCallNames[] = {
    "MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_Get_accumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap"};
static_assert(std::size(kSyncNames) == static_cast<std::size_t>(Sync::wait) + 1);
static_assert(std::size(kCallNames) == static_cast<std::size_t>(Call::compare_and_swap) + 1);

/// The communicator of a window that spans all ranks of MPI_COMM_WORLD, kept until MPI_Finalize. All ranks have one, or none has.
std::shared_ptr<CommContext> &comm_of_world() {
  static auto *const comm = new std::shared_ptr<CommContext>;
  return *comm;
}

void keep_comm_of_world(const std::shared_ptr<CommContext> &comm) {
  int ranks = 0;
  if (!has_world()) return;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (comm->context.size() == ranks && !comm_of_world()) comm_of_world() = comm;
}

/// Which ranks a window has, as a text.
std::string ranks_of(const Window &window) {
  const Context &context = window.comm->context;
  return "a window of " + std::to_string(context.size()) + " ranks, " + std::to_string(context.in_world(0)) + " to " +
         std::to_string(context.in_world(context.size() - 1));
}

class TracedCalls final : public Check {
 public:
  TracedCalls(Window &window, std::shared_ptr<Check> check)
      : window_(window), check_(std::move(check)), number_(window.number), label_(trace::keep_text(ranks_of(window))) {}

  int around(const CheckedAccess &access, const std::function<int()> &work) override {
    return record(describe(access), [&] { return check_ ? check_->around(access, work) : work(); });
  }
  void note_query() override {
    if (check_) check_->note_query();
  }
  void note_memory(const void *base, std::int64_t bytes) override {
    if (check_) check_->note_memory(base, bytes);
  }
  int around(const CheckedSync &sync, const std::function<int()> &work) override {
    const std::int64_t begin_ns = now_ns();
    const int code = check_ ? check_->around(sync, work) : work();
    // A look that finds nothing is left out.
    if (sync.flag && (code != MPI_SUCCESS || *sync.flag == 0)) return code;
    trace::Event event = describe(sync);
    event.begin_ns = begin_ns;
    event.end_ns = now_ns();
    trace::record(event);
    return code;
  }
  std::function<void()> end_of_request() override {
    return check_ ? check_->end_of_request() : [] {};
  }
  void report_open_epochs(const char *call) override {
    if (check_) check_->report_open_epochs(call);
  }

 private:
  template <class Work>
  static int record(const trace::Event &event, const Work &work) {
    return trace::around([&] { return event; }, work);
  }

  trace::Event about(const char *name, int target) const {
    const Context &context = window_.comm->context;
    trace::Event event{name, "mpi"};
    event.rank = context.in_world(context.rank());
    if (target < context.size()) event.peer = context.in_world(target);
    event.context = context.number();
    event.plan = number_;
    event.label = label_;
    return event;
  }
  trace::Event describe(const CheckedAccess &access) const {
    trace::Event event = about(kCallNames[static_cast<int>(access.call)], access.target->rank);
    const Layout *const layout = typed::layout_of(access.target->type);
    if (layout) event.bytes = static_cast<std::int64_t>(access.target->count) * layout->bytes();
    return event;
  }
  trace::Event describe(const CheckedSync &sync) const {
    trace::Event event = about(kSyncNames[static_cast<int>(sync.call)], sync.target);
    if (sync.call == Sync::start || sync.call == Sync::complete) event.detail = group(window_.epochs.started);
    if (sync.call == Sync::post || sync.call == Sync::wait) event.detail = group(window_.epochs.posted);
    return event;
  }
  /// The ranks of an epoch, as a text.
  trace::Text group(const std::vector<int> &ranks) const {
    std::string text;
    for (const int rank : ranks) {
      if (!text.empty()) text += ' ';
      text += std::to_string(window_.comm->context.in_world(rank));
    }
    return trace::keep_text(text);
  }

  Window &window_;
  std::shared_ptr<Check> check_;
  std::int64_t number_;
  trace::Text label_;
};

}  // namespace

std::shared_ptr<Check> trace_calls(Window &window, std::shared_ptr<Check> check) {
  std::string folder;
  // The same on all ranks, even if one of them cannot write its file.
  if ((trace::wanted(&folder) & trace::kTrace) == 0) return check;
  keep_comm_of_world(window.comm);
  return std::make_shared<TracedCalls>(window, std::move(check));
}

void end_trace() {
  const std::shared_ptr<CommContext> comm = std::exchange(comm_of_world(), nullptr);
  if (comm) static_cast<void>(close_trace(comm->context));
}

}  // namespace halocline::core::mpi
