// Wrong calls: one message names the argument, the rank and the value, and nothing is done. Collective calls fail on all ranks alike.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <functional>

#include "engine/segments.hpp"

namespace halocline::test {
namespace {

/// Fails unless the status is the expected one and the message has all of the words, and the calling rank.
void expect_refusal(hlc_status expected, hlc_status status, const std::vector<std::string> &words) {
  EXPECT_TRUE(is_status(expected, status));
  const std::string message = hlc_error_message();
  for (const std::string &word : words) EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' is not in: " << message;
  EXPECT_NE(message.find("on rank " + std::to_string(rank())), std::string::npos) << message;
}

void expect_wrong(hlc_status status, const std::vector<std::string> &words) { expect_refusal(HLC_ERR_ARGUMENT, status, words); }

/// A segment of 64 bytes and 8 notifications, with a pattern that no refused call may touch.
class SegmentErrors : public testing::Test {
 protected:
  SegmentErrors() {
    for (std::int64_t b = 0; b < 64; ++b) segment_.data()[b] = byte_of(rank(), 3, b);
  }
  ~SegmentErrors() override {
    for (std::int64_t b = 0; b < 64; ++b) EXPECT_EQ(segment_.data()[b], byte_of(rank(), 3, b)) << "byte " << b;
    int id = -1;
    EXPECT_TRUE(is_status(HLC_AGAIN, hlc_notify_test(segment_.raw(), {0, 8}, &id)));
  }
  hlc_target mine(std::int64_t offset) const { return segment_.at(rank(), offset); }

