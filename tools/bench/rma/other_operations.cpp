// SPDX-License-Identifier: BSD-3-Clause
#include "bench/rma/other_operations.hpp"

#include "bench/frame/variable.hpp"
#include "bench/frame/work.hpp"
#include "bench/rma/notified.hpp"

#include <sys/mman.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

namespace bench {

namespace {

constexpr int kNotified = 0;
constexpr int kOverlapTrials = 10;
constexpr std::int64_t kPageBytes = 4096;

/// Two ranks of a communicator, the first and the last, to and fro.
class Signals {
 public:
  Signals(const Stage &stage, std::int64_t bytes)
      : comm_(stage.comm),
        rank_(rank_of(comm_)),
        last_(size_of(comm_) - 1),
        bytes_(bytes),
        segment_(stage.context, bytes, 1),
        host_(host_calls(), comm_),
        outgoing_(static_cast<std::size_t>(bytes), 1),
        incoming_(static_cast<std::size_t>(bytes)) {
    host_.calls.lock_all(0, host_.win);
    if (notified_calls().put) window_ = std::make_unique<NotifiedWindow>(comm_, bytes, std::vector<int>{other()});
  }
  ~Signals() { host_.calls.unlock_all(host_.win); }
  Signals(const Signals &) = delete;
  Signals &operator=(const Signals &) = delete;

  double by_engine(int count) {
    const double us = to_and_fro(
        count, [&] { segment_.put_notify({other(), 0}, outgoing_.data(), bytes_, {kNotified, 1}); },
        [&] { segment_.reset(segment_.wait({kNotified, 1})); });
    segment_.flush();
    segment_.barrier();
    expect(segment_.data<char>());
    return us;
  }
  bool has_window() const { return window_ != nullptr; }
  /// By MPIX_Put_notify on a window of the drop-in.
  double by_window(int count) {
    const double us =
        to_and_fro(count, [&] { window_->put(outgoing_.data(), size(), other(), 0, kNotified); }, [&] { window_->wait(kNotified); });
    if (takes_part()) window_->flush(other());
    meet(comm_);
    expect(window_->data());
    return us;
  }
  double by_host(int count) {
    const double us = to_and_fro(
        count,
        [&] {
          host_.calls.put(outgoing_.data(), size(), MPI_BYTE, other(), 0, size(), MPI_BYTE, host_.win);
          host_.calls.flush(other(), host_.win);
          MPI_Send(nullptr, 0, MPI_BYTE, other(), 0, comm_);
        },
        [&] { MPI_Recv(nullptr, 0, MPI_BYTE, other(), 0, comm_, MPI_STATUS_IGNORE); });
    PMPI_Win_sync(host_.win);
    expect(host_.window);
    return us;
  }
  double by_messages(int count) {
    const double us = to_and_fro(
        count, [&] { MPI_Send(outgoing_.data(), size(), MPI_BYTE, other(), 0, comm_); },
        [&] { MPI_Recv(incoming_.data(), size(), MPI_BYTE, other(), 0, comm_, MPI_STATUS_IGNORE); });
    expect(incoming_.data());
    return us;
  }

 private:
  int other() const { return rank_ == 0 ? last_ : 0; }
  int size() const { return static_cast<int>(bytes_); }
  bool takes_part() const { return rank_ == 0 || rank_ == last_; }

  /// Half a round trip. What is sent differs from sample to sample.
  template <class Send, class Receive>
  double to_and_fro(int count, Send send, Receive receive) {
    std::memset(outgoing_.data(), ++stamp_, outgoing_.size());
    meet(comm_);
    if (!takes_part()) return slowest(0, comm_);
    const double us = time_calls(count, [&] {
      if (rank_ == 0) send();
      receive();
      if (rank_ == last_) send();
    });
    return slowest(us / 2, comm_);
  }
  void expect(const char *found) const {
    int wrong = takes_part() && (found[0] != stamp_ || found[bytes_ - 1] != stamp_) ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, comm_);
    if (wrong > 0) throw std::runtime_error("notify: wrong data after " + std::to_string(bytes_) + " bytes");
  }

  MPI_Comm comm_;
  int rank_, last_;
  std::int64_t bytes_;
  halocline::Segment segment_;
  RmaSide host_;
  std::unique_ptr<NotifiedWindow> window_;
  std::vector<char> outgoing_, incoming_;
  char stamp_ = 0;
};

/// An array per rank, and its sum over all.
class Sums {
 public:
  Sums(const Stage &stage, std::int64_t bytes)
      : comm_(stage.comm),
        in_(static_cast<std::size_t>((bytes + 7) / 8), rank_of(comm_) + 1.0),
        out_(in_.size()),
        plan_(planned(stage, "")),
        at_once_(planned(stage, "at_once")),
        chunks_(planned(stage, "chunks")) {}

