// Accumulates. On one node the calling process adds under the target's lock, in loops that the compiler vectorises. Where there are several
// nodes, the target also adds what other nodes send it; so all hold a word of the allocation instead. Addresses need not be aligned. What is
// scaled is written to a buffer first. Complex numbers are added part by part, which gives the same sums.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "engine/elements/operations.hpp"
#include "engine/rma/operations.hpp"
#include "engine/rma/packed.hpp"
#include "faces/armci/one_sided.hpp"

namespace halocline::core::armci {
namespace {

using elements::Basic;
using elements::Operation;

/// What is added: numbers of this type.
Basic part_of(int type) {
  switch (type) {
    case ARMCI_ACC_INT: return Basic::int32;
    case ARMCI_ACC_LNG: return Basic::int64;
    case ARMCI_ACC_FLT:
    case ARMCI_ACC_CPL: return Basic::float32;
    default: return Basic::float64;
  }
}

template <class T>
T load(const void *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Signed integers wrap around, as those of the engine do.
template <class T>
T product(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) * static_cast<std::make_unsigned_t<T>>(b));
  else
    return a * b;
}

template <class T>
bool is_one(const void *scale) {
  return load<T>(scale) == T(1);
}
template <class T>
bool is_complex_one(const void *scale) {
  return is_one<T>(scale) && load<T>(static_cast<const char *>(scale) + sizeof(T)) == T(0);
}

bool is_one(const Scaled &scaled) {
  switch (scaled.type) {
    case ARMCI_ACC_INT: return is_one<int>(scaled.scale);
    case ARMCI_ACC_LNG: return is_one<long>(scaled.scale);
    case ARMCI_ACC_FLT: return is_one<float>(scaled.scale);
    case ARMCI_ACC_DBL: return is_one<double>(scaled.scale);
    case ARMCI_ACC_CPL: return is_complex_one<float>(scaled.scale);
    default: return is_complex_one<double>(scaled.scale);
  }
}

template <class T>
void scale_row(const void *scale, const char *from, char *to, std::int64_t bytes) {
  const T factor = load<T>(scale);
  for (std::int64_t i = 0; i < bytes; i += static_cast<std::int64_t>(sizeof(T))) {
    const T value = product(factor, load<T>(from + i));
    std::memcpy(to + i, &value, sizeof value);
  }
}

template <class T>
void scale_complex(const void *scale, const char *from, char *to, std::int64_t bytes) {
  constexpr auto part = static_cast<std::int64_t>(sizeof(T));
  const T real = load<T>(scale), imaginary = load<T>(static_cast<const char *>(scale) + sizeof(T));
  for (std::int64_t i = 0; i < bytes; i += 2 * part) {
    const T a = load<T>(from + i), b = load<T>(from + i + part);
    const T parts[] = {real * a - imaginary * b, real * b + imaginary * a};
    std::memcpy(to + i, parts, sizeof parts);
  }
}

/// Writes scale * from to `to`.
void scale_bytes(const Scaled &scaled, const char *from, char *to, std::int64_t bytes) {
  switch (scaled.type) {
    case ARMCI_ACC_INT: return scale_row<int>(scaled.scale, from, to, bytes);
    case ARMCI_ACC_LNG: return scale_row<long>(scaled.scale, from, to, bytes);
    case ARMCI_ACC_FLT: return scale_row<float>(scaled.scale, from, to, bytes);
    case ARMCI_ACC_DBL: return scale_row<double>(scaled.scale, from, to, bytes);
    case ARMCI_ACC_CPL: return scale_complex<float>(scaled.scale, from, to, bytes);
    default: return scale_complex<double>(scaled.scale, from, to, bytes);
  }
}

/// Adds rows to memory of this node.
class RowAdder {
 public:
  explicit RowAdder(const Scaled &scaled)
      : scaled_(scaled), is_one_(is_one(scaled)), applier_({Operation::sum, elements::Access::exclusive}, part_of(scaled.type)) {}

  void add(char *to, const char *from, std::int64_t bytes) const {
    if (is_one_) return add_scaled(to, from, bytes);
    alignas(64) std::array<char, kBuffer> buffer;  // not initialised
    for (std::int64_t done = 0; done < bytes; done += kBuffer) {
      const std::int64_t some = std::min<std::int64_t>(bytes - done, kBuffer);
      scale_bytes(scaled_, from + done, buffer.data(), some);
      add_scaled(to + done, buffer.data(), some);
    }
  }

 private:
  static constexpr std::int64_t kBuffer = 4096;

  void add_scaled(char *to, const char *from, std::int64_t bytes) const {
    const std::int64_t size = applier_.element_bytes();
    applier_.apply({to, from, nullptr, size, size, 0, bytes / size});
  }

