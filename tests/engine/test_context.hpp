// What the tests of several contexts share: a context of its own with a segment and an exchange. Rounds on it check every byte.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <halocline/halocline.h>
#include <halocline/segment.h>

namespace halocline::test {

/// A context over a communicator. The first failure is kept; calls after it are left out. One thread.
class TestContext {
 public:
  /// Collective over the communicator. Those with different numbers move different bytes.
  TestContext(MPI_Comm comm, int number) : number_(number) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    const hlc_segment_spec spec{kPlaces + size_ * kBytes, size_, 0};
    note(hlc_init(comm, &context_));
    if (well()) note(hlc_segment_create(context_, &spec, &segment_));
    if (well()) note(make_exchange());
  }
  TestContext(const TestContext &) = delete;
  TestContext &operator=(const TestContext &) = delete;
  ~TestContext() { close(); }

  /// Collective. The status of the first call that has failed, now or before.
  hlc_status close() {
    if (exchange_) note(hlc_exchange_destroy(&exchange_));
    if (segment_) note(hlc_segment_free(&segment_));
    if (context_) note(hlc_finalise(&context_));
    return status_;
  }

  hlc_status status() const { return status_; }
  bool well() const { return status_ == HLC_OK; }
  long wrong() const { return wrong_; }
  hlc_context *context() const { return context_; }
  hlc_segment *segment() const { return segment_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// A round: a notified put and a number to the next rank, a message to all others, and nothing that has to be awaited.
  void begin() {
    round_ += 1;
    const int next = (rank_ + 1) % size_;
    std::vector<unsigned char> &bytes = sent_;
    bytes.resize(kBytes);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_of(rank_, i);
    const hlc_notification notification{rank_, static_cast<std::uint32_t>(round_)};
    if (well()) note(hlc_put_notify({segment_, next, kPlaces + rank_ * kBytes}, bytes.data(), kBytes, notification));
    added_ = round_;
    if (well()) note(hlc_accumulate({segment_, next, 0}, {HLC_OP_SUM, HLC_NUMBER_INT64}, &added_, 1));
    if (well()) note(hlc_exchange_start(exchange_));
  }
  /// Waits for what the others have begun, and checks it.
  void end() {
    const int before = (rank_ + size_ - 1) % size_;
    int id = -1;
    std::uint32_t value = 0;
    if (well()) note(hlc_exchange_finish(exchange_));
    if (well()) note(hlc_notify_wait(segment_, {before, 1}, &id));
    if (well()) note(hlc_notify_reset(segment_, before, &value));
    if (well() && value != static_cast<std::uint32_t>(round_)) wrong_ += 1;
    if (well()) check(before);
    if (well()) note(hlc_flush_all(segment_));
    if (well()) note(hlc_barrier(segment_));
    if (well()) check_counter();
  }
  void pass(int rounds) {
    for (int i = 0; i < rounds && well(); ++i) {
      begin();
      end();
    }
  }

 private:
  static constexpr std::int64_t kBytes = 6000, kPlaces = 64;

  void note(hlc_status status) {
    if (well()) status_ = status;
  }
  /// All numbers of this round have been added, and perhaps that of the next, which the rank before may have begun.
  void check_counter() {
    const std::int64_t counter = *static_cast<const volatile std::int64_t *>(hlc_segment_data(segment_)), sum = round_ * (round_ + 1) / 2;
    if (counter != sum && counter != sum + round_ + 1) wrong_ += 1;
  }
  unsigned char byte_of(int from, std::size_t i) const {
    return static_cast<unsigned char>(
        1 + (static_cast<std::size_t>(number_ * 53 + from * 101) + static_cast<std::size_t>(round_) * 31 + i * 7) % 251);
  }
  void check(int from) {
    const auto *bytes = static_cast<const unsigned char *>(hlc_segment_data(segment_)) + kPlaces + from * kBytes;
    for (std::size_t i = 0; i < kBytes; ++i) wrong_ += bytes[i] != byte_of(from, i) ? 1 : 0;
  }

  hlc_status make_exchange() {
    for (int r = 0; r < size_; ++r)
      if (r != rank_) neighbours_.push_back({r, 0, 0, kBytes, kBytes});
    hlc_exchange_spec spec{};
    spec.nneighbours = static_cast<int>(neighbours_.size());
    spec.neighbours = neighbours_.data();
    spec.pack = [](int, void *buffer, void *self) {
      for (std::size_t i = 0; i < kBytes; ++i)
        static_cast<unsigned char *>(buffer)[i] =
            static_cast<const TestContext *>(self)->byte_of(static_cast<const TestContext *>(self)->rank_, i);
    };
    spec.unpack = [](int entry, const void *buffer, void *self) {
      TestContext &me = *static_cast<TestContext *>(self);
      const int from = me.neighbours_[static_cast<std::size_t>(entry)].rank;
      for (std::size_t i = 0; i < kBytes; ++i) me.wrong_ += static_cast<const unsigned char *>(buffer)[i] != me.byte_of(from, i) ? 1 : 0;
    };
    spec.user = this;
    spec.mode = HLC_MODE_NOTIFY;
    return hlc_exchange_create(context_, &spec, &exchange_);
  }

  int number_, rank_ = 0, size_ = 1;
  std::int64_t round_ = 0, added_ = 0;
  long wrong_ = 0;
  hlc_status status_ = HLC_OK;
  hlc_context *context_ = nullptr;
  hlc_segment *segment_ = nullptr;
  hlc_exchange *exchange_ = nullptr;
  std::vector<hlc_neighbour> neighbours_;
  std::vector<unsigned char> sent_;
};

}  // namespace halocline::test
