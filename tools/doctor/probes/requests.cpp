// Many requests at once, as of a halo in four dimensions; requests that take the places of others; errors that a program wants returned.
// SPDX-License-Identifier: BSD-3-Clause
#include "../errors.hpp"
#include "../probe.hpp"
#include "../watchdog.hpp"

namespace doctor {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Which of the messages a round sends.
struct Choice {
  const char *words;
  bool (*sends)(int index, int count);
};
constexpr Choice kAll{"all", [](int, int) { return true; }};
constexpr Choice kSome[] = {{"every second one", [](int i, int) { return i % 2 == 0; }},
                            {"the first alone", [](int i, int) { return i == 0; }},
                            {"the last alone", [](int i, int n) { return i == n - 1; }},
                            {"all but one", [](int i, int) { return i != 5; }}};

/// How many requests are completed together.
struct Completion {
  const char *call;
  void (*run)(int count, MPI_Request *requests);
};
constexpr Completion kWaitall{"MPI_Waitall",
                              [](int count, MPI_Request *requests) { CALL(MPI_Waitall, count, requests, MPI_STATUSES_IGNORE); }};
constexpr Completion kTestall{"MPI_Testall", [](int count, MPI_Request *requests) {
                                for (int done = 0; !done;) POLL(MPI_Testall, count, requests, &done, MPI_STATUSES_IGNORE);
                              }};

/// Persistent messages of one integer each to the next rank, some of which a round sends; the requests of the others are MPI_REQUEST_NULL.
class ManyMessages {
 public:
  ManyMessages(Bench &bench, int count)
      : bench_(bench), count_(count), out_(at(count)), in_(at(count)), receives_(at(count)), sends_(at(count)) {
    // A communicator of its own: messages that stay behind where a probe is cut short must not meet those of other probes.
    CALL(MPI_Comm_dup, bench.comm(), &comm_);
    return_comm_errors(comm_);
    for (int i = 0; i < count; ++i) {
      CALL(MPI_Recv_init, &in_[at(i)], 1, MPI_INT, bench.previous(), i, comm_, &receives_[at(i)]);
      CALL(MPI_Send_init, &out_[at(i)], 1, MPI_INT, bench.next(), i, comm_, &sends_[at(i)]);
    }
  }

  void send(const Choice &choice, const Completion &completion) {
    const std::string words = std::to_string(count_) + " persistent sends, of which " + choice.words + " in " + completion.call + before_;
    watch_phase(words);
    before_ = std::string(", after ") + choice.words;
    const int round = static_cast<int>(bench_.next_round());
    for (int i = 0; i < count_; ++i) out_[at(i)] = value(bench_.rank(), i, round), in_[at(i)] = -1;
    start(receives_, choice);
    start(sends_, choice);
    for (const auto *requests : {&receives_, &sends_}) {
      std::vector<MPI_Request> chosen(at(count_), MPI_REQUEST_NULL);
      for (int i = 0; i < count_; ++i)
        if (choice.sends(i, count_)) chosen[at(i)] = (*requests)[at(i)];
      completion.run(count_, chosen.data());
    }
    for (int i = 0; i < count_; ++i) {
      const int wanted = choice.sends(i, count_) ? value(bench_.previous(), i, round) : -1;
      bench_.expect(in_[at(i)] == wanted, words + ": message " + std::to_string(i) + " brought " + std::to_string(in_[at(i)]) +
                                              ", expected " + std::to_string(wanted));
    }
  }

  void end() {
    for (auto *requests : {&receives_, &sends_})
      for (MPI_Request &request : *requests) CALL(MPI_Request_free, &request);
    CALL(MPI_Comm_free, &comm_);
  }

 private:
  static int value(int rank, int index, int round) { return 1000000 * (round % 1000) + 1000 * (rank % 1000) + index; }

  void start(std::vector<MPI_Request> &requests, const Choice &choice) {
    if (&choice == &kAll) {
      CALL(MPI_Startall, count_, requests.data());
    } else {
      for (int i = 0; i < count_; ++i)
        if (choice.sends(i, count_)) CALL(MPI_Start, &requests[at(i)]);
    }
  }

