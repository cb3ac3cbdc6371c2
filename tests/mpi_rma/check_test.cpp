// HALOCLINE_CHECK=1 for windows. Each program breaks one rule and gets one report, which names ranks, bytes and call sites. Programs that
// keep the rules get none. The ranks from 2 on only take part in what is collective.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/mpi_test.hpp"

namespace {

using halocline::test::rank;
using halocline::test::size;

constexpr int kNumbers = 16;

/// A window of numbers of 8 bytes, whose error handler returns, and the reports about it.
class MpiCheck : public testing::Test {
 protected:
  void SetUp() override {
    if (size() < 2) GTEST_SKIP() << "it takes two ranks";
    MPI_Win_allocate(kNumbers * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine_, &win_);
    MPI_Win_set_errhandler(win_, MPI_ERRORS_RETURN);
    MPI_Win_set_name(win_, "temperature");
    for (int i = 0; i < kNumbers; ++i) mine_[i] = -1;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void TearDown() override {
    if (win_ != MPI_WIN_NULL) MPI_Win_free(&win_);
  }

  /// What all ranks have written about broken rules while they did this, a line each.
  static std::vector<std::string> reports_of(const std::function<void()> &work) {
    testing::internal::CaptureStderr();
    work();
    MPI_Barrier(MPI_COMM_WORLD);
    std::string text = testing::internal::GetCapturedStderr();
    text.resize(4096, '\0');
    std::string all(text.size() * static_cast<std::size_t>(size()), '\0');
    MPI_Allgather(text.data(), 4096, MPI_CHAR, all.data(), 4096, MPI_CHAR, MPI_COMM_WORLD);
    std::vector<std::string> lines;
    for (std::size_t at = all.find("HALOCLINE_CHECK: "); at != std::string::npos; at = all.find("HALOCLINE_CHECK: ", at + 1))
      lines.push_back(all.substr(at, all.find_first_of(std::string("\n\0", 2), at) - at));
    return lines;
  }
  static void expect_one(const std::function<void()> &work, const std::vector<std::string> &words) {
    const std::vector<std::string> lines = reports_of(work);
    ASSERT_EQ(lines.size(), 1U) << (lines.empty() ? "" : lines[0] + "\n" + lines.back());
    for (const std::string &word : words) EXPECT_NE(lines[0].find(word), std::string::npos) << "no '" << word << "' in: " << lines[0];
  }
  static void expect_none(const std::function<void()> &work) {
    const std::vector<std::string> lines = reports_of(work);
    EXPECT_TRUE(lines.empty()) << lines[0];
  }
  /// Two sites of this file.
  static void expect_sites(const std::string &line) {
    const std::size_t first = line.find("check_test.cpp:"), second = line.find("check_test.cpp:", first + 1);
    const std::size_t module = line.find("+0x"), other = line.find("+0x", module + 1);
    EXPECT_TRUE(second != std::string::npos || other != std::string::npos) << line;
  }

  int put(std::int64_t value, int target, int i, int count = 1) {
    values_.assign(kNumbers, value);
    return MPI_Put(values_.data(), count, MPI_INT64_T, target, i, count, MPI_INT64_T, win_);
  }
  int get(int target, int i) { return MPI_Get(&got_, 1, MPI_INT64_T, target, i, 1, MPI_INT64_T, win_); }
  int add(int target, int i, MPI_Op op = MPI_SUM, MPI_Datatype type = MPI_INT64_T) {
    return MPI_Accumulate(&one_, 1, type, target, i, 1, type, op, win_);
  }
  /// Another rank knows that this one has done what precedes.
  static void tell(int whom) { MPI_Send(nullptr, 0, MPI_INT, whom, 3, MPI_COMM_WORLD); }
  static void hear(int whom) { MPI_Recv(nullptr, 0, MPI_INT, whom, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
  void fences(const std::function<void()> &between) {
    MPI_Win_fence(0, win_);
    between();
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win_);
  }
  void locks(const std::function<void()> &between) {
    MPI_Win_lock_all(0, win_);
    between();
    MPI_Win_unlock_all(win_);
  }

  MPI_Win win_ = MPI_WIN_NULL;
  std::int64_t *mine_ = nullptr;
  std::vector<std::int64_t> values_;
  std::int64_t got_ = 0;
  const std::int64_t one_ = 1;
};

TEST_F(MpiCheck, puts_of_two_ranks_that_overlap) {
  const std::vector<std::string> lines = reports_of([&] {
    fences([&] {
      if (rank() == 0) put(1, 1, 2, 4);
      if (rank() == 1) put(2, 1, 4, 4);
    });
  });
  ASSERT_EQ(lines.size(), 1U);
  for (const char *word : {"'temperature'", "MPI_Put of rank 0", "MPI_Put of rank 1", "bytes 32 to 47 of rank 1"})
    EXPECT_NE(lines[0].find(word), std::string::npos) << lines[0];
  expect_sites(lines[0]);
}

TEST_F(MpiCheck, the_call_that_finds_a_conflict_is_done_and_says_so) {
  int code = MPI_SUCCESS, error_class = MPI_SUCCESS;
  static_cast<void>(reports_of([&] {
    locks([&] {
      if (rank() == 0) put(1, 1, 0);
      if (rank() == 0) code = put(2, 1, 0);
    });
  }));
  MPI_Error_class(code, &error_class);
  EXPECT_EQ(error_class, rank() == 0 ? MPI_ERR_RMA_CONFLICT : MPI_SUCCESS);
  if (rank() == 1) {
    EXPECT_EQ(mine_[0], 2);
  }
}

TEST_F(MpiCheck, a_get_against_a_put) {
  const auto work = [&] {
    fences([&] {
      if (rank() == 0) put(1, 0, 3);
      if (rank() == 1) get(0, 3);
    });
  };
  expect_one(work, {"MPI_Put of rank 0", "MPI_Get of rank 1", "bytes 24 to 31 of rank 0"});
}

TEST_F(MpiCheck, an_accumulate_against_a_get) {
  const auto work = [&] {
    locks([&] {
      if (rank() == 0) add(1, 3), tell(1);
      if (rank() == 1) hear(0), get(1, 3), tell(0);
      if (rank() == 0) hear(1);
    });
  };
  expect_one(work, {"MPI_Accumulate of rank 0", "MPI_Get of rank 1", "bytes 24 to 31 of rank 1"});
}

TEST_F(MpiCheck, accumulates_with_other_operations) {
  const auto work = [&] {
    fences([&] {
      if (rank() < 2) add(0, 1, rank() == 0 ? MPI_SUM : MPI_PROD);
    });
  };
  expect_one(work, {"MPI_Accumulate of rank 0", "MPI_Accumulate of rank 1", "with different operations"});
}

TEST_F(MpiCheck, accumulates_with_other_types) {
  const auto work = [&] {
    fences([&] {
      if (rank() < 2) add(0, 1, MPI_SUM, rank() == 0 ? MPI_INT64_T : MPI_DOUBLE);
    });
  };
  expect_one(work, {"with different types"});
}

TEST_F(MpiCheck, a_store_against_a_put_of_the_same_epoch) {
  for (const bool store_first : {true, false}) {
    const auto work = [&] {
      fences([&] {
        if (rank() == 0 && store_first) mine_[5] = 77, tell(1);
        if (rank() == 1 && store_first) hear(0);
        if (rank() == 1) put(4, 0, 4, 3), tell(0);
        if (rank() == 0) hear(1);
        if (rank() == 0 && !store_first) mine_[5] = 78;
      });
    };
    expect_one(work, {"stored to byte", "of rank 0", "MPI_Put of rank 1"});
  }
}

TEST_F(MpiCheck, a_store_against_a_put_after_post) {
  MPI_Group all = MPI_GROUP_NULL, other = MPI_GROUP_NULL;
  const int peer = rank() == 0 ? 1 : 0;
  MPI_Win_get_group(win_, &all);
  MPI_Group_incl(all, 1, &peer, &other);
  const auto work = [&] {
    if (rank() == 0) MPI_Win_post(other, 0, win_);
    if (rank() == 0) mine_[9] = 4;
    if (rank() == 0) tell(1);
    if (rank() == 1) MPI_Win_start(other, 0, win_), hear(0), put(8, 0, 9), MPI_Win_complete(win_);
    if (rank() == 0) MPI_Win_wait(win_);
  };
  expect_one(work, {"stored to byte", "MPI_Put of rank 1"});
  MPI_Group_free(&other);
  MPI_Group_free(&all);
}

TEST_F(MpiCheck, a_store_before_the_flush_of_a_put) {
  const auto work = [&] {
    locks([&] {
      if (rank() == 1) put(4, 0, 7), tell(0), hear(0), MPI_Win_flush(0, win_);
      if (rank() == 0) hear(1), mine_[7] = 99, tell(1);
    });
  };
  expect_one(work, {"stored to byte", "MPI_Put of rank 1", "before it was complete"});
}

TEST_F(MpiCheck, a_buffer_that_a_get_still_fills) {
  const auto work = [&] {
    locks([&] {
      if (rank() == 0) get(1, 0);
      if (rank() == 0) MPI_Put(&got_, 1, MPI_INT64_T, 1, 6, 1, MPI_INT64_T, win_);
    });
  };
  expect_one(work, {"MPI_Put of rank 0", "reads a buffer that MPI_Get of rank 0", "flush"});
}

TEST_F(MpiCheck, a_buffer_that_a_put_still_reads) {
  const auto work = [&] {
    locks([&] {
      if (rank() == 0) put(5, 1, 0);
      if (rank() == 0) MPI_Get(values_.data(), 1, MPI_INT64_T, 1, 3, 1, MPI_INT64_T, win_);
    });
  };
  expect_one(work, {"MPI_Get of rank 0", "writes to a buffer that MPI_Put of rank 0"});
}

TEST_F(MpiCheck, an_epoch_that_is_open_when_the_window_is_freed) {
  if (rank() == 0) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win_);
  const auto work = [&] {
    MPI_Win copy = win_;
    if (rank() == 0) {
      EXPECT_NE(MPI_Win_free(&copy), MPI_SUCCESS);
    }
  };
  expect_one(work, {"MPI_Win_free", "MPI_Win_lock of rank 1", "still open"});
  if (rank() == 0) MPI_Win_unlock(1, win_);
}

// Programs that keep the rules.

TEST_F(MpiCheck, accesses_in_order_are_right) {
  expect_none([&] {
    locks([&] {
      if (rank() == 0) put(1, 1, 0), MPI_Win_flush(1, win_), put(2, 1, 0), MPI_Win_flush(1, win_), tell(1);
      if (rank() == 1) hear(0), put(3, 1, 0), MPI_Win_flush_all(win_), get(1, 0), MPI_Win_flush_local(1, win_), tell(0);
      if (rank() == 0) hear(1), put(4, 1, 0);
    });
    for (int i = 0; i < 10; ++i)
      if (rank() < 2) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win_), put(i, 0, 2), MPI_Win_unlock(0, win_);
    for (int i = 0; i < 6; ++i)
      fences([&] {
        if (rank() == i % 2) put(i, 0, 1);
      });
  });
}

TEST_F(MpiCheck, stores_in_order_are_right) {
  expect_none([&] {
    MPI_Win_fence(0, win_);
    if (rank() == 0) mine_[1] = 4;
    MPI_Win_fence(0, win_);
    if (rank() == 0) mine_[2] = 5;
    if (rank() == 1) put(6, 0, 1), get(0, 2);
    MPI_Win_fence(0, win_);
    if (rank() == 0) mine_[1] = 7, MPI_Win_sync(win_), tell(1);
    if (rank() == 1) hear(0), put(8, 0, 1);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win_);
    if (rank() == 0) mine_[1] = 9, tell(1);
    if (rank() == 1) hear(0), MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win_), put(8, 0, 1), MPI_Win_unlock(0, win_), tell(0);
    if (rank() == 0) hear(1), mine_[1] = 10;
  });
}

