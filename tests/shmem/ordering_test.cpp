// OpenSHMEM 1.5, memory ordering: what a fence, a quiet, a barrier, a lock and the end of a context promise of what was written before. Each PE
// writes to the next one by every function that writes, and the PE that is told looks at once. PEs are late at random. What tells goes by
// symmetric memory, or by MPI, which nothing of this library delays.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "core_test.hpp"
#include "support/cases.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

constexpr std::uint64_t steps = 40;
constexpr std::size_t most = 6'000;

/// How words are written.
enum class Way { put, put_nbi, put_one, strided, atomic_set, atomic_exclusive_or, signalled, signalled_nbi, count };

/// What each PE writes in a step.
struct Written {
  Way way;
  std::size_t count;
  std::uint64_t step;
};

bool has_signal(Way way) { return way == Way::signalled || way == Way::signalled_nbi; }
bool is_by_word(Way way) { return way == Way::put_one || way == Way::atomic_set || way == Way::atomic_exclusive_or; }

/// The same on all PEs.
Written draw(Random &random, std::uint64_t step) {
  const auto way = static_cast<Way>(between(random, 0, static_cast<std::int64_t>(Way::count) - 1));
  constexpr std::array<std::size_t, 4> counts{2, 30, 300, most};
  return {way, is_by_word(way) ? 3 : counts.at(static_cast<std::size_t>(between(random, 0, 3))), step};
}

/// The last word of a put with a signal is the signal: now and then so large that no write can carry it.
std::vector<std::uint64_t> data_of(const Written &written, int writer) {
  std::vector<std::uint64_t> data(written.count);
  write_words(data.data(), data.size(), writer, written.step);
  if (has_signal(written.way) && written.step % 2 != 0) data.back() = written.step;
  return data;
}

class Target {
 public:
  Target() : words_(most + 1) {}
  std::uint64_t *get() const { return words_.get(); }
  std::uint64_t *flag() const { return words_.get() + most; }

  /// Words of which an exclusive-or makes what it is given.
  void clear(const Written &written) const { std::fill_n(words_.get(), written.count, 0); }

  /// `data` stays until the operation is complete.
  void write(shmem_ctx_t ctx, const Written &written, const std::vector<std::uint64_t> &data, int pe) const {
    const std::size_t count = data.size();
    std::uint64_t *const to = words_.get(), *const signal = to + count - 1;
    switch (written.way) {
      case Way::put: return shmem_ctx_put64(ctx, to, data.data(), count, pe);
      case Way::put_nbi: return shmem_ctx_uint64_put_nbi(ctx, to, data.data(), count, pe);
      case Way::put_one:
        for (std::size_t i = 0; i < count; ++i) shmem_ctx_uint64_p(ctx, to + i, data[i], pe);
        return;
      case Way::strided:
        shmem_ctx_uint64_iput(ctx, to, data.data(), 2, 2, (count + 1) / 2, pe);
        return shmem_ctx_iput64(ctx, to + 1, data.data() + 1, 2, 2, count / 2, pe);
      case Way::atomic_set:
        for (std::size_t i = 0; i < count; ++i) shmem_ctx_uint64_atomic_set(ctx, to + i, data[i], pe);
        return;
      case Way::atomic_exclusive_or:
        for (std::size_t i = 0; i < count; ++i) shmem_ctx_uint64_atomic_xor(ctx, to + i, data[i], pe);
        return;
      case Way::signalled: return shmem_ctx_uint64_put_signal(ctx, to, data.data(), count - 1, signal, data.back(), SHMEM_SIGNAL_SET, pe);
      case Way::signalled_nbi:
        return shmem_ctx_put64_signal_nbi(ctx, to, data.data(), count - 1, signal, data.back(), SHMEM_SIGNAL_SET, pe);
      case Way::count: return;
    }
  }

 private:
  Words words_;
};

/// Fails unless memory is what a PE has written.
void expect_written(const std::uint64_t *memory, const Written &written, int writer) {
  const std::vector<std::uint64_t> data = data_of(written, writer);
  for (std::size_t i = 0; i < data.size(); ++i)
    ASSERT_EQ(memory[i], data[i]) << "word " << i << " of " << data.size() << ", way " << static_cast<int>(written.way) << ", step "
                                  << written.step << ": HALOCLINE_TEST_SEED=" << seed();
}