  const Scaled &scaled_;
  bool is_one_;
  elements::Applier applier_;
};

/// What accumulates to memory of a process of this node hold: where other nodes accumulate too, the word of the allocation, which the target
/// holds for them, else the process's lock, which is taken over from a process that has ended. Memory that is in no allocation is the calling
/// process's own, and no other process accumulates there.
class AccumulateLock {
 public:
  AccumulateLock(Job &job, const OneSided &access, const Place &place) : node_(job.accumulates_of(access.proc)) {
    if (!job.has_other_nodes()) return;
    Place found = place;
    if (!found.memory) job.allocations.locate(access.proc, access.remote, access.block.remote_extent(), &found);
    if (found.memory) word_ = reinterpret_cast<std::uint64_t *>(found.memory->data() + lock_offset(*found.memory));
  }
  bool try_lock() const {
    if (!word_) return node_.try_lock();
    std::uint64_t free = 0;
    // SYNC accumulated-before-next (pairs with do_holding_word and unlock)
    return std::atomic_ref(*word_).compare_exchange_strong(free, 1, std::memory_order_acquire);
  }
  void unlock() const {
    if (!word_) return node_.unlock();
    // SYNC accumulated-before-next (pairs with try_word and try_lock)
    std::atomic_ref(*word_).store(0, std::memory_order_release);
  }

 private:
  const NodeLock &node_;
  std::uint64_t *word_ = nullptr;
};

void add_here(Job &job, const OneSided &access, const Scaled &scaled, const Place &place) {
  const RowAdder adder(scaled);
  const auto *const from = static_cast<const char *>(access.local);
  const AccumulateLock lock(job, access, place);
  settle(await(job, access.call, [&] { return lock.try_lock() ? Status::ok : Status::again; }));
  access.block.for_each_strip(
      [&](std::int64_t local, std::int64_t remote, std::int64_t rows, std::int64_t by_local, std::int64_t by_remote) {
        for (std::int64_t row = 0; row < rows; ++row)
          adder.add(place.here + remote + row * by_remote, from + local + row * by_local, access.block.row());
      });
  lock.unlock();
}

/// The local data, scaled, one row after the other.
std::vector<char> scaled_copy(const OneSided &access, const Scaled &scaled) {
  std::vector<char> copy(static_cast<std::size_t>(access.block.bytes()));
  char *to = copy.data();
  const auto *const from = static_cast<const char *>(access.local);
  access.block.for_each_strip([&](std::int64_t local, std::int64_t, std::int64_t rows, std::int64_t by_local, std::int64_t) {
    for (std::int64_t row = 0; row < rows; ++row, to += access.block.row())
      scale_bytes(scaled, from + local + row * by_local, to, access.block.row());
  });
  return copy;
}

/// The local memory may be reused when it returns, in a non-blocking call too: the scaled copy is the library's.
void add_far(Job &job, const OneSided &access, const Scaled &scaled, const Place &place) {
  const Target at{*place.memory, place.offset};
  settle(job.unordered.begin(access.call, at, access.block.remote_extent(), Access::accumulate));
  const bool copies = !is_one(scaled);
  std::vector<char> copy;
  if (copies) copy = scaled_copy(access, scaled);
  const Block contiguous(access.block.bytes());
  const elements::Steps local = copies ? contiguous.local_steps() : access.block.local_steps(), remote = access.block.remote_steps();
  PackedOperation operation;
  operation.kind = PackedOperation::Kind::change;
  operation.operation = Operation::sum;
  operation.type = part_of(scaled.type);
  operation.target = {&remote, 1, nullptr};
  operation.origin = {&local, 1, copies ? copy.data() : static_cast<char *>(access.local)};
  operation.bytes = access.block.bytes();
  operation.word = lock_offset(*place.memory);
  operation.is_alone = true;
  settle(begin_packed(access.call, at, operation));
  if (copies || access.mode == Mode::blocking) settle(flush_local(access.call, *place.memory));
}

}  // namespace

std::int64_t element_bytes(int type) {
  switch (type) {
    case ARMCI_ACC_INT: return sizeof(int);
    case ARMCI_ACC_LNG: return sizeof(long);
    case ARMCI_ACC_FLT: return sizeof(float);
    case ARMCI_ACC_DBL: return sizeof(double);
    case ARMCI_ACC_CPL: return 2 * sizeof(float);
    case ARMCI_ACC_DCP: return 2 * sizeof(double);
    default: return 0;
  }
}

int accumulate(Job &job, const OneSided &access, const Scaled &scaled) {
  Place place;
  if (const int code = find_place(job, access.call, remote_of(access), &place)) return code;
  if (place.here)
    add_here(job, access, scaled, place);
  else
    add_far(job, access, scaled, place);
  return 0;
}

}  // namespace halocline::core::armci
