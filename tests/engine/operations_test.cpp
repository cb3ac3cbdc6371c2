// Every operation of engine/rma/operations.hpp on every kind of memory, by every rank on every rank, against plain arrays. The kinds: made by
// all ranks together or by each alone, allocated or brought by the application. What is brought begins at an odd address.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/operations.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>

#include "api/handles.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/network/request_engine.hpp"
#include "engine/numbers.hpp"
#include "engine/rma/atomic_list.hpp"
#include "engine/rma/local_memory.hpp"
#include "engine/rma/segment.hpp"
#include "engine/segments.hpp"

namespace halocline::test {
namespace {

using core::accumulate;
using core::compare_swap;
using core::fetch_op;
using core::get;
using core::get_indexed;
using core::get_strided;
using core::notify;
using core::put;
using core::put_indexed;
using core::put_notify;
using core::put_strided;
using core::RemoteMemory;
using core::Status;
using core::Target;

core::Context &inner() { return context()->inner; }

testing::AssertionResult well(Status status) { return ok(static_cast<hlc_status>(status)); }

/// The memory of all ranks, of one kind, as this rank reaches it.
class Memories {
 public:
  Memories() = default;
  Memories(const Memories &) = delete;
  Memories &operator=(const Memories &) = delete;
  virtual ~Memories() = default;
  virtual const RemoteMemory &of(int rank) const = 0;
  virtual void make(char *brought) = 0;

  char *mine() const { return of(rank()).data(); }
  const core::NotificationWords &words() const { return of(rank()).words(); }
  void flush_and_meet() const {
    EXPECT_TRUE(well(core::flush_all("test", inner().network())));
    meet();
  }
  /// A barrier that drives progress of the network.
  static void meet() { EXPECT_TRUE(well(core::agree(inner(), inner().comm(), Status::ok))); }
};

constexpr std::int64_t kRegion = 12288;  // what one origin may change in each memory
constexpr int kNotifications = 5;

class Collective : public Memories {
 public:
  ~Collective() override { EXPECT_TRUE(well(segment_.end(false))); }
  void make(char *brought) override {
    inner().count_plan();
    EXPECT_TRUE(well(segment_.create("test", {.bytes = kRegion * size(), .notifications = kNotifications, .memory = brought})));
    for (int r = 0; r < size(); ++r) all_.push_back(segment_.memory_of(r));
  }
  const RemoteMemory &of(int rank) const override { return all_[static_cast<std::size_t>(rank)]; }

 private:
  core::Segment segment_{inner().network()};
  std::vector<RemoteMemory> all_;
};

class Alone : public Memories {
 public:
  ~Alone() override {
    meet();
    local_.close();
  }
  void make(char *brought) override {
    EXPECT_TRUE(well(local_.create({kRegion * size(), kNotifications, 2, brought})));
    std::vector<core::MemoryDescriptor> descriptors(static_cast<std::size_t>(size()));
    MPI_Allgather(&local_.descriptor(), sizeof(core::MemoryDescriptor), MPI_BYTE, descriptors.data(), sizeof(core::MemoryDescriptor),
                  MPI_BYTE, MPI_COMM_WORLD);
    for (int r = 0; r < size(); ++r) {
      all_.push_back(std::make_unique<core::OpenedMemory>());
      EXPECT_TRUE(well(all_.back()->open(inner().network(), r, descriptors[static_cast<std::size_t>(r)], r == rank() ? &local_ : nullptr)));
    }
  }
  const RemoteMemory &of(int rank) const override { return *all_[static_cast<std::size_t>(rank)]; }

 private:
  core::LocalMemory local_{inner().network()};
  std::vector<std::unique_ptr<core::OpenedMemory>> all_;
};

struct Kind {
  const char *name;
  bool collective;
  enum class Brought { by_none, by_all, by_some } brought;

