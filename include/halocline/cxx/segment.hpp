// Segments: memory that every rank can put to and get from, with notifications and atomics.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HALOCLINE_CXX_SEGMENT_HPP
#define HALOCLINE_CXX_SEGMENT_HPP

#include <halocline/segment.h>
#include <halocline/cxx/context.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace halocline {

/// How an atomic or an accumulate combines two numbers (HLC_OP_SUM and so on).
enum class Op {
  sum = HLC_OP_SUM,
  min = HLC_OP_MIN,
  max = HLC_OP_MAX,
  prod = HLC_OP_PROD,
  band = HLC_OP_BAND,
  bor = HLC_OP_BOR,
  bxor = HLC_OP_BXOR,
  replace = HLC_OP_REPLACE,
  read = HLC_OP_READ
};

/// Returns the hlc_number of an arithmetic type.
template <class T>
constexpr hlc_number number_of() {
  static_assert(std::is_floating_point_v<T> || (std::is_integral_v<T> && !std::is_same_v<T, bool>), "atomics work on numbers");
  static_assert(sizeof(T) <= 8, "atomics work on numbers of 8 to 64 bits");
  constexpr bool with_sign = std::is_signed_v<T>;
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? HLC_NUMBER_FLOAT32 : HLC_NUMBER_FLOAT64;
  else if constexpr (sizeof(T) == 1)
    return with_sign ? HLC_NUMBER_INT8 : HLC_NUMBER_UINT8;
  else if constexpr (sizeof(T) == 2)
    return with_sign ? HLC_NUMBER_INT16 : HLC_NUMBER_UINT16;
  else if constexpr (sizeof(T) == 4)
    return with_sign ? HLC_NUMBER_INT32 : HLC_NUMBER_UINT32;
  else
    return with_sign ? HLC_NUMBER_INT64 : HLC_NUMBER_UINT64;
}

/// Byte `offset` of a rank's part.
struct At {
  int rank;             ///< of the segment's context
  std::int64_t offset;  ///< in bytes from the beginning of its part
};

/// A notification, and ids of notifications.
using Notification = hlc_notification;
/// The ids first to first + count - 1.
using Ids = hlc_ids;
/// Runs of bytes, equally spaced in up to four dimensions (hlc_block).
using Block = hlc_block;

/// Which ranks take notifications: each rank those sent to it, or any rank of a node those sent to any of them (hlc_segment_spec.shared).
enum class NotificationsOf { rank, node };

/// A part of memory and some notifications per rank (hlc_segment_create). Making and closing one is collective. Counts are elements of T,
/// offsets are bytes. Where all ranks are on one node, some atomics on integers of 32 and 64 bits call no function of the library. They are
/// instructions of the processor in line: sums, swaps, reads and compare_swap. A Segment then has 24 bytes per rank.
class Segment {
 public:
  /// bytes: of this rank's part, which the ranks choose freely. notifications: ids per rank, the same on all. Collective.
  Segment(const Context &context, std::int64_t bytes, int notifications = 0, NotificationsOf of = NotificationsOf::rank)
      : handle_(open(context, {bytes, notifications, of == NotificationsOf::node ? 1 : 0})) {
    const hlc_context_info_t about = context.info();
    for (int rank = 0; about.nodes == 1 && rank < about.size; ++rank) parts_.push_back(info(rank));
  }

  /// This rank's own part.
  template <class T = std::byte>
  T *data() const noexcept {
    return static_cast<T *>(hlc_segment_data(raw()));
  }
  /// The part of a rank of this node.
  hlc_segment_info_t info(int rank) const {
    hlc_segment_info_t info{};
    check(hlc_segment_info(raw(), rank, &info));
    return info;
  }