  TestSegment segment_{64, 8};
  std::byte data_[64] = {};
};

TEST_F(SegmentErrors, name_the_rank_that_there_is_none_of) {
  for (const int wrong : {-1, size(), 1 << 30}) {
    const std::string value = "rank is " + std::to_string(wrong);
    expect_wrong(hlc_put(segment_.at(wrong, 0), data_, 8), {"hlc_put", value});
    expect_wrong(hlc_get(segment_.at(wrong, 0), data_, 8), {"hlc_get", value});
    expect_wrong(hlc_notify(segment_.raw(), wrong, {0, 1}), {"hlc_notify", value});
    expect_wrong(hlc_atomic_fetch_add(segment_.at(wrong, 0), HLC_NUMBER_INT64, 1, nullptr), {"hlc_atomic_fetch_add", value});
    expect_wrong(hlc_flush(segment_.raw(), wrong), {"hlc_flush", value});
    expect_wrong(hlc_flush_local(segment_.raw(), wrong), {"hlc_flush_local", value});
  }
  hlc_segment_info_t info{};
  expect_wrong(hlc_segment_info(segment_.raw(), size(), &info), {"hlc_segment_info", "rank is"});
}

TEST_F(SegmentErrors, name_the_offset_that_leaves_the_part) {
  constexpr std::int64_t huge = INT64_MAX;
  for (const auto &[offset, bytes] : {std::pair<std::int64_t, std::int64_t>{-1, 4}, {57, 8}, {64, 1}, {65, 0}, {huge, huge}, {8, huge}}) {
    const std::string value = "offset is " + std::to_string(offset);
    expect_wrong(hlc_put(mine(offset), data_, bytes), {"hlc_put", value, "64 bytes of rank"});
    expect_wrong(hlc_get(mine(offset), data_, bytes), {"hlc_get", value});
    expect_wrong(hlc_put_notify(mine(offset), data_, bytes, {0, 1}), {"hlc_put_notify", value});
  }
  const hlc_block forwards{8, 1, {3}, {8}, {32}}, backwards{8, 1, {2}, {8}, {-8}}, wide{8, 1, {4}, {8}, {INT64_MAX / 2}};
  expect_wrong(hlc_put_strided(mine(0), data_, &forwards), {"hlc_put_strided", "offset is 0", "0 to 72"});
  expect_wrong(hlc_get_strided(mine(0), data_, &backwards), {"hlc_get_strided", "offset is 0", "-8 to 8"});
  expect_wrong(hlc_put_strided(mine(0), data_, &wide), {"target_stride[0]"});
  expect_wrong(hlc_atomic_swap(mine(64), HLC_NUMBER_INT32, 1, nullptr), {"hlc_atomic_swap", "offset is 64"});
  expect_wrong(hlc_accumulate(mine(32), {HLC_OP_SUM, HLC_NUMBER_INT64}, data_, 5), {"hlc_accumulate", "offset is 32"});
}

TEST_F(SegmentErrors, name_wrong_sizes_and_pointers) {
  expect_wrong(hlc_put(mine(0), data_, -1), {"bytes is -1"});
  expect_wrong(hlc_put(mine(0), nullptr, 1), {"data is NULL"});
  EXPECT_TRUE(ok(hlc_put(mine(64), nullptr, 0)));
  expect_wrong(hlc_put_strided(mine(0), data_, nullptr), {"block is NULL"});
  const hlc_block dims{1, 5, {}, {}, {}}, run{-2, 0, {}, {}, {}}, count{1, 2, {1, -3}, {}, {}};
  expect_wrong(hlc_put_strided(mine(0), data_, &dims), {"block.ndims is 5"});
  expect_wrong(hlc_put_strided(mine(0), data_, &run), {"block.run_bytes is -2"});
  expect_wrong(hlc_put_strided(mine(0), data_, &count), {"block.count[1] is -3"});
  expect_wrong(hlc_accumulate(mine(0), {HLC_OP_SUM, HLC_NUMBER_INT64}, data_, -1), {"count is -1"});
  expect_wrong(hlc_accumulate(mine(0), {HLC_OP_SUM, HLC_NUMBER_INT64}, nullptr, 1), {"data is NULL"});
  expect_wrong(hlc_fetch_op(mine(0), {HLC_OP_SUM, HLC_NUMBER_INT64}, nullptr, data_), {"operand is NULL"});
  expect_wrong(hlc_segment_info(segment_.raw(), 0, nullptr), {"info is NULL"});
}

TEST_F(SegmentErrors, name_wrong_notifications) {
  int id = 0;
  std::uint32_t value = 0;
  for (const int wrong : {-1, 8}) {
    const std::string is = "is " + std::to_string(wrong) + " but must be 0 to 7";
    expect_wrong(hlc_notify(segment_.raw(), rank(), {wrong, 1}), {"hlc_notify", is});
    expect_wrong(hlc_put_notify(mine(0), data_, 8, {wrong, 1}), {"hlc_put_notify", is});
    expect_wrong(hlc_notify_wait(segment_.raw(), {wrong, 1}, &id), {"hlc_notify_wait", "ids.first", is});
    expect_wrong(hlc_notify_test(segment_.raw(), {wrong, 1}, &id), {"hlc_notify_test", "ids.first", is});
    expect_wrong(hlc_notify_reset(segment_.raw(), wrong, &value), {"hlc_notify_reset", is});
  }
  expect_wrong(hlc_notify(segment_.raw(), rank(), {3, 0}), {"value is 0", "id 3"});
  expect_wrong(hlc_put_notify(mine(0), data_, 8, {3, 0}), {"value is 0", "id 3"});
  expect_wrong(hlc_notify_wait(segment_.raw(), {4, 5}, &id), {"ids.count is 5", "1 to 4"});
  expect_wrong(hlc_notify_wait(segment_.raw(), {4, 0}, &id), {"ids.count is 0"});
  expect_wrong(hlc_notify_wait(segment_.raw(), {0, 1}, nullptr), {"id is NULL"});
  expect_wrong(hlc_notify_reset(segment_.raw(), 0, nullptr), {"value is NULL"});
  TestSegment without(8);
  expect_wrong(hlc_notify(without.raw(), rank(), {0, 1}), {"without notifications"});
}

TEST_F(SegmentErrors, name_atomics_that_do_not_fit_their_type) {
  for (const auto &[type, offset] :
       {std::pair{HLC_NUMBER_INT16, 1}, {HLC_NUMBER_FLOAT32, 2}, {HLC_NUMBER_INT64, 4}, {HLC_NUMBER_FLOAT64, 12}})
    expect_wrong(hlc_fetch_op(mine(offset), {HLC_OP_SUM, type}, data_, data_), {"offset is " + std::to_string(offset), "multiple"});
  expect_wrong(hlc_atomic_compare_swap(mine(4), HLC_NUMBER_INT64, 0, 1, nullptr), {"hlc_atomic_compare_swap", "offset is 4"});
  expect_wrong(hlc_atomic_fetch_add(mine(0), HLC_NUMBER_INT16, 1, nullptr), {"type is HLC_NUMBER_INT16"});
  expect_wrong(hlc_atomic_swap(mine(0), HLC_NUMBER_FLOAT64, 1, nullptr), {"type is HLC_NUMBER_FLOAT64"});
  expect_wrong(hlc_fetch_op(mine(0), {HLC_OP_BXOR, HLC_NUMBER_FLOAT32}, data_, data_),
               {"action.op HLC_OP_BXOR ", "action.type HLC_NUMBER_FLOAT32"});
  expect_wrong(hlc_fetch_op(mine(0), {static_cast<hlc_op>(9), HLC_NUMBER_INT32}, data_, data_),
               {"action.op 9 (not an hlc_op)", "HLC_NUMBER_INT32"});
  expect_wrong(hlc_accumulate(mine(0), {HLC_OP_SUM, static_cast<hlc_number>(10)}, data_, 1), {"action.type 10"});
}

/// Every call on a handle.
std::vector<std::pair<const char *, std::function<hlc_status(hlc_segment *)>>> all_calls() {
  static std::int64_t word = 0;
  static int id = 0;
  static std::uint32_t value = 0;
  static hlc_segment_info_t info;
  static const hlc_block block{8, 0, {}, {}, {}};
  return {{"hlc_segment_info", [](hlc_segment *s) { return hlc_segment_info(s, 0, &info); }},
          {"hlc_put", [](hlc_segment *s) { return hlc_put({s, 0, 0}, &word, 8); }},
          {"hlc_get", [](hlc_segment *s) { return hlc_get({s, 0, 0}, &word, 8); }},
          {"hlc_put_strided", [](hlc_segment *s) { return hlc_put_strided({s, 0, 0}, &word, &block); }},
          {"hlc_get_strided", [](hlc_segment *s) { return hlc_get_strided({s, 0, 0}, &word, &block); }},
          {"hlc_put_notify", [](hlc_segment *s) { return hlc_put_notify({s, 0, 0}, &word, 8, {0, 1}); }},
          {"hlc_notify", [](hlc_segment *s) { return hlc_notify(s, 0, {0, 1}); }},
          {"hlc_notify_wait", [](hlc_segment *s) { return hlc_notify_wait(s, {0, 1}, &id); }},
          {"hlc_notify_test", [](hlc_segment *s) { return hlc_notify_test(s, {0, 1}, &id); }},
          {"hlc_notify_reset", [](hlc_segment *s) { return hlc_notify_reset(s, 0, &value); }},
          {"hlc_atomic_fetch_add", [](hlc_segment *s) { return hlc_atomic_fetch_add({s, 0, 0}, HLC_NUMBER_INT64, 1, &word); }},
          {"hlc_atomic_swap", [](hlc_segment *s) { return hlc_atomic_swap({s, 0, 0}, HLC_NUMBER_INT64, 1, &word); }},
          {"hlc_atomic_compare_swap", [](hlc_segment *s) { return hlc_atomic_compare_swap({s, 0, 0}, HLC_NUMBER_INT64, 0, 1, &word); }},
          {"hlc_fetch_op", [](hlc_segment *s) { return hlc_fetch_op({s, 0, 0}, {HLC_OP_SUM, HLC_NUMBER_INT64}, &word, &word); }},
          {"hlc_accumulate", [](hlc_segment *s) { return hlc_accumulate({s, 0, 0}, {HLC_OP_SUM, HLC_NUMBER_INT64}, &word, 1); }},
          {"hlc_flush", [](hlc_segment *s) { return hlc_flush(s, 0); }},
          {"hlc_flush_all", [](hlc_segment *s) { return hlc_flush_all(s); }},
          {"hlc_flush_local", [](hlc_segment *s) { return hlc_flush_local(s, 0); }},
          {"hlc_flush_local_all", [](hlc_segment *s) { return hlc_flush_local_all(s); }},
          {"hlc_barrier", [](hlc_segment *s) { return hlc_barrier(s); }}};
}

TEST(SegmentHandle, that_is_null_or_freed_is_refused_by_every_call) {
  const hlc_segment_spec spec{8, 1, 0};
  hlc_segment *segment = nullptr;
  EXPECT_TRUE(ok(hlc_segment_create(context(), &spec, &segment)));
  hlc_segment *copy = segment;
  EXPECT_TRUE(ok(hlc_segment_free(&segment)));
  EXPECT_EQ(segment, nullptr);
  for (const auto &[name, call] : all_calls()) {
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, call(nullptr)));
    EXPECT_EQ(std::string(hlc_error_message()), std::string(name) + ": segment is NULL");
    EXPECT_TRUE(is_status(HLC_ERR_STATE, call(copy)));
    EXPECT_EQ(std::string(hlc_error_message()), std::string(name) + ": the segment has been freed");
  }
  EXPECT_EQ(hlc_segment_data(copy), nullptr);
  EXPECT_EQ(hlc_segment_data(nullptr), nullptr);
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_segment_free(&copy)));
  EXPECT_TRUE(is_status(HLC_OK, hlc_segment_free(&segment)));
  EXPECT_TRUE(is_status(HLC_OK, hlc_segment_free(nullptr)));
}

