// Wrong calls of MPI RMA that would end a process, or do silently what was not meant. There is no memory behind an argument, a result has
// another type, attachments overlap, a lock is among fences. Source: MPI 4.1, sections 12.2 to 12.5.
// SPDX-License-Identifier: BSD-3-Clause
#include <functional>
#include <utility>
#include <vector>

#include "mpi_rma/wrong_calls.hpp"

namespace wrong_calls {
namespace {

using NullArguments = InEpoch;

TEST_F(NullArguments, data_without_an_address_are_ERR_BUFFER) {
  const std::int64_t number = 5, *const none = nullptr;
  std::int64_t result = 0, *const nowhere = nullptr;
  const auto type = MPI_INT64_T;
  const std::pair<const char *, int> answers[] = {
      {"put", MPI_Put(none, 1, type, target_, 0, 1, type, win_)},
      {"put of bytes", MPI_Put(none, 8, MPI_BYTE, target_, 0, 1, type, win_)},
      {"get", MPI_Get(nowhere, 1, type, target_, 0, 1, type, win_)},
      {"accumulate", MPI_Accumulate(none, 1, type, target_, 0, 1, type, MPI_SUM, win_)},
      {"accumulate of two", MPI_Accumulate(none, 2, type, target_, 0, 2, type, MPI_SUM, win_)},
      {"get_accumulate, origin", MPI_Get_accumulate(none, 1, type, &result, 1, type, target_, 0, 1, type, MPI_SUM, win_)},
      {"get_accumulate, result", MPI_Get_accumulate(&number, 1, type, nowhere, 1, type, target_, 0, 1, type, MPI_SUM, win_)},
      {"get_accumulate that reads, result", MPI_Get_accumulate(none, 0, type, nowhere, 1, type, target_, 0, 1, type, MPI_NO_OP, win_)},
      {"fetch_and_op, origin", MPI_Fetch_and_op(none, &result, type, target_, 0, MPI_SUM, win_)},
      {"fetch_and_op, result", MPI_Fetch_and_op(&number, nowhere, type, target_, 0, MPI_SUM, win_)},
      {"fetch_and_op that reads, result", MPI_Fetch_and_op(none, nowhere, type, target_, 0, MPI_NO_OP, win_)},
      {"fetch_and_op of 2 bytes, origin", MPI_Fetch_and_op(none, &result, MPI_INT16_T, target_, 0, MPI_BXOR, win_)},
      {"compare_and_swap, origin", MPI_Compare_and_swap(none, &number, &result, type, target_, 0, win_)},
      {"compare_and_swap, compare", MPI_Compare_and_swap(&number, none, &result, type, target_, 0, win_)},
      {"compare_and_swap, result", MPI_Compare_and_swap(&number, &number, nowhere, type, target_, 0, win_)},
      {"put in place", MPI_Put(MPI_IN_PLACE, 1, type, target_, 0, 1, type, win_)},
  };
  for (const auto &[name, code] : answers) EXPECT_EQ(class_of(code), MPI_ERR_BUFFER) << name;
}

TEST_F(NullArguments, what_is_not_read_or_written_needs_no_address) {
  std::int64_t result = 0;
  EXPECT_EQ(MPI_Put(nullptr, 0, MPI_INT, target_, 0, 0, MPI_INT, win_), MPI_SUCCESS);
  EXPECT_EQ(MPI_Get(nullptr, 0, MPI_INT, target_, 0, 0, MPI_INT, win_), MPI_SUCCESS);
  EXPECT_EQ(MPI_Accumulate(nullptr, 0, MPI_INT, target_, 0, 0, MPI_INT, MPI_SUM, win_), MPI_SUCCESS);
  EXPECT_EQ(MPI_Put(nullptr, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win_), MPI_SUCCESS);
  EXPECT_EQ(MPI_Fetch_and_op(nullptr, &result, MPI_INT64_T, target_, 0, MPI_NO_OP, win_), MPI_SUCCESS);
  EXPECT_EQ(MPI_Get_accumulate(nullptr, 0, MPI_INT64_T, &result, 1, MPI_INT64_T, target_, 0, 1, MPI_INT64_T, MPI_NO_OP, win_), MPI_SUCCESS);
  MPI_Win_flush(target_, win_);
}

TEST_F(NullArguments, datatypes_of_addresses_begin_at_MPI_BOTTOM) {
  const std::int64_t given = 4712 + rank_;
  std::int64_t got = 0;
  MPI_Datatype there = MPI_DATATYPE_NULL, back = MPI_DATATYPE_NULL;
  const auto type_at = [](const void *data, MPI_Datatype *type) {
    MPI_Aint address = 0;
    MPI_Get_address(data, &address);
    MPI_Type_create_hindexed_block(1, 1, &address, MPI_INT64_T, type);
    MPI_Type_commit(type);
  };
  type_at(&given, &there);
  type_at(&got, &back);
  EXPECT_EQ(MPI_Accumulate(MPI_BOTTOM, 1, there, target_, 16, 1, MPI_INT64_T, MPI_REPLACE, win_), MPI_SUCCESS);
  MPI_Win_flush(target_, win_);
  EXPECT_EQ(MPI_Get(MPI_BOTTOM, 1, back, target_, 16, 1, MPI_INT64_T, win_), MPI_SUCCESS);
  MPI_Win_flush(target_, win_);
  EXPECT_EQ(got, given);
  MPI_Type_free(&there);
  MPI_Type_free(&back);
}

TEST_F(NullArguments, a_place_for_what_is_answered_has_to_be_given) {
  std::int64_t number = 5, result = 0;
  MPI_Request *const none = nullptr;
  MPI_Aint bytes = 0;
  int unit = 0;
  void *base = nullptr;
  const auto type = MPI_INT64_T;
  const std::pair<const char *, int> answers[] = {
      {"rput", MPI_Rput(&number, 1, type, target_, 0, 1, type, win_, none)},
      {"rget", MPI_Rget(&number, 1, type, target_, 0, 1, type, win_, none)},
      {"raccumulate", MPI_Raccumulate(&number, 1, type, target_, 0, 1, type, MPI_SUM, win_, none)},
      {"rget_accumulate", MPI_Rget_accumulate(&number, 1, type, &result, 1, type, target_, 0, 1, type, MPI_SUM, win_, none)},
      {"rput to no process", MPI_Rput(&number, 1, type, MPI_PROC_NULL, 0, 1, type, win_, none)},
      {"shared_query, size", MPI_Win_shared_query(win_, rank_, nullptr, &unit, &base)},
      {"shared_query, address", MPI_Win_shared_query(win_, rank_, &bytes, &unit, nullptr)},
      {"get_group", MPI_Win_get_group(win_, nullptr)},
  };
  for (const auto &[name, code] : answers) EXPECT_EQ(class_of(code), MPI_ERR_ARG) << name;
}

TEST_F(NullArguments, a_result_of_another_type_is_ERR_TYPE) {
  const std::int64_t number = 5;
  double result = 0;
  const auto fetch = [&](MPI_Datatype type, MPI_Op op) {
    return class_of(MPI_Get_accumulate(&number, 1, MPI_INT64_T, &result, 1, type, target_, 0, 1, MPI_INT64_T, op, win_));
  };
  for (const MPI_Op op : {MPI_SUM, MPI_REPLACE, MPI_NO_OP}) {
    EXPECT_EQ(fetch(MPI_DOUBLE, op), MPI_ERR_TYPE);
    EXPECT_EQ(fetch(MPI_INT64_T, op), MPI_SUCCESS);
    MPI_Win_flush(target_, win_);
  }
  EXPECT_EQ(class_of(MPI_Get_accumulate(&number, 1, MPI_INT64_T, &result, 8, MPI_CHAR, target_, 0, 1, MPI_INT64_T, MPI_SUM, win_)),
            MPI_ERR_TYPE);
}

/// A dynamic window of its own for each test.
class Attachments : public MpiRmaErrors {
 protected:
  void SetUp() override {
    MpiRmaErrors::SetUp();
    if (win_ == MPI_WIN_NULL) return;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic_);
    MPI_Win_set_errhandler(dynamic_, MPI_ERRORS_RETURN);
  }
  void TearDown() override {
    if (dynamic_ != MPI_WIN_NULL) MPI_Win_free(&dynamic_);
    MpiRmaErrors::TearDown();
  }
  int attach(void *base, MPI_Aint bytes) { return class_of(MPI_Win_attach(dynamic_, base, bytes)); }