  /// Writes count elements. What it reads may change after flush_local; the target has them after flush (hlc_put).
  template <class T>
  void put(At to, const T *from, std::int64_t count) const {
    check(hlc_put(target(to), from, bytes_of<T>(count)));
  }
  /// Reads count elements. They are there after flush_local or flush (hlc_get).
  template <class T>
  void get(At from, T *to, std::int64_t count) const {
    check(hlc_get(target(from), to, bytes_of<T>(count)));
  }
  /// Writes a block (hlc_put_strided).
  void put(At to, const void *from, const Block &block) const { check(hlc_put_strided(target(to), from, &block)); }
  /// Reads a block (hlc_get_strided).
  void get(At from, void *to, const Block &block) const { check(hlc_get_strided(target(from), to, &block)); }

  /// Writes count elements and raises a notification at the target after them (hlc_put_notify).
  template <class T>
  void put_notify(At to, const T *from, std::int64_t count, Notification notification) const {
    check(hlc_put_notify(target(to), from, bytes_of<T>(count), notification));
  }
  /// Raises a notification at a rank; puts that it is about have to be flushed before (hlc_notify).
  void notify(int rank, Notification notification) const { check(hlc_notify(raw(), rank, notification)); }
  /// Waits for a notification of the range and returns its id.
  int wait(Ids ids) const {
    int id = -1;
    check(hlc_notify_wait(raw(), ids, &id));
    return id;
  }
  /// The id of a notification of the range that is set, if there is one.
  std::optional<int> test(Ids ids) const {
    int id = -1;
    return done(hlc_notify_test(raw(), ids, &id)) ? std::optional<int>(id) : std::nullopt;
  }
  /// Takes a notification: returns its value, 0 if it was not set.
  std::uint32_t reset(int id) const {
    std::uint32_t value = 0;
    check(hlc_notify_reset(raw(), id, &value));
    return value;
  }

  /// Combines one number of the target with the operand and returns what it was.
  template <class T>
  [[gnu::always_inline]] T fetch_op(At at, Op op, T operand) const {
    if constexpr (is_word<T>)
      if (T *const word = mapped<T>(at)) {
        if (op == Op::sum) return ordered(__atomic_fetch_add(word, operand, __ATOMIC_SEQ_CST));
        if (op == Op::replace) return ordered(__atomic_exchange_n(word, operand, __ATOMIC_SEQ_CST));
        if (op == Op::read) return ordered(__atomic_load_n(word, __ATOMIC_SEQ_CST));
      }
    return fetch_op_by_call(at, op, operand);
  }
  /// fetch_op with a sum: returns the number before.
  template <class T>
  T fetch_add(At at, T value) const {
    return fetch_op(at, Op::sum, value);
  }
  /// fetch_op with replace: returns the number before.
  template <class T>
  T swap(At at, T value) const {
    return fetch_op(at, Op::replace, value);
  }
  /// Replaces an integer of 32 or 64 bits if it is `expected`; returns what it was.
  template <class T>
  [[gnu::always_inline]] T compare_swap(At at, T expected, T value) const {
    static_assert(is_word<T>, "compare_swap works on integers of 32 and 64 bits");
    if (T *const word = mapped<T>(at)) {
      __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
      return ordered(expected);
    }
    return compare_swap_by_call(at, expected, value);
  }
  /// Combines count numbers of the target with those at from, each atomically (hlc_accumulate).
  template <class T>
  void accumulate(At at, Op op, const T *from, std::int64_t count) const {
    check(hlc_accumulate(target(at), {static_cast<hlc_op>(op), number_of<T>()}, from, count));
  }

  /// An atomic for carry_out: what compare_swap and fetch_op do at once.
  template <class T>
  hlc_atomic compare_swap_of(At at, T expected, T value) const {
    static_assert(std::is_integral_v<T> && sizeof(T) >= 4, "lists have integers of 32 and 64 bits");
    return {target(at), number_of<T>(), HLC_OP_READ, 1, static_cast<std::int64_t>(value), static_cast<std::int64_t>(expected), 0};
  }
  /// An atomic for carry_out: what fetch_op does at once.
  template <class T>
  hlc_atomic fetch_op_of(At at, Op op, T operand) const {
    static_assert(std::is_integral_v<T> && sizeof(T) >= 4, "lists have integers of 32 and 64 bits");
    return {target(at), number_of<T>(), static_cast<hlc_op>(op), 0, static_cast<std::int64_t>(operand), 0, 0};
  }