TEST(SegmentHandle, may_be_made_and_freed_often) {
  const int times = size() == 1 ? 100 : 5;  // one rank makes more than are remembered as freed
  for (int i = 0; i < times; ++i) {
    TestSegment segment(8 * (i % 3), i);
    segment.barrier();
  }
}

/// Makes a segment with specs that are wrong on one rank; all ranks get its status and message.
void expect_nobody_makes(hlc_status expected, const hlc_segment_spec *spec, const std::string &words) {
  hlc_segment *segment = nullptr;
  EXPECT_TRUE(is_status(expected, hlc_segment_create(context(), spec, &segment)));
  EXPECT_EQ(segment, nullptr);
  EXPECT_NE(std::string(hlc_error_message()).find(words), std::string::npos) << hlc_error_message();
}

TEST(SegmentCreate, is_refused_on_all_ranks_if_one_is_wrong) {
  const int wrong = size() - 1;
  const auto with = [&](hlc_segment_spec mine) { return rank() == wrong ? mine : hlc_segment_spec{8, 1, 0}; };
  const std::string there = "on rank " + std::to_string(wrong);
  for (const auto &[spec, words] : {std::pair<hlc_segment_spec, std::string>{{-1, 1, 0}, there + ": bytes is -1"},
                                    {{INT64_MAX, 1, 0}, there + ": bytes is 9223372036854775807"},
                                    {{8, -1, 0}, there + ": notifications is -1"},
                                    {{8, HLC_MAX_NOTIFICATIONS + 1, 0}, there + ": notifications is 65537"}}) {
    const hlc_segment_spec mine = with(spec);
    expect_nobody_makes(HLC_ERR_ARGUMENT, &mine, words);
  }
  const hlc_segment_spec right{8, 1, 0};
  expect_nobody_makes(HLC_ERR_ARGUMENT, rank() == wrong ? nullptr : &right, there + ": spec is NULL");
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_segment_create(nullptr, &right, nullptr)));
}

