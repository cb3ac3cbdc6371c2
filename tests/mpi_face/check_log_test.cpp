// The log of accesses of HALOCLINE_CHECK=1: overlaps of random datatypes against sets of bytes, and which accesses may meet.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/check/access_log.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <random>
#include <set>
#include <vector>

#include "faces/mpi/datatype/iterate.hpp"
#include "faces/mpi/datatype/typed_copy.hpp"

namespace {

using halocline::core::mpi::ByteRange;
using halocline::core::mpi::ByteRuns;
using halocline::core::mpi::Call;
using halocline::core::mpi::LoggedAccess;
using halocline::mpi::Basic;
using halocline::mpi::Layout;
using halocline::mpi::Operation;

/// A vector of vectors, with strides of either sign.
class RandomType {
 public:
  explicit RandomType(std::mt19937 &random) {
    const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    MPI_Datatype inner = MPI_DATATYPE_NULL;
    MPI_Type_create_hvector(pick(1, 4), pick(1, 3), pick(-9, 9), MPI_CHAR, &inner);
    MPI_Type_create_hvector(pick(1, 4), 1, pick(-40, 40), inner, &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&inner);
    count_ = pick(0, 3);
    offset_ = pick(-30, 30);
  }
  ~RandomType() { MPI_Type_free(&type_); }
  RandomType(const RandomType &) = delete;
  RandomType &operator=(const RandomType &) = delete;

  ByteRuns runs() const { return {layout(), count_, offset_}; }
  std::set<std::int64_t> bytes() const {
    std::set<std::int64_t> all;
    halocline::mpi::for_each_run(layout(), count_, [&](std::int64_t begin, std::int64_t length) {
      for (std::int64_t i = 0; i < length; ++i) all.insert(offset_ + begin + i);
    });
    return all;
  }

 private:
  const Layout &layout() const { return *halocline::mpi::layout_of(type_); }

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  int count_ = 0;
  std::int64_t offset_ = 0;
};

TEST(CheckLog, finds_overlaps_of_bytes_and_no_others) {
  std::mt19937 random(5);
  int overlaps = 0;
  for (int i = 0; i < 4000; ++i) {
    const RandomType a(random), b(random);
    const std::set<std::int64_t> ours = a.bytes(), theirs = b.bytes();
    bool meets = false;
    for (const std::int64_t byte : ours) meets = meets || theirs.count(byte) > 0;
    ByteRange common;
    const bool found = overlap(a.runs(), b.runs(), &common);
    if (a.runs().has_all && b.runs().has_all) {
      ASSERT_EQ(found, meets) << "case " << i;
    }
    ASSERT_TRUE(!found || meets) << "case " << i;
    for (std::int64_t byte = common.begin; found && byte < common.end; ++byte)
      ASSERT_TRUE(ours.count(byte) && theirs.count(byte)) << "case " << i << ", byte " << byte;
    overlaps += found ? 1 : 0;
  }
  EXPECT_GT(overlaps, 400);
}

TEST(CheckLog, keeps_only_some_bytes_of_what_has_many_strips) {
  std::vector<int> lengths(40, 1), places(40);
  for (int i = 0; i < 40; ++i) places[static_cast<std::size_t>(i)] = i * i + 3 * i;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_indexed(40, lengths.data(), places.data(), MPI_CHAR, &type);
  MPI_Type_commit(&type);
  const ByteRuns runs(*halocline::mpi::layout_of(type), 1, 0);
  EXPECT_FALSE(runs.has_all);
  EXPECT_FALSE(runs.empty());
  EXPECT_EQ(runs.reach.end, 39 * 39 + 3 * 39 + 1);
  MPI_Type_free(&type);
}

LoggedAccess access_of(int origin, Call call, Operation op = Operation::none, Basic basic = Basic::int64) {
  LoggedAccess access;
  access.origin = origin;
  access.call = call;
  access.op = op;
  access.basic = basic;
  return access;
}

bool may_meet(const LoggedAccess &a, const LoggedAccess &b) { return !why_not(a, b) && !why_not(b, a); }

TEST(CheckLog, knows_which_accesses_may_meet) {
  const LoggedAccess put = access_of(0, Call::put), get = access_of(1, Call::get), sum = access_of(1, Call::accumulate, Operation::sum);
  EXPECT_FALSE(may_meet(put, access_of(0, Call::put))) << "one rank's puts are in no order";
  EXPECT_FALSE(may_meet(put, get));
  EXPECT_FALSE(may_meet(put, sum));
  EXPECT_FALSE(may_meet(get, access_of(0, Call::accumulate, Operation::sum)));
  EXPECT_TRUE(may_meet(get, access_of(2, Call::get)));
  EXPECT_TRUE(may_meet(get, access_of(2, Call::get_accumulate, Operation::no_op)));
  EXPECT_FALSE(may_meet(put, access_of(2, Call::fetch_and_op, Operation::no_op)));
}

TEST(CheckLog, knows_which_accumulates_may_meet) {
  const LoggedAccess sum = access_of(1, Call::accumulate, Operation::sum);
  EXPECT_TRUE(may_meet(sum, access_of(2, Call::fetch_and_op, Operation::sum)));
  EXPECT_TRUE(may_meet(sum, access_of(2, Call::get_accumulate, Operation::no_op)));
  EXPECT_TRUE(may_meet(sum, access_of(2, Call::compare_and_swap, Operation::replace)));
  EXPECT_FALSE(may_meet(sum, access_of(2, Call::accumulate, Operation::replace)));
  EXPECT_TRUE(may_meet(sum, access_of(1, Call::accumulate, Operation::replace))) << "one rank's are in order";
  EXPECT_FALSE(may_meet(sum, access_of(2, Call::accumulate, Operation::sum, Basic::float64)));
  EXPECT_FALSE(may_meet(sum, access_of(2, Call::accumulate, Operation::sum, Basic::int32)));
  EXPECT_TRUE(may_meet(sum, access_of(2, Call::accumulate, Operation::sum, Basic::uint64)));
}

}  // namespace