TEST_F(MpiCheck, accumulates_that_may_meet_are_right) {
  expect_none([&] {
    fences([&] {
      std::int64_t old = 0;
      add(0, 1);
      add(0, 1);
      MPI_Fetch_and_op(&one_, &old, MPI_INT64_T, 0, 1, MPI_NO_OP, win_);
      add(1, 2, MPI_REPLACE);
      MPI_Get_accumulate(nullptr, 0, MPI_INT64_T, &got_, 1, MPI_INT64_T, 1, 2, 1, MPI_INT64_T, MPI_NO_OP, win_);
    });
  });
}

TEST_F(MpiCheck, columns_side_by_side_are_right) {
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(kNumbers / 4, 1, 4, MPI_INT64_T, &column);
  MPI_Type_commit(&column);
  values_.assign(kNumbers, 5);
  const auto put_column = [&](int i) { return MPI_Put(values_.data(), kNumbers / 4, MPI_INT64_T, 0, i, 1, column, win_); };
  expect_none([&] {
    fences([&] {
      if (rank() < 2) put_column(rank());
    });
  });
  const auto work = [&] {
    fences([&] {
      if (rank() == 0) put_column(2);
      if (rank() == 1) put(3, 0, 9, 2);
    });
  };
  expect_one(work, {"bytes 80 to 87 of rank 0"});
  MPI_Type_free(&column);
}