  double by_engine(int count) { return run(plan_, count); }
  /// More bytes than some are always combined in chunks.
  bool can_be_at_once() const { return at_once_.info().chunk_bytes == 0; }
  double at_once(int count) { return run(at_once_, count); }
  double in_chunks(int count) { return run(chunks_, count); }
  double by_host(int count) {
    return sample(count, [&] { MPI_Allreduce(in_.data(), out_.data(), static_cast<int>(in_.size()), MPI_DOUBLE, MPI_SUM, comm_); });
  }
  double by_copy(int count) {
    meet(comm_);
    return slowest(time_calls(count, [&] { std::memcpy(out_.data(), in_.data(), in_.size() * sizeof(double)); }), comm_);
  }

 private:
  /// A plan that is carried out in this way; "": as the library chooses.
  halocline::Allreduce<double> planned(const Stage &stage, const char *way) const {
    const Variable variable("HALOCLINE_ALLREDUCE", way);
    return {stage.context, static_cast<std::int64_t>(in_.size()), halocline::Reduction::sum};
  }
  double run(halocline::Allreduce<double> &plan, int count) {
    return sample(count, [&] { plan.run(in_.data(), out_.data()); });
  }
  template <class Call>
  double sample(int count, Call call) {
    meet(comm_);
    const double us = slowest(time_calls(count, call), comm_);
    const double ranks = size_of(comm_), sum = ranks * (ranks + 1) / 2;
    int wrong = std::fabs(out_.front() - sum) > 1e-9 || std::fabs(out_.back() - sum) > 1e-9 ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, comm_);
    if (wrong > 0) throw std::runtime_error("allreduce: a wrong sum");
    return us;
  }

  MPI_Comm comm_;
  std::vector<double> in_, out_;
  halocline::Allreduce<double> plan_, at_once_, chunks_;
};

/// Puts from the first rank to the last, with a computation between put and flush.
class Overlap {
 public:
  Overlap(const Stage &stage, std::int64_t bytes)
      : comm_(stage.comm), last_(size_of(comm_) - 1), bytes_(bytes), segment_(stage.context, bytes), host_(host_calls(), comm_) {}

  double by_engine(int) {
    const double percent = hidden([&] { segment_.put({last_, 0}, host_.buffer.data(), bytes_); }, [&] { segment_.flush(last_); });
    segment_.flush();
    segment_.barrier();
    return of_first(percent);
  }
  double by_host(int) {
    host_.calls.lock_all(0, host_.win);
    const auto size = static_cast<int>(bytes_);
    const double percent = hidden([&] { host_.calls.put(host_.buffer.data(), size, MPI_BYTE, last_, 0, size, MPI_BYTE, host_.win); },
                                  [&] { host_.calls.flush(last_, host_.win); });
    host_.calls.unlock_all(host_.win);
    return of_first(percent);
  }

 private:
  template <class Put, class Flush>
  double hidden(Put put, Flush flush) {
    meet(comm_);
    if (rank_of(comm_) != 0) return 0;
    const auto communicate = [&] { put(), flush(); };
    communicate();
    const double communication = time_calls(kOverlapTrials, communicate);
    const std::int64_t steps = work_.steps_for(1.1 * communication);
    const double compute = time_calls(kOverlapTrials, [&] { work_.compute(steps); });
    const double combined = time_calls(kOverlapTrials, [&] { put(), work_.compute(steps), flush(); });
    return 100 * (communication + compute - combined) / communication;
  }
  double of_first(double percent) const {
    MPI_Bcast(&percent, 1, MPI_DOUBLE, 0, comm_);
    return percent;
  }

  MPI_Comm comm_;
  int last_;
  std::int64_t bytes_;
  halocline::Segment segment_;
  RmaSide host_;
  Work work_;
};

double make_windows(const RmaCalls &calls, MPI_Comm comm, int count) {
  meet(comm);
  return slowest(time_calls(count,
                            [&] {
                              MPI_Win win = MPI_WIN_NULL;
                              void *memory = nullptr;
                              calls.allocate(kPageBytes, 1, MPI_INFO_NULL, comm, &memory, &win);
                              std::memset(memory, 1, kPageBytes);
                              calls.free(&win);
                            }),
                 comm);
}

