// Waits and tests for requests. The handles are noted before the call, which makes them null.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "calls.hpp"

using namespace advise;

namespace {

/// The requests and statuses of a call; they live as long as the thread, so that a wait allocates nothing.
class Waited {
 public:
  /// `statuses` becomes memory of ours if the program wants none and the answer may matter: receives from any source exist.
  Waited(int count, const MPI_Request *requests, MPI_Status **statuses = nullptr) {
    handles_.clear();
    for (int i = 0; i < count; ++i) handles_.push_back(requests[i] == MPI_REQUEST_NULL ? 0 : number(requests[i]));
    if (!has_wildcards || !statuses) return;
    // MPICH and Open MPI have the same value for both, MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE.
    if (*statuses == MPI_STATUSES_IGNORE) {
      own_.resize(static_cast<std::size_t>(count) + 1);
      *statuses = own_.data();
    }
    statuses_ = *statuses;
  }

  /// All of them.
  void record(const Call &call) const { write(call, handles_, statuses_); }

  /// Those of some indices, with statuses in the order of the indices.
  void record(const Call &call, int count, const int *indices) const {
    if (count == MPI_UNDEFINED || count <= 0) return call.record_spin();
    some_.clear();
    for (int i = 0; i < count; ++i)
      some_.push_back(
          indices[i] < 0 || static_cast<std::size_t>(indices[i]) >= handles_.size() ? 0 : handles_[static_cast<std::size_t>(indices[i])]);
    write(call, some_, statuses_);
  }

 private:
  static void write(const Call &call, std::vector<std::uint64_t> &handles, const MPI_Status *statuses) {
    Event *const event = call.record(Kind::wait);
    if (!event) return;
    const auto count = static_cast<std::uint32_t>(handles.size());
    event->count = count;
    if (count == 1)
      event->request = handles[0];
    else
      this_thread.log->add_words(Kind::items, handles.data(), count);
    if (!statuses) return;
    for (std::uint32_t i = 0; i < count; ++i)
      handles[i] = static_cast<std::uint64_t>(static_cast<std::uint32_t>(statuses[i].MPI_SOURCE)) << 32U |
                   static_cast<std::uint32_t>(statuses[i].MPI_TAG);
    this_thread.log->add_words(Kind::sources, handles.data(), count);
  }

  static thread_local std::vector<std::uint64_t> handles_, some_;
  static thread_local std::vector<MPI_Status> own_;
  const MPI_Status *statuses_ = nullptr;
};

thread_local std::vector<std::uint64_t> Waited::handles_, Waited::some_;
thread_local std::vector<MPI_Status> Waited::own_;

}  // namespace

// MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE are left as they are unless there are receives from any source.
HLC_ADVISE_AROUND(Wait, (MPI_Request * request, MPI_Status *status_out), (request, status_out),
                  const Waited waited(1, request, &status_out), waited.record(call);)
HLC_ADVISE_AROUND(Waitall, (int count, MPI_Request *requests, MPI_Status *statuses), (count, requests, statuses),
                  const Waited waited(count, requests, &statuses), waited.record(call);)
HLC_ADVISE_AROUND(Waitany, (int count, MPI_Request *requests, int *index, MPI_Status *status_out), (count, requests, index, status_out),
                  const Waited waited(count, requests, &status_out), waited.record(call, *index == MPI_UNDEFINED ? 0 : 1, index);)
HLC_ADVISE_AROUND(Waitsome, (int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses),
                  (count, requests, done, indices, statuses), const Waited waited(count, requests, &statuses),
                  waited.record(call, *done, indices);)
HLC_ADVISE_AROUND(Test, (MPI_Request * request, int *flag, MPI_Status *status_out), (request, flag, status_out),
                  const Waited waited(1, request, &status_out), *flag ? waited.record(call) : call.record_spin();)
HLC_ADVISE_AROUND(Testall, (int count, MPI_Request *requests, int *flag, MPI_Status *statuses), (count, requests, flag, statuses),
                  const Waited waited(count, requests, &statuses), *flag ? waited.record(call) : call.record_spin();)
HLC_ADVISE_AROUND(Testany, (int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status_out),
                  (count, requests, index, flag, status_out), const Waited waited(count, requests, &status_out),
                  waited.record(call, *flag && *index != MPI_UNDEFINED ? 1 : 0, index);)
HLC_ADVISE_AROUND(Testsome, (int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses),
                  (count, requests, done, indices, statuses), const Waited waited(count, requests, &statuses),
                  waited.record(call, *done, indices);)

HLC_ADVISE_CALL(Start, (MPI_Request * request), (request), if (Event *const event = call.record(Kind::start)) event->count = 1,
                event->request = number(*request);)
HLC_ADVISE_CALL(Startall, (int count, MPI_Request *requests), (count, requests), record_starts(call, count, requests);)

HLC_ADVISE_CALL(Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status_out), (source, tag, comm, status_out), call.record_spin();)
HLC_ADVISE_CALL(Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status_out), (source, tag, comm, flag, status_out),
                call.record_spin();)