  Bench &bench_;
  int count_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::string before_;  // which messages were sent last
  std::vector<int> out_, in_;
  std::vector<MPI_Request> receives_, sends_;
};

/// MPICH keeps 64 requests of a call in an array, and allocates memory for more.
void probe_many(Bench &bench, const Completion &completion) {
  for (const int count : {64, 65, 130}) {
    ManyMessages messages(bench, count);
    messages.send(kAll, completion);
    for (const Choice &choice : kSome) {
      messages.send(choice, completion);
      messages.send(kAll, completion);
    }
    messages.end();
  }
}

/// Persistent collectives that are freed, then puts that have requests: an MPI gives these the places of the former.
void probe_request_after_persistent(Bench &bench) {
#if MPI_VERSION >= 4
  constexpr int kRequests = 100;
  std::vector<MPI_Request> requests(kRequests);
  std::vector<int> mine(kRequests), sums(kRequests), window_memory(kRequests);
  for (int i = 0; i < kRequests; ++i) {
    mine[at(i)] = 1000 * bench.rank() + i;
    CALL(MPI_Allreduce_init, &mine[at(i)], &sums[at(i)], 1, MPI_INT, MPI_SUM, bench.comm(), MPI_INFO_NULL, &requests[at(i)]);
  }
  for (MPI_Request &request : requests) {
    CALL(MPI_Start, &request);
    complete(request);
  }
  for (MPI_Request &request : requests) CALL(MPI_Request_free, &request);
  MPI_Win window = MPI_WIN_NULL;
  CALL(MPI_Win_create, window_memory.data(), static_cast<MPI_Aint>(kRequests * sizeof(int)), sizeof(int), MPI_INFO_NULL, bench.comm(),
       &window);
  return_window_errors(window);
  CALL(MPI_Win_lock_all, 0, window);
  for (int i = 0; i < kRequests; ++i) CALL(MPI_Rput, &mine[at(i)], 1, MPI_INT, bench.next(), i, 1, MPI_INT, window, &requests[at(i)]);
  CALL(MPI_Waitall, kRequests, requests.data(), MPI_STATUSES_IGNORE);
  CALL(MPI_Win_unlock_all, window);
  CALL(MPI_Win_free, &window);
  for (int i = 0; i < kRequests; ++i)
    bench.expect(window_memory[at(i)] == 1000 * bench.previous() + i, "integer " + std::to_string(i) + " of MPI_Rput is wrong");
#else
  static_cast<void>(bench);
  throw Lacks("MPI_Allreduce_init needs MPI 4; this is MPI " + std::to_string(MPI_VERSION) + "." + std::to_string(MPI_SUBVERSION));
#endif
}

/// An MPI that takes the handler for another one ends the program here.
void probe_errors_return(Bench &bench) {
  MPI_Comm comm = MPI_COMM_NULL;
  CALL(MPI_Comm_dup, bench.comm(), &comm);
  CALL(MPI_Comm_set_errhandler, comm, MPI_ERRORS_RETURN);
  watch_phase("an error of a communicator that has MPI_ERRORS_RETURN");
  CALL(MPI_Comm_call_errhandler, comm, MPI_ERR_OTHER);
  CALL(MPI_Comm_free, &comm);
}

}  // namespace

std::vector<Probe> request_probes() {
  return {{"messages/waitall_of_many", "MPI_Startall, MPI_Waitall, of more than 64 requests",
           [](Bench &bench) { probe_many(bench, kWaitall); }},
          {"messages/testall_of_many", "MPI_Start, MPI_Testall, of more than 64 requests",
           [](Bench &bench) { probe_many(bench, kTestall); }, true}};
}

std::vector<Probe> crashing_probes() {
  return {{"epochs/request_after_persistent", "MPI_Allreduce_init, MPI_Request_free, then MPI_Rput, MPI_Waitall",
           probe_request_after_persistent},
          {"errors/return", "MPI_ERRORS_RETURN, MPI_Comm_call_errhandler", probe_errors_return}};
}

}  // namespace doctor