  MPI_Win dynamic_ = MPI_WIN_NULL;
};

TEST_F(Attachments, overlap_with_none_before) {
  std::vector<char> mine(256);
  char *const at = mine.data();
  ASSERT_EQ(attach(at + 64, 64), MPI_SUCCESS);
  for (const auto &[begin, bytes] : {std::pair{64, 64}, {0, 65}, {127, 64}, {0, 256}, {80, 8}, {64, 1}})
    EXPECT_EQ(attach(at + begin, bytes), MPI_ERR_RMA_ATTACH) << begin << ", " << bytes;
  EXPECT_EQ(attach(at, 64), MPI_SUCCESS);
  EXPECT_EQ(attach(at + 128, 128), MPI_SUCCESS);
  EXPECT_EQ(attach(at + 80, 0), MPI_SUCCESS);
  for (const int begin : {0, 64, 128, 80}) EXPECT_EQ(MPI_Win_detach(dynamic_, at + begin), MPI_SUCCESS);
  EXPECT_EQ(attach(at, 256), MPI_SUCCESS) << "what was there before is detached";
}

TEST_F(Attachments, are_memory) {
  char letter = 'a';
  EXPECT_EQ(attach(nullptr, 8), MPI_ERR_ARG);
  EXPECT_EQ(attach(nullptr, 0), MPI_SUCCESS);
  EXPECT_EQ(attach(&letter, INT64_MAX), MPI_ERR_SIZE);
  EXPECT_EQ(MPI_Win_detach(dynamic_, nullptr), MPI_SUCCESS);
}

/// Calls that begin another epoch, and end it.
class AmongFences : public MpiRmaErrors {
 protected:
  int lock() {
    return ended(MPI_Win_lock(MPI_LOCK_SHARED, target_, 0, win_), [&] { return MPI_Win_unlock(target_, win_); });
  }
  int lock_all() {
    return ended(MPI_Win_lock_all(0, win_), [&] { return MPI_Win_unlock_all(win_); });
  }
  int post_and_start() {
    MPI_Group self = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_SELF, &self);
    const int code = ended(MPI_Win_post(self, 0, win_), [&] {
      EXPECT_EQ(MPI_Win_start(self, 0, win_), MPI_SUCCESS);
      EXPECT_EQ(MPI_Win_complete(win_), MPI_SUCCESS);
      return MPI_Win_wait(win_);
    });
    MPI_Group_free(&self);
    return code;
  }

 private:
  static int ended(int code, const std::function<int()> &end) {
    if (code == MPI_SUCCESS) {
      EXPECT_EQ(end(), MPI_SUCCESS);
    }
    return class_of(code);
  }
};

TEST_F(AmongFences, accesses_have_to_end_before_another_epoch) {
  for (int i = 0; i < 3; ++i) {
    MPI_Win_fence(0, win_);
    EXPECT_EQ(put(target_, 8, 8), MPI_SUCCESS);
    EXPECT_EQ(i == 0 ? lock() : i == 1 ? lock_all() : post_and_start(), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(put(target_, 16, 8), MPI_SUCCESS) << "the epoch is as it was";
    MPI_Win_fence(0, win_);
    EXPECT_EQ(i == 0 ? lock() : i == 1 ? lock_all() : post_and_start(), MPI_SUCCESS) << "no access since the last fence";
    EXPECT_EQ(put(target_, 8, 8), MPI_ERR_RMA_SYNC) << "the epoch of fences is over";
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

}  // namespace
}  // namespace wrong_calls