  /// Returns when all operations to a rank are complete at both ends (hlc_flush).
  void flush(int rank) const { check(hlc_flush(raw(), rank)); }
  /// The same for all ranks.
  void flush() const { check(hlc_flush_all(raw())); }
  /// Returns when the caller's memory of all operations to a rank may be used again (hlc_flush_local).
  void flush_local(int rank) const { check(hlc_flush_local(raw(), rank)); }
  /// The same for all ranks.
  void flush_local() const { check(hlc_flush_local_all(raw())); }
  /// Returns when all ranks have called it; it completes no operation (hlc_barrier). Collective.
  void barrier() const { check(hlc_barrier(raw())); }

  /// Frees the segment now and says so if that fails. Collective.
  void finalise() {
    parts_.clear();
    handle_.finalise();
  }
  /// The handle for calls of the C API. It is closed with this object.
  hlc_segment *raw() const noexcept { return handle_.get(); }

 private:
  static hlc_segment *open(const Context &context, const hlc_segment_spec &spec) {
    hlc_segment *raw = nullptr;
    check(hlc_segment_create(context.raw(), &spec, &raw));
    return raw;
  }
  hlc_target target(At at) const noexcept { return {raw(), at.rank, at.offset}; }
  template <class T>
  static constexpr bool is_word = std::is_integral_v<T> && sizeof(T) >= 4 && sizeof(T) <= 8;
  /// What the caller does after an atomic does not pass it, a read neither. On x86 the atomic instructions see to that.
  template <class T>
  static T ordered(T value) noexcept {
#ifndef __x86_64__
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
    return value;
  }
  /// Where this process sees an integer; null if it does not, or if there is none, which the library's call then says.
  template <class T>
  T *mapped(At at) const noexcept {
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    const auto rank = static_cast<std::size_t>(at.rank);
    if (rank >= parts_.size() || at.offset < 0 || at.offset > parts_[rank].bytes - size || at.offset % size != 0) return nullptr;
    return reinterpret_cast<T *>(static_cast<char *>(parts_[rank].data) + at.offset);
  }
  /// Apart, so that compilers put the instructions above in line.
  template <class T>
  [[gnu::noinline]] T fetch_op_by_call(At at, Op op, T operand) const {
    T old{};
    check(hlc_fetch_op(target(at), {static_cast<hlc_op>(op), number_of<T>()}, &operand, &old));
    return old;
  }
  template <class T>
  [[gnu::noinline]] T compare_swap_by_call(At at, T expected, T value) const {
    std::int64_t old = 0;
    check(hlc_atomic_compare_swap(target(at), number_of<T>(), static_cast<std::int64_t>(expected), static_cast<std::int64_t>(value), &old));
    return static_cast<T>(old);
  }
  /// More elements than memory holds are as wrong as a negative number of them.
  template <class T>
  static std::int64_t bytes_of(std::int64_t count) {
    static_assert(std::is_trivially_copyable_v<T>, "segments hold plain values");
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    return count > INT64_MAX / size ? INT64_MAX : count * size;
  }
  detail::Handle<hlc_segment, hlc_segment_free> handle_;
  std::vector<hlc_segment_info_t> parts_;  // of all ranks, where all are on one node
};

/// Carries out many atomics at a time (hlc_atomics); afterwards `old` of each is the previous value.
inline void carry_out(std::vector<hlc_atomic> &list) { check(hlc_atomics(list.data(), static_cast<std::int64_t>(list.size()))); }

}  // namespace halocline
#endif