TEST(SegmentCreate, is_refused_if_ranks_disagree) {
  if (size() == 1) GTEST_SKIP() << "one rank cannot disagree with itself";
  const int wrong = size() - 1;
  const auto with = [&](hlc_segment_spec mine) { return rank() == wrong ? mine : hlc_segment_spec{8, 1, 0}; };
  const hlc_segment_spec other = with({8, 2, 0});
  expect_nobody_makes(HLC_ERR_MISMATCH, &other, "notifications: rank 0 has 1, rank " + std::to_string(wrong) + " has 2");
  const hlc_segment_spec shared = with({8, 1, 1});
  expect_nobody_makes(HLC_ERR_MISMATCH, &shared, "shared: rank 0 has 0, rank " + std::to_string(wrong) + " has 1");
}

TEST(SegmentCreate, keeps_the_context_open_until_the_segment_is_freed) {
  hlc_context *other = nullptr;
  hlc_segment *segment = nullptr;
  const hlc_segment_spec spec{8, 1, 0};
  EXPECT_TRUE(ok(hlc_init(MPI_COMM_WORLD, &other)));
  EXPECT_TRUE(ok(hlc_segment_create(other, &spec, &segment)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_finalise(&other)));
  EXPECT_TRUE(ok(hlc_segment_free(&segment)));
  EXPECT_TRUE(ok(hlc_finalise(&other)));
}

}  // namespace
}  // namespace halocline::test
