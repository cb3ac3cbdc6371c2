// The one-sided operations, each written once for every kind of memory and every path to it (remote_memory.hpp). A face finds the memory,
// passes the name of its own function, and gets errors with that name.
//
// Completion. On Path::mapped and Path::kernel an operation is complete when it returns: the local buffer may be reused, and the target has
// the bytes. On Path::network it has only begun, unless it returns a value that it waits for. Then
//   - a put has copied up to 2 KiB, and the source of a longer one may be reused after flush_local (Source::is_brief copies more);
//   - what a get reads is there after flush_local;
//   - the target has everything after flush. What a put_notify carries is there when its notification is seen.
// Without a flush or a notification nothing is ordered, not even two puts to one place.
//
// Atomics. All on one number are atomic with each other, whichever rank does them on whichever path; puts and gets are not. Where the
// application provides the memory (RemoteMemory::lock), they hold a lock of the node, and wait for it. A number is aligned to its size,
// counted from the begin of the memory.
//
// Waiting. The plain forms wait for room in the network, for replies, and for the lock. The resumable forms never wait. They have one more
// argument, which says how far they got; it starts empty and belongs to one operation. They return `again`, and are then to be called again
// with the same arguments. Such a call polls, so that a loop of them progresses.
//
// Errors. Status::argument names the wrong argument, and nothing was done. peer_died: a process of the node has ended (Path::kernel), or a
// rank of another node cannot be reached. Often a later flush is the first to report the latter. timeout: HALOCLINE_TIMEOUT has passed.
// unsupported: the system refuses access to memory that the application provides.
//
// Any thread may call any of them. They allocate nothing on the node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/segment.h>

#include <span>

#include "engine/memory/atomics.hpp"
#include "engine/network/pending.hpp"
#include "engine/rma/remote_memory.hpp"

namespace halocline::core {

/// A notification that waits for the transfers before it, and how many bytes of these have begun.
struct PendingNotify {
  bool begun = false;
  Flush before;
  std::int64_t done = 0;
};

/// `after` is a hint of what is likely to follow.
Status put(const char *call, Target to, Source source, After after = After::flush);
Status get(const char *call, Target from, Sink sink);
/// Resumable: `done` counts the bytes that have begun.
Status put(const char *call, Target to, Source source, std::int64_t &done);
Status get(const char *call, Target from, Sink sink, std::int64_t &done);

/// A block of runs with strides on both sides, as halocline/segment.h describes it; `data` is its origin in this process.
Status put_strided(const char *call, Target to, const void *data, const hlc_block *block);
Status get_strided(const char *call, Target from, void *data, const hlc_block *block);

/// Bytes that are contiguous on both sides: offsets from the target's offset and from `data`, which may be below 0.
struct Run {
  std::int64_t target = 0, local = 0, bytes = 0;
};

/// A list of runs, in any order. Where runs of a put overlap in the target, or those of a get in this process, one of them stays.
Status put_indexed(const char *call, Target to, const void *data, std::span<const Run> runs);
Status get_indexed(const char *call, Target from, void *data, std::span<const Run> runs);

/// Sets a notification of the memory when the target has the data. Its value is not 0.
Status put_notify(const char *call, Target to, Source source, hlc_notification notification);
Status put_notify(const char *call, Target to, Source source, hlc_notification notification, PendingNotify &pending);
/// As put_notify, for memory of this node, but for the wake-up: the caller rings the doorbell of the target's rank afterwards. So one ring
/// is enough for several.
Status put_and_set(const char *call, Target to, Source source, hlc_notification notification);
/// Sets a notification, in no order with anything else.
Status notify(const char *call, const RemoteMemory &memory, hlc_notification notification);
/// Sets a notification when the target has all that this rank has put to that rank before. Resumable only.
Status notify_in_order(const char *call, const RemoteMemory &memory, hlc_notification notification, PendingNotify &pending);

/// A monotonic word of the memory (NotificationWords), and the number that it is raised to.
struct MonotonicWord {
  int word = 0;
  std::uint32_t number = 0;
};

/// put_notify and notify for such a word; only its rank is woken.
Status put_and_raise(const char *call, Target to, Source source, MonotonicWord word, PendingNotify &pending);
Status raise_word(const char *call, const RemoteMemory &memory, MonotonicWord word);
/// The same after all that this rank has put to that rank before. Where the network keeps no order, that must have been flushed.
Status raise_word_after_puts(const char *call, const RemoteMemory &memory, MonotonicWord word);

/// The operand of a fetch_op, unless the operation is HLC_OP_READ, and where it writes the previous number unless that is null.
struct FetchOp {
  const void *operand = nullptr;
  void *old = nullptr;
};

/// Replaces one number by the action's result for it and the operand: every operation on every type that can_combine allows.
Status fetch_op(const char *call, Target at, hlc_action action, FetchOp fetch);
Status fetch_op(const char *call, Target at, hlc_action action, FetchOp fetch, Query &query);
/// Replaces one number of any type if its bytes are those expected.
Status compare_swap(const char *call, Target at, hlc_number type, CompareSwap swap);
Status compare_swap(const char *call, Target at, hlc_number type, CompareSwap swap, Query &query);
/// The plain forms for an integer of 32 or 64 bits, passed and returned as one of 64 bits and cut to the type.
struct SwapWord {
  std::int64_t expected, value;
  std::int64_t *old;
};
Status fetch_word(const char *call, Target at, hlc_action action, std::int64_t operand, std::int64_t *old);
Status compare_swap_word(const char *call, Target at, hlc_number type, SwapWord swap);
/// Whether these two would accept the target and the action, without its op where it is compare_swap. Nothing is changed.
Status check_word(const char *call, Target at, hlc_action action, bool compares);
/// As fetch_op, but nothing is returned and no flush waits for it. Where the network keeps the order it arrives after all puts and other
/// operations that this rank has begun to that rank before. Elsewhere these must have been flushed.
Status change_silently(const char *call, Target at, hlc_action action, const void *operand);
/// A change of a number of 64 bits: its offset in its memory, and the operand. Null: the memory that is put to; else another of that rank.
struct NumberChange {
  std::int64_t offset = 0;
  hlc_action action = {};
  std::uint64_t operand = 0;
  const RemoteMemory *memory = nullptr;
};
/// Puts bytes, and then changes a number of the same rank: a rank that sees the change sees the bytes. Begins both; change_silently says what waits
/// for the second. In memory that the segment has allocated immediate data replace a number or add to it, if they have room for the operand
/// (SignalledNumbers): one write, as put_notify's. All else is a message, behind a put of more than 2 KiB.
Status put_and_change(const char *call, Target to, Source source, NumberChange change);
/// The same action for numbers one after the other, each atomic by itself. Nothing is returned.
Status accumulate(const char *call, Target at, hlc_action action, Numbers numbers);

/// Waits until the target has all that this rank has begun there; of a whole context: all targets.
Status flush(const char *call, const RemoteMemory &memory);
Status flush_all(const char *call, Network &network);
/// Waits until the local buffers of these operations may be reused.
Status flush_local(const char *call, const RemoteMemory &memory);
Status flush_local_all(const char *call, Network &network);

}  // namespace halocline::core