double make_segments(const Stage &stage, int count) {
  meet(stage.comm);
  return slowest(time_calls(count,
                            [&] {
                              halocline::Segment segment(stage.context, kPageBytes, 1);
                              std::memset(segment.data(), 1, kPageBytes);
                              segment.finalise();
                            }),
                 stage.comm);
}

/// The system's part: a page of shared memory that is mapped, written and unmapped.
double map_pages(MPI_Comm comm, int count) {
  meet(comm);
  return slowest(time_calls(count,
                            [&] {
                              void *page = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
                              if (page == MAP_FAILED) throw std::runtime_error("creation: out of memory");
                              std::memset(page, 1, kPageBytes);
                              munmap(page, kPageBytes);
                            }),
                 comm);
}

/// Rounds of a barrier by dissemination.
int rounds_of(MPI_Comm comm) { return static_cast<int>(std::ceil(std::log2(size_of(comm)))); }

}  // namespace

Operation make_notify(Stage &stage, std::int64_t bytes) {
  const auto signals = std::make_shared<Signals>(stage, bytes);
  RmaRanks &ranks = stage.backends.ranks();
  const auto limit = [&stage, &ranks, bytes](int count) {
    const double copy = time_calls(count, [&] { std::memcpy(ranks.near, ranks.plain.data(), static_cast<std::size_t>(bytes)); });
    return slowest(ranks.rank == 0 ? copy : 0, stage.comm) + stage.backends.handovers(1);
  };
  Operation operation{"put + notify", bytes, {{"engine", [signals](int count) { return signals->by_engine(count); }}}};
  if (signals->has_window()) operation.backends.push_back({"drop-in", [signals](int count) { return signals->by_window(count); }});
  operation.backends.push_back({"host", [signals](int count) { return signals->by_host(count); }});
  operation.backends.push_back({"messages", [signals](int count) { return signals->by_messages(count); }});
  operation.backends.push_back({kLimitBackend, limit});
  return operation;
}

Operation make_barrier(Stage &stage) {
  const auto segment = std::make_shared<halocline::Segment>(stage.context, 0);
  const MPI_Comm comm = stage.comm;
  const auto engine = [segment, comm](int count) {
    meet(comm);
    return slowest(time_calls(count, [&] { segment->barrier(); }), comm);
  };
  const auto host = [comm](int count) {
    meet(comm);
    return slowest(time_calls(count, [&] { MPI_Barrier(comm); }), comm);
  };
  return {"barrier",
          0,
          {{"engine", engine}, {"host", host}, {kLimitBackend, [&stage](int) { return stage.backends.handovers(rounds_of(stage.comm)); }}}};
}

Operation make_allreduce(Stage &stage, std::int64_t bytes) {
  const auto sums = std::make_shared<Sums>(stage, bytes);
  Operation operation{"allreduce", bytes, {{"engine", [sums](int count) { return sums->by_engine(count); }}}};
  if (sums->can_be_at_once()) operation.backends.push_back({"at_once", [sums](int count) { return sums->at_once(count); }});
  operation.backends.push_back({"chunks", [sums](int count) { return sums->in_chunks(count); }});
  operation.backends.push_back({"host", [sums](int count) { return sums->by_host(count); }});
  // A rank's numbers go to all others, as the word of a barrier does.
  const auto limit = [sums, &stage](int count) { return sums->by_copy(count) + stage.backends.handovers(rounds_of(stage.comm)); };
  operation.backends.push_back({kLimitBackend, limit});
  return operation;
}

Operation make_overlap(Stage &stage, std::int64_t bytes) {
  const auto overlap = std::make_shared<Overlap>(stage, bytes);
  return {"put hidden by computation",
          bytes,
          {{"engine", [overlap](int count) { return overlap->by_engine(count); }},
           {"host", [overlap](int count) { return overlap->by_host(count); }}},
          1,
          "%"};
}

Operation make_creation(Stage &stage) {
  const MPI_Comm comm = stage.comm;
  Operation operation{"window or segment made and freed", kPageBytes, {}};
  operation.backends.push_back({"engine", [&stage](int count) { return make_segments(stage, count); }});
  if (is_drop_in_loaded())
    operation.backends.push_back({"drop-in", [comm](int count) { return make_windows(loaded_calls(), comm, count); }});
  operation.backends.push_back({"host", [comm](int count) { return make_windows(host_calls(), comm, count); }});
  operation.backends.push_back({kLimitBackend, [comm](int count) { return map_pages(comm, count); }});
  return operation;
}

}  // namespace bench