/// The default context, one of its own, and one of a team.
class Contexts {
 public:
  Contexts() {
    EXPECT_EQ(shmem_ctx_create(0, &all_[1]), 0);
    EXPECT_EQ(shmem_team_create_ctx(SHMEM_TEAM_WORLD, SHMEM_CTX_PRIVATE, &all_[2]), 0);
  }
  Contexts(const Contexts &) = delete;
  Contexts &operator=(const Contexts &) = delete;
  ~Contexts() {
    shmem_ctx_destroy(all_[1]);
    shmem_ctx_destroy(all_[2]);
  }
  shmem_ctx_t of(std::uint64_t step) const { return all_.at(step % all_.size()); }

 private:
  std::array<shmem_ctx_t, 3> all_{SHMEM_CTX_DEFAULT, SHMEM_CTX_INVALID, SHMEM_CTX_INVALID};
};

void quiet(shmem_ctx_t ctx) { ctx == SHMEM_CTX_DEFAULT ? shmem_quiet() : shmem_ctx_quiet(ctx); }
void fence(shmem_ctx_t ctx) { ctx == SHMEM_CTX_DEFAULT ? shmem_fence() : shmem_ctx_fence(ctx); }

/// By MPI alone at first, so that what a PE should have waited for is still under way when it tells; then other PEs are served.
void tell_next_and_wait(const Target &target) {
  const auto begin = std::chrono::steady_clock::now();
  MPI_Request requests[2];
  MPI_Irecv(nullptr, 0, MPI_BYTE, previous(), 59, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(nullptr, 0, MPI_BYTE, next(), 59, MPI_COMM_WORLD, &requests[1]);
  for (int done = 0; done == 0;) {
    MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
    if (std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(3)) shmem_signal_fetch(target.flag());
  }
}

/// Calls step(what each PE writes) again and again, with all of its memory 0 before.
template <class Step>
void repeat(const Target &target, Step step) {
  Random random(mixed(seed()));
  for (std::uint64_t number = 1; number <= steps; ++number) {
    const Written written = draw(random, number);
    target.clear(written);
    shmem_barrier_all();
    step(written);
    shmem_barrier_all();  // a PE that waits in MPI serves no other one
    if (!everyone(!testing::Test::HasFailure())) return;
  }
}

TEST(ShmemOrder, of_a_fence_keeps_a_flag_behind_its_data) {
  const Target target;
  const Contexts contexts;
  Skew skew(1);
  repeat(target, [&](const Written &written) {
    const shmem_ctx_t ctx = contexts.of(written.step);
    const std::vector<std::uint64_t> data = data_of(written, rank());
    skew.delay();
    target.write(ctx, written, data, next());
    fence(ctx);
    shmem_ctx_uint64_p(ctx, target.flag(), written.step, next());
    skew.delay();
    shmem_uint64_wait_until(target.flag(), SHMEM_CMP_EQ, written.step);
    expect_written(target.get(), written, previous());
    quiet(ctx);
  });
}

TEST(ShmemOrder, of_a_quiet_holds_for_a_third_pe) {
  const Target target;
  const Contexts contexts;
  Skew skew(2);
  std::vector<std::uint64_t> theirs(most);
  repeat(target, [&](const Written &written) {
    const shmem_ctx_t ctx = contexts.of(written.step);
    std::vector<std::uint64_t> data = data_of(written, rank());
    skew.delay();
    target.write(ctx, written, data, next());
    quiet(ctx);
    std::fill(data.begin(), data.end(), 0);
    shmem_uint64_p(target.flag(), written.step, (rank() + 2) % size());
    shmem_uint64_wait_until(target.flag(), SHMEM_CMP_EQ, written.step);
    // The PE two before this one has written to the one before.
    shmem_get64(theirs.data(), target.get(), written.count, previous());
    expect_written(theirs.data(), written, (rank() + 2 * size() - 2) % size());
  });
}

TEST(ShmemOrder, of_a_quiet_holds_for_a_pe_that_is_told_by_mpi) {
  const Target target;
  const Contexts contexts;
  Skew skew(3);
  repeat(target, [&](const Written &written) {
    const shmem_ctx_t ctx = contexts.of(written.step);
    std::vector<std::uint64_t> data = data_of(written, rank());
    target.write(ctx, written, data, next());
    skew.delay();
    quiet(ctx);
    std::fill(data.begin(), data.end(), 0);
    tell_next_and_wait(target);
    expect_written(target.get(), written, previous());
  });
}

TEST(ShmemOrder, of_the_end_of_a_context_is_that_of_a_quiet) {
  const Target target;
  Skew skew(4);
  repeat(target, [&](const Written &written) {
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    EXPECT_EQ(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx), 0);
    std::vector<std::uint64_t> data = data_of(written, rank());
    skew.delay();
    target.write(ctx, written, data, next());
    shmem_ctx_destroy(ctx);
    std::fill(data.begin(), data.end(), 0);
    tell_next_and_wait(target);
    expect_written(target.get(), written, previous());
  });
}