  bool brings() const { return brought == Brought::by_all || (brought == Brought::by_some && rank() % 2 == 0); }
};

class Operations : public testing::TestWithParam<Kind> {
 protected:
  Operations() : brought_(static_cast<std::size_t>(kRegion * size() + 1), '\0'), image_(brought_.size() - 1, '\0') {
    if (GetParam().collective)
      memories_ = std::make_unique<Collective>();
    else
      memories_ = std::make_unique<Alone>();
    if (inner().nodes() > 1) {
      EXPECT_TRUE(well(inner().network().open()));
      EXPECT_TRUE(well(inner().network().requests()->open()));
    }
    memories_->make(GetParam().brings() ? brought_.data() + 1 : nullptr);
    Memories::meet();
  }
  ~Operations() override { check_mine(); }

  Target at(int target, std::int64_t offset) const { return {memories_->of(target), rank() * kRegion + offset}; }
  const RemoteMemory &of(int target) const { return memories_->of(target); }
  /// The oracle: what this rank's region of a rank's memory has to contain.
  char *image(int target) { return image_.data() + target * kRegion; }
  Random &random() { return random_; }
  int any_rank() { return static_cast<int>(between(random_, 0, size() - 1)); }
  std::vector<std::byte> some_bytes(std::int64_t bytes) { return bytes_of(rank(), ++step_, bytes); }

  /// This rank's memory contains what all ranks say that they have left there.
  void check_mine() {
    memories_->flush_and_meet();
    std::vector<char> expected(image_.size());
    MPI_Alltoall(image_.data(), kRegion, MPI_BYTE, expected.data(), kRegion, MPI_BYTE, MPI_COMM_WORLD);
    for (int origin = 0; origin < size(); ++origin)
      EXPECT_EQ(std::memcmp(memories_->mine() + origin * kRegion, expected.data() + origin * kRegion, kRegion), 0)
          << "the region of rank " << origin;
    Memories::meet();
  }

  const Memories &memories() const { return *memories_; }

