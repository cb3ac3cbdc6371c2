// The GASPI face between two ranks: gaspi_write_notify to gaspi_notify_waitsome and gaspi_notify_reset.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <GASPI.h>

#include <cstdlib>

#include "bench/latency/pair.hpp"

namespace bench {

namespace {

constexpr gaspi_segment_id_t kSegment = 0;
constexpr gaspi_queue_id_t kQueue = 0;
constexpr int kRequestsInQueue = 256;

/// Throws on a rank that has failed; the other one waits until its time is over, as a program would.
void check(gaspi_return_t code) {
  if (code == GASPI_SUCCESS) return;
  gaspi_string_t text = nullptr;
  std::string message = "GASPI";
  if (gaspi_print_error(code, &text) == GASPI_SUCCESS) message = text;
  std::free(text);
  throw halocline::Error(HLC_ERR_UNSUPPORTED, message);
}

/// The first half of the segment is sent from, the second received in.
class GaspiWrites : public Carrier {
 public:
  explicit GaspiWrites(const Pair &pair) : Carrier("GASPI", pair) {
    check(gaspi_proc_init(GASPI_BLOCK));
    check(gaspi_segment_create(kSegment, 2 * kHalf, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_INITIALIZED));
    gaspi_pointer_t data = nullptr;
    check(gaspi_segment_ptr(kSegment, &data));
    data_ = static_cast<char *>(data);
  }
  ~GaspiWrites() override { static_cast<void>(gaspi_proc_term(GASPI_BLOCK)); }

  char *outgoing() override { return data_; }
  const char *incoming() override { return data_ + kHalf; }
  void see_off() override {
    check(gaspi_wait(kQueue, GASPI_BLOCK));
    check(gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK));
  }

 protected:
  void send(std::int64_t bytes) override { write(0, bytes); }
  void receive(std::int64_t) override {
    gaspi_notification_id_t id = 0;
    gaspi_notification_t value = 0;
    check(gaspi_notify_waitsome(kSegment, 0, 1, &id, GASPI_BLOCK));
    check(gaspi_notify_reset(kSegment, id, &value));
  }
  /// The last one's notification comes after all data, the answer when all have come.
  void pour(std::int64_t bytes, int messages) override {
    for (int i = 0; i < messages; ++i) {
      const auto offset = static_cast<gaspi_offset_t>(Slots::offset(bytes, i));
      make_room();
      check(gaspi_write(kSegment, offset, other(), kSegment, kHalf + offset, static_cast<gaspi_size_t>(bytes), kQueue, GASPI_BLOCK));
    }
    check(gaspi_notify(kSegment, other(), 0, 1, kQueue, GASPI_BLOCK));
    receive(1);
  }
  void drain(std::int64_t, int) override {
    receive(1);
    check(gaspi_notify(kSegment, other(), 0, 1, kQueue, GASPI_BLOCK));
  }

 private:
  static constexpr gaspi_size_t kHalf = Slots::window;

  gaspi_rank_t other() const { return static_cast<gaspi_rank_t>(pair_.other()); }
  void write(gaspi_offset_t offset, std::int64_t bytes) {
    make_room();
    check(gaspi_write_notify(kSegment, offset, other(), kSegment, kHalf + offset, static_cast<gaspi_size_t>(bytes), 0, 1, kQueue,
                             GASPI_BLOCK));
  }
  void make_room() {
    if (++requests_ % kRequestsInQueue == 0) check(gaspi_wait(kQueue, GASPI_BLOCK));
  }

  char *data_ = nullptr;
  int requests_ = 0;
};

}  // namespace

std::unique_ptr<Carrier> make_gaspi(const Pair &pair) { return std::make_unique<GaspiWrites>(pair); }

}  // namespace bench