/// Much to the previous PE, to which no message of the barrier goes directly where there are 4.
TEST(ShmemOrder, of_a_barrier_is_that_of_a_quiet) {
  constexpr std::size_t count = 100'000;
  const Words words(count);
  std::vector<std::uint64_t> data(count);
  static long sync_array[SHMEM_BARRIER_SYNC_SIZE];
  Skew skew(5);
  shmem_barrier_all();
  for (std::uint64_t step = 1; step <= 15; ++step) {
    write_words(data.data(), count, rank(), step);
    skew.delay();
    shmem_put64_nbi(words.get(), data.data(), count, previous());
    if (step % 3 == 0)
      shmem_barrier(0, 0, size(), sync_array);
    else if (step % 3 == 1)
      shmem_barrier_all();
    else
      shmem_free(shmem_malloc(8));
    expect_words(words.get(), count, next(), step);
    shmem_sync_all();
  }
  meet();
}

/// A record on PE 0: its words, the PE that has written them, and how often that was done before. Each PE that has the lock writes it anew.
TEST(ShmemOrder, of_a_lock_is_that_of_a_quiet) {
  constexpr std::size_t count = 300;
  const Target target;
  Skew skew(6);
  auto *const lock = reinterpret_cast<long *>(target.flag());
  std::vector<std::uint64_t> record(count + 2);
  const auto read = [&] {
    shmem_get64(record.data(), target.get(), record.size(), 0);
    const std::uint64_t writes = record[count + 1];
    if (writes > 0) expect_words(record.data(), count, static_cast<int>(record[count]), writes);
    return writes;
  };
  std::uint64_t last = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    skew.delay();
    shmem_set_lock(lock);
    const std::uint64_t writes = read() + 1;
    EXPECT_GT(writes, last);
    last = writes;
    write_words(record.data(), count, rank(), writes);
    record[count] = static_cast<std::uint64_t>(rank());
    record[count + 1] = writes;
    shmem_put64_nbi(target.get(), record.data(), record.size(), 0);
    shmem_clear_lock(lock);
  }
  meet();
  EXPECT_EQ(read(), steps * static_cast<std::uint64_t>(size()));
  meet();
}

/// Each word of another PE is an element of its own.
TEST(ShmemOrder, of_a_strided_exchange_is_that_of_a_quiet) {
  constexpr std::size_t count = 50;
  const Words words(static_cast<std::size_t>(3 * size()) * count);
  const auto members = static_cast<std::size_t>(size());
  std::uint64_t *const from = words.get(), *const to = from + members * count;
  Skew skew(7);
  const auto compare = [&](std::uint64_t step) {
    for (std::size_t pe = 0; pe < members; ++pe)
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(to[2 * (pe * count + i)], word_of(static_cast<int>(pe), step * members + static_cast<std::size_t>(rank()), i))
            << "word " << i << " of PE " << pe << ", step " << step << ": HALOCLINE_TEST_SEED=" << seed();
  };
  for (std::uint64_t step = 1; step <= steps; ++step) {
    for (std::size_t pe = 0; pe < members; ++pe) write_words(from + pe * count, count, rank(), step * members + pe);
    shmem_barrier_all();
    skew.delay();
    EXPECT_EQ(shmem_uint64_alltoalls(SHMEM_TEAM_WORLD, to, from, 2, 1, count), 0);
    compare(step);
    shmem_barrier_all();
  }
}

TEST(ShmemOrder, of_a_quiet_holds_for_gets) {
  const Target target;
  const Contexts contexts;
  std::vector<std::uint64_t> theirs(most);
  std::uint64_t fetched = 0;
  repeat(target, [&](const Written &written) {
    const shmem_ctx_t ctx = contexts.of(written.step);
    const std::vector<std::uint64_t> data = data_of(written, rank());
    std::copy(data.begin(), data.end(), target.get());
    shmem_barrier_all();
    shmem_ctx_get64_nbi(ctx, theirs.data(), target.get(), written.count, next());
    shmem_ctx_uint64_atomic_fetch_nbi(ctx, &fetched, target.get(), next());
    quiet(ctx);
    expect_written(theirs.data(), written, next());
    EXPECT_EQ(fetched, data_of(written, next())[0]);
  });
}

}  // namespace
}  // namespace halocline::test
