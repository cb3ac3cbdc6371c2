// The variants on a window of MPI, in one epoch of MPI_Win_lock_all: each access is completed by a flush, or several are by one.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "variant.hpp"

#include <algorithm>

namespace hashtable {
namespace {

class WindowMemory {
 public:
  explicit WindowMemory(std::int64_t words) : words_(static_cast<std::size_t>(words)) {
    MPI_Win_allocate(static_cast<MPI_Aint>(words_ * sizeof(Word)), sizeof(Word), MPI_INFO_NULL, MPI_COMM_WORLD, &base_, &window_);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    clear();
  }
  WindowMemory(const WindowMemory &) = delete;
  WindowMemory &operator=(const WindowMemory &) = delete;
  ~WindowMemory() {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }

  Word carry_out(const Access &access) const {
    Word answer = 0;
    start(access, &answer);
    MPI_Win_flush(access.rank, window_);
    return answer;
  }
  void carry_out(std::span<const Access> accesses, std::span<Word> answers) const {
    for (std::size_t i = 0; i < accesses.size(); ++i) start(accesses[i], &answers[i]);
    MPI_Win_flush_all(window_);
  }
  /// Each access is a message of its own.
  static bool looks_ahead() { return false; }
  void barrier() const {
    MPI_Win_sync(window_);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window_);
  }
  void clear() const {
    barrier();
    std::fill_n(base_, words_, Word{0});
    barrier();
  }
  std::span<const Word> part() const { return {base_, words_}; }

 private:
  /// `access` and `answer` stay where they are until the flush.
  void start(const Access &access, Word *answer) const {
    if (access.kind == Access::Kind::compare_swap)
      MPI_Compare_and_swap(&access.value, &access.expected, answer, MPI_UINT64_T, access.rank, access.word, window_);
    else
      MPI_Fetch_and_op(&access.value, answer, MPI_UINT64_T, access.rank, access.word, op_of(access.kind), window_);
  }
  static MPI_Op op_of(Access::Kind kind) {
    if (kind == Access::Kind::read) return MPI_NO_OP;
    return kind == Access::Kind::add ? MPI_SUM : MPI_REPLACE;
  }

  std::size_t words_;
  Word *base_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

class Rma : public Variant {
 public:
  Rma(const Setup &setup, bool batched)
      : place_{setup.shape}, memory_(words_of(setup.shape)), batched_(batched), at_once_(setup.at_once), skew_(setup.skew) {}

  void run(std::span<Request> requests) override {
    if (batched_) {
      in_batches(requests, at_once_, skew_, [&](std::span<Request> some) { carry_out(memory_, place_, some, at_once_); });
    } else {
      for (Request &request : requests) {
        skew_.delay();
        carry_out(memory_, place_, request);
      }
    }
    memory_.barrier();
  }
  void clear() override {
    memory_.clear();
    place_.spares.clear();
  }
  std::span<const Word> part() const override { return memory_.part(); }

 private:
  Place place_;
  WindowMemory memory_;
  bool batched_;
  std::size_t at_once_;
  common::Skew &skew_;
};

}  // namespace

std::unique_ptr<Variant> make_rma(const Setup &setup) { return std::make_unique<Rma>(setup, false); }
std::unique_ptr<Variant> make_rma_batched(const Setup &setup) { return std::make_unique<Rma>(setup, true); }

}  // namespace hashtable