 private:
  std::vector<char> brought_, image_;
  std::unique_ptr<Memories> memories_;  // ends before what has been brought
  Random random_{mixed(seed() ^ static_cast<std::uint64_t>(rank()))};
  std::uint64_t step_ = 0;
};

TEST_P(Operations, put_and_get_any_bytes_of_any_rank) {
  for (int step = times(40); step > 0; --step) {
    const int target = any_rank();
    const std::int64_t bytes = between(random(), 0, 1) != 0 ? between(random(), 0, 24) : between(random(), 0, 5000);
    const std::int64_t offset = between(random(), 0, kRegion - bytes);
    const std::vector<std::byte> data = some_bytes(bytes);
    std::vector<std::byte> got(data.size());
    std::int64_t done = 0;
    Status status = Status::again;
    if (step % 2 == 0)
      EXPECT_TRUE(well(put("test", at(target, offset), {data.data(), bytes})));
    else
      while (status == Status::again) status = put("test", at(target, offset), {data.data(), bytes}, done);
    std::copy(data.begin(), data.end(), reinterpret_cast<std::byte *>(image(target) + offset));
    EXPECT_TRUE(well(core::flush("test", of(target))));
    done = 0, status = Status::again;
    if (step % 3 == 0)
      EXPECT_TRUE(well(get("test", at(target, offset), {got.data(), bytes})));
    else
      while (status == Status::again) status = get("test", at(target, offset), {got.data(), bytes}, done);
    EXPECT_TRUE(well(core::flush_local("test", of(target))));
    EXPECT_EQ(got, data);
  }
}

TEST_P(Operations, move_blocks_and_lists_of_runs) {
  for (int step = times(20); step > 0; --step) {
    const int target = any_rank();
    // 3 planes of 40 rows of 7 bytes, with gaps in the target, transposed here.
    const hlc_block block{7, 2, {40, 3}, {7 * 3, 7}, {16, 700}};
    const std::vector<std::byte> data = some_bytes(40 * 3 * 7);
    const std::int64_t offset = between(random(), 0, 1000);
    EXPECT_TRUE(well(put_strided("test", at(target, offset), data.data(), &block)));
    for (std::int64_t i = 0; i < 120; ++i)
      std::memcpy(image(target) + offset + i % 40 * 16 + i / 40 * 700, data.data() + i % 40 * 21 + i / 40 * 7, 7);
    EXPECT_TRUE(well(core::flush("test", of(target))));
    std::vector<std::byte> got(data.size());
    EXPECT_TRUE(well(get_strided("test", at(target, offset), got.data(), &block)));
    EXPECT_TRUE(well(core::flush_local("test", of(target))));
    EXPECT_EQ(got, data);

    // More runs than the kernel copies in one call, from the last to the first; some are empty.
    std::vector<core::Run> runs;
    for (std::int64_t i = 99; i >= 0; --i) runs.push_back({i * 50, i * 33, between(random(), 0, 33)});
    const std::vector<std::byte> more = some_bytes(100 * 33);
    EXPECT_TRUE(well(put_indexed("test", at(target, 4000), more.data(), runs)));
    std::vector<std::byte> expected(more.size(), untouched);
    for (const core::Run &run : runs) {
      std::copy_n(more.begin() + run.local, run.bytes, reinterpret_cast<std::byte *>(image(target) + 4000 + run.target));
      std::copy_n(more.begin() + run.local, run.bytes, expected.begin() + run.local);
    }
    EXPECT_TRUE(well(core::flush("test", of(target))));
    std::vector<std::byte> back(more.size(), untouched);
    EXPECT_TRUE(well(get_indexed("test", at(target, 4000), back.data(), runs)));
    EXPECT_TRUE(well(core::flush_local("test", of(target))));
    EXPECT_EQ(back, expected);
  }
}

TEST_P(Operations, set_notifications_behind_their_data) {
  const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
  for (std::uint32_t step = 1; step <= 20; ++step) {
    const std::vector<std::byte> data = bytes_of(rank(), step, 3000), expected = bytes_of(before, step, 3000);
    const hlc_notification notification{static_cast<int>(step) % kNotifications, step};
    core::PendingNotify pending;
    Status status = Status::again;
    if (step % 2 == 0)
      EXPECT_TRUE(well(put_notify("test", at(next, 100), {data.data(), 3000}, notification)));
    else
      while (status == Status::again) status = put_notify("test", at(next, 100), {data.data(), 3000}, notification, pending);
    std::memcpy(image(next) + 100, data.data(), 3000);
    const auto seen = [&] { return memories().words().notifications.take(notification.id); };
    std::uint32_t value = seen();
    for (; value == 0; value = seen()) inner().drive_progress();
    EXPECT_EQ(value, step);
    EXPECT_EQ(std::memcmp(memories().mine() + before * kRegion + 100, expected.data(), 3000), 0) << "step " << step;
    memories().flush_and_meet();
  }
}

TEST_P(Operations, refuse_what_leaves_the_memory_in_the_name_of_their_caller) {
  const std::int64_t bytes = of(0).bytes();
  std::uint64_t word = 0;
  const auto expect = [](Status status, const std::string &words) {
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, static_cast<hlc_status>(status)));
    const std::string message = hlc_error_message();
    EXPECT_NE(message.find("a_face on rank " + std::to_string(rank())), std::string::npos) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  const core::Run outside{8, 0, 8}, backwards{-16, 0, 8}, negative{0, 0, -1};
  for (int r = 0; r < size(); ++r) {
    expect(put("a_face", {of(r), bytes - 7}, {&word, 8}), "offset is");
    expect(get("a_face", {of(r), -1}, {&word, 1}), "offset is -1");
    expect(put("a_face", {of(r), 0}, {nullptr, 1}), "data is NULL");
    expect(put_indexed("a_face", {of(r), bytes - 8}, &word, {&outside, 1}), "offset is");
    expect(get_indexed("a_face", {of(r), 8}, &word, {&backwards, 1}), "-16 to 0");
    expect(get_indexed("a_face", {of(r), 8}, &word, {&negative, 1}), "run 0 has -1 bytes");
    expect(notify("a_face", of(r), {kNotifications, 1}), "0 to 4");
    expect(fetch_op("a_face", {of(r), 4}, {HLC_OP_SUM, HLC_NUMBER_UINT64}, {&word, &word}), "offset is 4 but must be a multiple of the 8");
    expect(compare_swap("a_face", {of(r), 1}, HLC_NUMBER_INT16, {&word, &word, &word}), "offset is 1");
    expect(compare_swap("a_face", {of(r), 0}, HLC_NUMBER_COUNT_, {&word, &word, &word}), "invalid hlc_number 10");
    expect(accumulate("a_face", {of(r), 2}, {HLC_OP_SUM, HLC_NUMBER_FLOAT32}, {&word, 1}), "offset is 2");
  }
}

/// Does one operation of one type on numbers of this rank's region, in every form, and on the image as well.
template <class T>
void change_numbers(hlc_op op, Target target, char *image, Random &random) {
  constexpr int most = 9;
  const hlc_action action{op, number_of<T>()};
  T operands[most], old{}, before{};
  std::generate(std::begin(operands), std::end(operands), [&] { return draw<T>(random); });
  const auto cell = [&](std::int64_t i) { return image + i * static_cast<std::int64_t>(sizeof(T)); };
  const auto combine = [&](std::int64_t i, T operand) {
    T value;
    std::memcpy(&value, cell(i), sizeof value);
    before = value;
    value = expected(op, value, operand);
    std::memcpy(cell(i), &value, sizeof value);
  };
  EXPECT_TRUE(well(fetch_op("test", target, action, {op == HLC_OP_READ ? nullptr : &operands[0], &old})));
  combine(0, operands[0]);
  EXPECT_EQ(old, before);
  core::Query query;
  Status status = Status::again;
  while (status == Status::again) status = fetch_op("test", target, action, {&operands[1], &old}, query);
  EXPECT_TRUE(well(status));
  combine(0, operands[1]);
  EXPECT_EQ(old, before);
  const std::int64_t count = between(random, 0, most);
  EXPECT_TRUE(well(accumulate("test", target, action, {operands, count})));
  for (std::int64_t i = 0; i < count; ++i) combine(i, operands[i]);
  EXPECT_TRUE(well(core::flush("test", target.memory)));
}

/// Compares and swaps twice: with the number that is there, and with one that is not.
template <class T>
void swap_number(Target target, char *image, Random &random) {
  T there, value = draw<T>(random), old{};
  std::memcpy(&there, image, sizeof there);
  EXPECT_TRUE(well(compare_swap("test", target, number_of<T>(), {&there, &value, &old})));
  EXPECT_EQ(std::memcmp(&old, &there, sizeof old), 0);
  std::memcpy(image, &value, sizeof value);
  T other = value, unused = there;
  reinterpret_cast<char *>(&other)[0] ^= 1;
  core::Query query;
  Status status = Status::again;
  while (status == Status::again) status = compare_swap("test", target, number_of<T>(), {&other, &unused, &old}, query);
  EXPECT_TRUE(well(status));
  EXPECT_EQ(std::memcmp(&old, &value, sizeof old), 0);
}

template <class... T, class Use>
void with_types(std::tuple<T...>, Use use) {
  (use(T{}), ...);
}
using AllNumbers = std::tuple<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                              std::uint64_t, float, double>;

TEST_P(Operations, change_numbers_of_every_type_as_plain_arithmetic_does) {
  for (int target = 0; target < size(); ++target)
    for (int op = 0; op < HLC_OP_COUNT_; ++op) {
      std::int64_t place = 1000;
      with_types(AllNumbers{}, [&](auto kind) {
        using T = decltype(kind);
        place += 128;
        if (!core::can_combine({static_cast<hlc_op>(op), number_of<T>()})) return;
        const std::int64_t offset = place + 8 * between(random(), 0, 3);
        // What is there are bits of another operation's; floating point needs numbers.
        std::int64_t zero[9] = {};
        EXPECT_TRUE(well(put("test", at(target, offset), {zero, sizeof zero})));
        EXPECT_TRUE(well(core::flush("test", of(target))));
        std::memset(image(target) + offset, 0, sizeof zero);
        change_numbers<T>(static_cast<hlc_op>(op), at(target, offset), image(target) + offset, random());
        swap_number<T>(at(target, offset), image(target) + offset, random());
      });
    }
}

TEST_P(Operations, lose_no_addition_of_any_rank_to_one_number) {
  constexpr std::int64_t elements = 1300;  // more than are changed under the lock at once, and than a message has room for
  const int home = size() - 1;
  const Target shared{of(home), 0};  // in the region of rank 0
  const std::vector<std::int64_t> ones(static_cast<std::size_t>(elements), 1);
  const int rounds = times(24);
  std::int64_t old = 0;
  std::uint32_t ticket = 0;
  for (int i = 0; i < rounds; ++i) {
    EXPECT_TRUE(well(accumulate("test", shared, {HLC_OP_SUM, HLC_NUMBER_INT64}, {ones.data(), elements})));
    EXPECT_TRUE(well(fetch_op("test", shared, {HLC_OP_SUM, HLC_NUMBER_INT64}, {ones.data(), &old})));
    const Target counter{of(home), elements * 8};
    for (std::uint32_t seen = 0, next = 1; true; next = seen + 1) {
      EXPECT_TRUE(well(compare_swap("test", counter, HLC_NUMBER_UINT32, {&seen, &next, &ticket})));
      if (ticket == seen) break;
      seen = ticket;
    }
  }
  memories().flush_and_meet();
  const std::int64_t sum = static_cast<std::int64_t>(rounds) * size();
  std::vector<std::int64_t> expected(static_cast<std::size_t>(elements), sum);
  expected[0] = 2 * sum;
  expected.push_back(sum);
  if (rank() == 0) std::memcpy(image(home), expected.data(), expected.size() * 8);
}

TEST_P(Operations, lose_no_addition_of_a_list) {
  const int home = size() - 1, rounds = times(24);
  std::array<hlc_atomic, 20> list;
  for (int i = 0; i < rounds; ++i) {
    core::FarAtomics far("test");
    for (hlc_atomic &one : list) {
      one = {{nullptr, home, 0}, HLC_NUMBER_INT32, HLC_OP_SUM, 0, 1, 0, -1};  // in the region of rank 0
      EXPECT_TRUE(well(of(home).is_near() ? core::carry_out_near("test", of(home), one) : far.add(of(home), one)));
    }
    if (!far.empty()) {
      EXPECT_TRUE(well(far.start()));
      EXPECT_TRUE(well(far.await()));
    }
    for (std::size_t j = 1; j < list.size(); ++j) EXPECT_GT(list[j].old, list[j - 1].old);
  }
  memories().flush_and_meet();
  const auto sum = static_cast<std::int32_t>(rounds * size() * static_cast<int>(list.size()));
  if (rank() == 0) std::memcpy(image(home), &sum, sizeof sum);
}

constexpr Kind kinds[] = {{"collective", true, Kind::Brought::by_none},
                          {"collective_brought", true, Kind::Brought::by_all},
                          {"collective_brought_by_some", true, Kind::Brought::by_some},
                          {"alone", false, Kind::Brought::by_none},
                          {"alone_brought", false, Kind::Brought::by_all}};
INSTANTIATE_TEST_SUITE_P(On, Operations, testing::ValuesIn(kinds), [](const auto &kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace halocline::test
