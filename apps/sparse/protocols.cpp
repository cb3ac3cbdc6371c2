// The protocols on MPI, as Hoefler, Siebert and Lumsdaine describe them (PPoPP 2010), and the library's call. The tags of exchanges
// alternate: messages of a rank that is one exchange ahead must not be received too early.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "protocol.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace sparse {
namespace {

constexpr int kTag = 1;

/// Messages between ranks, in exchanges that are numbered.
class Mail {
 public:
  explicit Mail(int ranks) : counts_(static_cast<std::size_t>(ranks)) {}

  void begin() { number_ ^= 1; }
  void send(const std::vector<Message> &messages, bool synchronously) {
    for (const Message &message : messages) {
      const auto start = synchronously ? MPI_Issend : MPI_Isend;
      sent_.push_back(MPI_REQUEST_NULL);
      start(message.data.data(), static_cast<int>(message.data.size()), MPI_BYTE, message.rank, tag(), MPI_COMM_WORLD, &sent_.back());
    }
  }
  bool have_left() {
    int all = 0;
    MPI_Testall(static_cast<int>(sent_.size()), sent_.data(), &all, MPI_STATUSES_IGNORE);
    if (all) sent_.clear();
    return all != 0;
  }
  void wait() {
    MPI_Waitall(static_cast<int>(sent_.size()), sent_.data(), MPI_STATUSES_IGNORE);
    sent_.clear();
  }
  /// Receives one message of any size, if there is one; or waits for it.
  bool look(std::vector<Message> &received) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag(), MPI_COMM_WORLD, &there, &status);
    if (there) take(status, received);
    return there != 0;
  }
  void receive(int count, std::vector<Message> &received) {
    for (; count > 0; --count) {
      MPI_Status status;
      MPI_Probe(MPI_ANY_SOURCE, tag(), MPI_COMM_WORLD, &status);
      take(status, received);
    }
  }
  /// Counts of messages by target, all 0 at first.
  std::vector<int> &counts(int first) {
    std::fill(counts_.begin(), counts_.end(), first);
    return counts_;
  }

 private:
  int tag() const { return kTag + number_; }
  void take(const MPI_Status &status, std::vector<Message> &received) const {
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    received.push_back({status.MPI_SOURCE, std::vector<std::byte>(static_cast<std::size_t>(bytes))});
    MPI_Recv(received.back().data.data(), bytes, MPI_BYTE, status.MPI_SOURCE, tag(), MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  int number_ = 0;
  std::vector<MPI_Request> sent_;
  std::vector<int> counts_;
};

/// All sizes are exchanged, then the messages that exist: the personalised exchange.
class Alltoall : public Protocol {
 public:
  explicit Alltoall(const Setup &setup) : mail_(setup.context.size()), sizes_(static_cast<std::size_t>(setup.context.size())) {}
  std::vector<Message> exchange(const std::vector<Message> &messages) override {
    mail_.begin();
    std::vector<int> &mine = mail_.counts(-1);
    for (const Message &message : messages) mine[static_cast<std::size_t>(message.rank)] = static_cast<int>(message.data.size());
    MPI_Alltoall(mine.data(), 1, MPI_INT, sizes_.data(), 1, MPI_INT, MPI_COMM_WORLD);
    mail_.send(messages, false);
    const auto count = static_cast<int>(std::count_if(sizes_.begin(), sizes_.end(), [](int bytes) { return bytes >= 0; }));
    std::vector<Message> received;
    mail_.receive(count, received);
    mail_.wait();
    return received;
  }

 private:
  Mail mail_;
  std::vector<int> sizes_;
};

/// A sum over all ranks says how many messages each receives.
class ReduceScatter : public Protocol {
 public:
  explicit ReduceScatter(const Setup &setup) : mail_(setup.context.size()) {}
  std::vector<Message> exchange(const std::vector<Message> &messages) override {
    mail_.begin();
    std::vector<int> &counts = mail_.counts(0);
    for (const Message &message : messages) counts[static_cast<std::size_t>(message.rank)] += 1;
    int count = 0;
    MPI_Reduce_scatter_block(counts.data(), &count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mail_.send(messages, false);
    std::vector<Message> received;
    mail_.receive(count, received);
    mail_.wait();
    return received;
  }

 private:
  Mail mail_;
};

/// Synchronous sends are complete when they are received. Then a rank enters a barrier, and receives until all ranks have.
class Nbx : public Protocol {
 public:
  explicit Nbx(const Setup &setup) : mail_(setup.context.size()) {}
  std::vector<Message> exchange(const std::vector<Message> &messages) override {
    mail_.begin();
    mail_.send(messages, true);
    std::vector<Message> received;
    MPI_Request barrier = MPI_REQUEST_NULL;
    bool entered = false;
    for (int all = 0; !all;) {
      while (mail_.look(received)) {
      }
      if (entered) {
        MPI_Test(&barrier, &all, MPI_STATUS_IGNORE);
      } else if (mail_.have_left()) {
        MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
        entered = true;
      }
    }
    return received;
  }

 private:
  Mail mail_;
};

/// Each rank adds to a counter of each target, before a fence. Two counters take turns: the next exchange adds to the other one, and the
/// fence after it comes when all ranks have cleared this one. So an exchange needs one fence. (Stores between fences to a window that
/// others update elsewhere are for MPI's unified memory model.)
class Accumulate : public Protocol {
 public:
  explicit Accumulate(const Setup &setup) : mail_(setup.context.size()) {
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &counts_, &window_);
    counts_[0] = counts_[1] = 0;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window_);
  }
  Accumulate(const Accumulate &) = delete;
  Accumulate &operator=(const Accumulate &) = delete;
  ~Accumulate() override {
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window_);
    MPI_Win_free(&window_);
  }
  std::vector<Message> exchange(const std::vector<Message> &messages) override {
    mail_.begin();
    const int one = 1;
    turn_ ^= 1;
    for (const Message &message : messages) MPI_Accumulate(&one, 1, MPI_INT, message.rank, turn_, 1, MPI_INT, MPI_SUM, window_);
    MPI_Win_fence(0, window_);
    mail_.send(messages, false);
    const int count = std::exchange(counts_[turn_], 0);
    std::vector<Message> received;
    mail_.receive(count, received);
    mail_.wait();
    return received;
  }

 private:
  Mail mail_;
  int turn_ = 0;
  int *counts_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