TEST_F(MpiCheck, requests_that_were_waited_for_are_right) {
  expect_none([&] {
    locks([&] {
      MPI_Request request = MPI_REQUEST_NULL;
      if (rank() == 0) MPI_Rget(&got_, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, win_, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (rank() == 0) MPI_Rput(&got_, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, win_, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (rank() == 0) got_ = 3, MPI_Win_flush(1, win_), tell(1);
      if (rank() == 1) hear(0), put(5, 1, 0);
    });
  });
}

/// Two ranks of a node and the last one, which is on another where the test runs with HALOCLINE_FAKE_NODES=2.
class MpiCheckLast : public MpiCheck {
 protected:
  void SetUp() override {
    if (size() < 3) GTEST_SKIP() << "it takes three ranks";
    MpiCheck::SetUp();
    last_ = size() - 1;
  }
  MPI_Group group_of(const std::vector<int> &ranks) const {
    MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
    MPI_Win_get_group(win_, &all);
    MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
    MPI_Group_free(&all);
    return some;
  }
  /// An epoch in which the last rank posts to ranks 0 and 1.
  void exposure(const std::function<void()> &accesses) const {
    MPI_Group firsts = group_of({0, 1}), last = group_of({last_});
    if (rank() == last_) MPI_Win_post(firsts, 0, win_), MPI_Win_wait(win_);
    if (rank() < 2) MPI_Win_start(last, 0, win_), accesses(), MPI_Win_complete(win_);
    MPI_Group_free(&firsts);
    MPI_Group_free(&last);
  }

  int last_ = 0;
};

TEST_F(MpiCheckLast, puts_of_two_ranks_that_overlap) {
  const auto work = [&] {
    fences([&] {
      if (rank() == 0) put(1, last_, 2, 4);
      if (rank() == 1) put(2, last_, 4, 4);
    });
  };
  expect_one(work, {"MPI_Put of rank 0", "MPI_Put of rank 1", "bytes 32 to 47 of rank"});
}

TEST_F(MpiCheckLast, puts_of_two_ranks_after_start) {
  const auto work = [&] {
    exposure([&] {
      if (rank() == 0) put(1, last_, 3), tell(1), hear(1);
      if (rank() == 1) hear(0), put(2, last_, 3), tell(0);
    });
  };
  expect_one(work, {"MPI_Put of rank 0", "MPI_Put of rank 1", "bytes 24 to 31 of rank"});
}

TEST_F(MpiCheckLast, a_get_after_a_put_without_a_flush) {
  const auto work = [&] {
    locks([&] {
      if (rank() == 0) put(1, last_, 3), get(last_, 3);
    });
  };
  expect_one(work, {"MPI_Put of rank 0", "MPI_Get of rank 0", "a flush or unlock"});
}

TEST_F(MpiCheckLast, a_buffer_that_a_get_still_fills) {
  const auto work = [&] {
    locks([&] {
      if (rank() == 0) get(last_, 0);
      if (rank() == 0) MPI_Put(&got_, 1, MPI_INT64_T, last_, 6, 1, MPI_INT64_T, win_);
    });
  };
  expect_one(work, {"MPI_Put of rank 0", "reads a buffer that MPI_Get of rank 0"});
}

TEST_F(MpiCheckLast, accesses_in_order_are_right) {
  expect_none([&] {
    for (int i = 0; i < 3; ++i)
      exposure([&] {
        if (rank() == i % 2) put(i, last_, 3);
        add(last_, 5);
      });
    for (int i = 0; i < 4; ++i)
      fences([&] {
        if (rank() == i % 2) put(i, last_, 1);
        if (rank() < 2) add(last_, 2);
      });
    locks([&] {
      MPI_Request request = MPI_REQUEST_NULL;
      if (rank() == 0) put(1, last_, 0), MPI_Win_flush(last_, win_), put(2, last_, 0), MPI_Win_flush(last_, win_), tell(1);
      if (rank() == 1) hear(0), put(3, last_, 0);
      if (rank() == 1) MPI_Rget(&got_, 1, MPI_INT64_T, last_, 1, 1, MPI_INT64_T, win_, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
  });
}

}  // namespace
