// Active messages over MPI's point-to-point calls: a request is sent to the owner of its key. The owner carries it out in its own memory
// and answers. Ranks serve others while they wait for answers, and until all ranks have theirs.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "variant.hpp"

#include <algorithm>
#include <ctime>
#include <list>

namespace hashtable {
namespace {

constexpr int kAsk = 1, kAnswer = 2;

/// A request that is sent to the owner, and sent back with the result.
struct Message {
  Request request;
  std::uint64_t place = 0;  ///< of the request in its sender's list
};

class LocalMemory {
 public:
  explicit LocalMemory(std::int64_t words) : words_(static_cast<std::size_t>(words)) {}
  Word carry_out(const Access &access) {
    Word &word = words_[static_cast<std::size_t>(access.word)];
    const Word before = word;
    if (access.kind == Access::Kind::write || (access.kind == Access::Kind::compare_swap && before == access.expected)) word = access.value;
    if (access.kind == Access::Kind::add) word += access.value;
    return before;
  }
  void clear() { std::fill(words_.begin(), words_.end(), Word{0}); }
  std::span<const Word> part() const { return words_; }

 private:
  std::vector<Word> words_;
};

/// Messages that have been sent and whose buffers may not be reused yet.
class Outbox {
 public:
  void send(const Message &message, int rank, int tag) {
    sent_.push_back({message, MPI_REQUEST_NULL});
    Sent &last = sent_.back();
    MPI_Isend(&last.message, sizeof(Message), MPI_BYTE, rank, tag, MPI_COMM_WORLD, &last.request);
    tidy();
  }
  void wait() {
    for (Sent &one : sent_) MPI_Wait(&one.request, MPI_STATUS_IGNORE);
    sent_.clear();
  }

 private:
  struct Sent {
    Message message;
    MPI_Request request;
  };
  /// Forgets the oldest ones that have left.
  void tidy() {
    for (int left = 1; left != 0 && !sent_.empty();) {
      MPI_Test(&sent_.front().request, &left, MPI_STATUS_IGNORE);
      if (left) sent_.pop_front();
    }
  }
  std::list<Sent> sent_;
};

class Messages : public Variant {
 public:
  Messages(const Setup &setup, std::size_t at_once)
      : place_{setup.shape},
        memory_(words_of(setup.shape)),
        rank_(setup.context.rank()),
        at_once_(at_once),
        shares_cores_(setup.context.info().node_size > setup.context.info().cores),
        skew_(setup.skew) {}

  void run(std::span<Request> requests) override {
    requests_ = requests;
    for (std::size_t next = 0; next < requests.size(); ++next) {
      skew_.delay();
      while (open_ >= at_once_) wait();
      start(next);
      serve();
    }
    while (open_ > 0) wait();
    end();
  }
  void clear() override {
    memory_.clear();
    place_.spares.clear();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  std::span<const Word> part() const override { return memory_.part(); }

 private:
  void start(std::size_t place) {
    Request &request = requests_[place];
    const int owner = home_of(request.key, place_.shape).rank;
    if (owner == rank_) return carry_out(memory_, place_, request);
    outbox_.send({request, place}, owner, kAsk);
    ++open_;
  }
  /// Where ranks share cores, the rank that is to answer may need this one's. sched_yield lets it run only now and then.
  void wait() {
    constexpr std::timespec kShort{0, 10'000};
    if (!serve() && shares_cores_) nanosleep(&kShort, nullptr);
  }
  /// Takes all messages that are there; false if there was none.
  bool serve() {
    for (bool any = false;; any = true) {
      int there = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
      if (!there) return any;
      Message message;
      MPI_Recv(&message, sizeof message, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      take(message, status);
    }
  }
  void take(Message &message, const MPI_Status &status) {
    if (status.MPI_TAG == kAnswer) {
      requests_[message.place] = message.request;
      --open_;
    } else {
      carry_out(memory_, place_, message.request);
      outbox_.send(message, status.MPI_SOURCE, kAnswer);
    }
  }
  /// A rank enters the barrier once all its requests are answered, so there is nothing to serve after it.
  void end() {
    MPI_Request barrier;
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    for (int all = 0; !all;) {
      wait();
      MPI_Test(&barrier, &all, MPI_STATUS_IGNORE);
    }
    outbox_.wait();
  }

  Place place_;
  LocalMemory memory_;
  int rank_;
  std::size_t at_once_;
  bool shares_cores_;
  common::Skew &skew_;
  std::span<Request> requests_;
  std::size_t open_ = 0;
  Outbox outbox_;
};

}  // namespace

std::unique_ptr<Variant> make_messages_one(const Setup &setup) { return std::make_unique<Messages>(setup, 1); }
std::unique_ptr<Variant> make_messages(const Setup &setup) { return std::make_unique<Messages>(setup, setup.at_once); }

}  // namespace hashtable