/// hlc_sparse_exchange.
class Engine : public Protocol {
 public:
  explicit Engine(const Setup &setup)
      : exchange_(
            setup.context,
            [this](int origin, const void *data, std::int64_t bytes) {
              const auto *begin = static_cast<const std::byte *>(data);
              received_.push_back({origin, std::vector<std::byte>(begin, begin + bytes)});
            },
            setup.options.slots) {}
  std::vector<Message> exchange(const std::vector<Message> &messages) override {
    list_.clear();
    for (const Message &message : messages)
      list_.push_back({message.rank, message.data.data(), static_cast<std::int64_t>(message.data.size())});
    exchange_.exchange(list_);
    return std::exchange(received_, {});
  }

 private:
  std::vector<Message> received_;
  std::vector<halocline::SparseMessage> list_;
  halocline::SparseExchange<std::function<void(int, const void *, std::int64_t)>> exchange_;
};

}  // namespace

std::unique_ptr<Protocol> make_alltoall(const Setup &setup) { return std::make_unique<Alltoall>(setup); }
std::unique_ptr<Protocol> make_reduce_scatter(const Setup &setup) { return std::make_unique<ReduceScatter>(setup); }
std::unique_ptr<Protocol> make_nbx(const Setup &setup) { return std::make_unique<Nbx>(setup); }
std::unique_ptr<Protocol> make_accumulate(const Setup &setup) { return std::make_unique<Accumulate>(setup); }
std::unique_ptr<Protocol> make_engine(const Setup &setup) { return std::make_unique<Engine>(setup); }

const std::vector<Kind> &kinds() {
  static const std::vector<Kind> all{{"alltoall", make_alltoall},
                                     {"reduce_scatter", make_reduce_scatter},
                                     {"nbx", make_nbx},
                                     {"accumulate", make_accumulate},
                                     {"engine", make_engine}};
  return all;
}

}  // namespace sparse
