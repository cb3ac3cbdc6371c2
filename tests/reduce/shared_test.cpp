// Arrays that the ranks of a node can read in place. The results are the same bits as from private arrays, whichever ranks have which.
// Their owners may use them for something else as soon as a run is over.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <thread>
#include <utility>

#include "reduce/arrays.hpp"
#include "support/skew.hpp"
#include "support/threads.hpp"
#include "support/variables.hpp"

namespace halocline::test {
namespace {

constexpr std::int64_t kFew = 30'011, kMany = 200'003;  // one row of chunks and several; both of a length that is read in place

/// Memory from hlc_field_alloc.
class Shared {
 public:
  explicit Shared(std::int64_t count) {
    void *raw = nullptr;
    EXPECT_TRUE(ok(hlc_field_alloc(context(), static_cast<std::size_t>(count) * sizeof(double), &raw)));
    data_ = static_cast<double *>(raw);
  }
  Shared(const Shared &) = delete;
  Shared &operator=(const Shared &) = delete;
  ~Shared() { release(); }
  double *data() const { return data_; }
  void release() {
    void *raw = std::exchange(data_, nullptr);
    if (raw) {
      EXPECT_TRUE(ok(hlc_field_free(context(), &raw)));
    }
  }

 private:
  double *data_ = nullptr;
};

/// A run; then what was read of my arrays is overwritten at once, so that a rank that still reads it has wrong bits.
void run_and_spoil(const Plan &plan, int step, double *in, double *out, const std::vector<double> &expected) {
  const std::vector<double> mine = elements_of<double>(rank(), step, static_cast<std::int64_t>(expected.size()));
  std::copy(mine.begin(), mine.end(), in);
  EXPECT_TRUE(ok(plan.run(in, out)));
  const std::vector<double> result(out, out + expected.size());
  std::fill_n(in, expected.size(), -7.0);
  std::fill_n(out, expected.size(), -9.0);
  EXPECT_TRUE(same_bits(result.data(), expected)) << "in step " << step;
}

/// Which arrays of a rank all ranks of its node can read.
struct Who {
  const char *name;
  bool (*in)(int rank);
  bool (*out)(int rank);
};
bool all(int) { return true; }
bool none(int) { return false; }
bool even(int r) { return r % 2 == 0; }
bool odd(int r) { return r % 2 == 1; }

class SharedArrays : public testing::TestWithParam<Who> {};

void try_kinds(const Who &who, std::int64_t count) {
  const Plan plan(spec_of(HLC_FLOAT64, HLC_REDUCE_SUM, count));
  const Shared shared_in(count), shared_out(count);
  std::vector<double> own_in(static_cast<std::size_t>(count)), own_out(own_in.size());
  Skew skew(12);
  for (int step = 0; step < times(16); ++step) {
    if (step % 4 == 0) skew.delay();
    double *in = who.in(rank()) ? shared_in.data() : own_in.data();
    double *out = who.out(rank()) ? shared_out.data() : own_out.data();
    run_and_spoil(plan, step, in, out, folded<double>(step, count, sum<double>));
  }
}

TEST_P(SharedArrays, of_one_row_give_the_same_bits) { try_kinds(GetParam(), kFew); }
TEST_P(SharedArrays, of_several_rows_give_the_same_bits) { try_kinds(GetParam(), kMany); }

INSTANTIATE_TEST_SUITE_P(Ranks, SharedArrays,
                         testing::Values(Who{"both", all, all}, Who{"in", all, none}, Who{"out", none, all}, Who{"in_of_some", even, none},
                                         Who{"out_of_some", none, odd}, Who{"one_of_each", even, odd}),
                         [](const auto &tried) { return tried.param.name; });

TEST(SharedArraysInPlace, give_the_same_bits) {
  const Plan plan(spec_of(HLC_FLOAT64, HLC_REDUCE_SUM, kMany));
  const Shared data(kMany + 5);
  for (int step = 0; step < times(16); ++step)
    run_and_spoil(plan, step, data.data() + step % 5, data.data() + step % 5, folded<double>(step, kMany, sum<double>));
}

TEST(SharedArraysInPlace, past_the_caches_give_the_same_bits) {
  constexpr std::int64_t count = (std::int64_t{9} << 20) / 2 + 5;  // 36 MiB
  const Plan plan(spec_of(HLC_FLOAT64, HLC_REDUCE_SUM, count));
  const Shared data(count);
  const std::vector<double> expected = folded<double>(1, count, sum<double>);
  run_and_spoil(plan, 1, data.data(), data.data(), expected);
  const Shared out(count);
  run_and_spoil(plan, 1, data.data(), out.data(), expected);
}

TEST(SharedArraysThatChange, from_run_to_run_give_the_same_bits) {
  const Plan plan(spec_of(HLC_FLOAT64, HLC_REDUCE_SUM, kFew));
  const Shared first(2 * kFew), second(2 * kFew);
  std::vector<double> own(2 * static_cast<std::size_t>(kFew));
  double *const arrays[] = {first.data(), second.data(), own.data()};
  for (int step = 0; step < times(48); ++step) {
    double *in = arrays[(step + rank()) % 3], *out = arrays[(step / 3 + 2 * rank()) % 3] + kFew;
    run_and_spoil(plan, step, in, out, folded<double>(step, kFew, sum<double>));
  }
}

/// Some ranks have released their part of the memory in which others have their arrays, and so cannot read those any more.
TEST(SharedArraysThatOthersHaveReleased, are_copied) {
  const Plan plan(spec_of(HLC_FLOAT64, HLC_REDUCE_SUM, kMany));
  Shared in(kMany), out(kMany);
  std::vector<double> own_in(static_cast<std::size_t>(kMany)), own_out(own_in.size());
  const std::vector<double> expected = folded<double>(1, kMany, sum<double>);
  if (rank() % 2 == 1) in.release();
  for (int i = 0; i < 3; ++i)
    run_and_spoil(plan, 1, rank() % 2 == 1 ? own_in.data() : in.data(), rank() % 2 == 1 ? own_out.data() : out.data(), expected);
}

/// Another thread of this rank, while the run waits for the others, which are late: the arrays are kept.
TEST(SharedArraysOfARunningReduction, cannot_be_released) {
  if (size() == 1) GTEST_SKIP() << "nobody can come late";
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this MPI gives no MPI_THREAD_MULTIPLE";
  const Variables method{{"HALOCLINE_ALLREDUCE", "chunks"}};  // at once no array is read in place
  const Plan plan(spec_of(HLC_FLOAT64, HLC_REDUCE_SUM, kFew));
  Shared in(kFew);
  std::vector<double> out(static_cast<std::size_t>(kFew));
  const std::vector<double> mine = elements_of<double>(rank(), 1, kFew);
  std::copy(mine.begin(), mine.end(), in.data());
  MPI_Barrier(MPI_COMM_WORLD);
  hlc_status status = HLC_OK;
  std::thread other;
  if (rank() == 0)
    other = std::thread([&, runner = this_thread()] {
      await_sleep(runner);
      void *raw = in.data();
      status = hlc_field_free(context(), &raw);
      for (int late = 1; late < size(); ++late) MPI_Send(nullptr, 0, MPI_BYTE, late, 0, MPI_COMM_WORLD);
    });
  else
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_TRUE(ok(plan.run(in.data(), out.data())));
  if (other.joinable()) other.join();
  EXPECT_EQ(status, rank() == 0 ? HLC_ERR_STATE : HLC_OK);
  EXPECT_TRUE(same_bits(out.data(), folded<double>(1, kFew, sum<double>)));
}

/// No array stays held after a run.
TEST(SharedArraysOfEndedRuns, can_be_released_before_the_plan) {
  const Plan plan(spec_of(HLC_FLOAT64, HLC_REDUCE_SUM, kFew));
  Shared in(kFew), out(kFew);
  run_and_spoil(plan, 1, in.data(), out.data(), folded<double>(1, kFew, sum<double>));
  in.release();
  out.release();
}

}  // namespace
}  // namespace halocline::test
