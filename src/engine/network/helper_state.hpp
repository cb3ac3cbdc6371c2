// The shared memory through which the ranks of a node and their helper process communicate. Each rank has a slot; the part of the first
// also holds the state. Offsets and numbers only, no pointers; the same file is compiled into the library and into the helper.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "base/atomics.hpp"
#include "transport/network.hpp"
#include "transport/shm/doorbell.hpp"

namespace halocline::core {

/// A rank's request to its helper.
struct HelperRequest {
  /// book: take the addresses of all ranks; serve: serve a part of a segment; stop: serve it no longer.
  enum class Kind : std::int32_t { book, serve, stop };

  Kind kind = Kind::book;
  std::int32_t rank = 0;
  std::uint32_t segment = 0;
  transport::shm::ObjectAddress object;
  std::int64_t begin = 0, bytes = 0;  // of the memory in the object; begins at a page
  std::int64_t data = 0, data_bytes = 0;  // of the part: what queries may touch, from `begin` on
  std::int64_t dummy_target = 0;  // begin of what others may write, up to the end of the data; from `begin` on
  std::int32_t notifications = 0, monotonic = 0;  // how many
  std::int64_t monotonic_words = 0;  // offset of the monotonic words from `begin`
  std::int64_t first_notification = 0;  // from the begin of the object: a node's shared ones are in the part of another rank,
  transport::shm::ObjectAddress notifications_object;  // or at the begin of this one
  std::int32_t elsewhere = 0;  // 1 if they are in notifications_object
  std::int32_t takes_signals = 0;  // 1: immediate data change numbers of the data
};

/// The helper's reply to a request.
struct HelperReply {
  std::int32_t status = 0;
  char message[512] = "";
  transport::RemoteKey part;
  std::uint64_t words_id = 0;
};

/// One rank's slot.
///
///   asked     counts requests; written by the rank, after the request
///   answered  follows `asked`; written by the helper, after the reply
struct HelperSlot {
  alignas(kLinePair) std::atomic<std::uint32_t> asked;
  HelperRequest request;
  alignas(kLinePair) std::atomic<std::uint32_t> answered;
  HelperReply reply;
};

/// What the helper and all ranks of the node share.
struct HelperState {
  enum class State : std::int32_t { starting, ready, failed };

  // Written by member 0 before there is a helper.
  std::uint64_t build;
  std::int32_t ranks, members;
  std::int32_t one_host;
  transport::Choice choice;
  char library[1024];  // the file of libfabric
  transport::shm::ObjectAddress doorbells;
  std::int64_t doorbell_distance;
  transport::shm::ObjectAddress pipe;  // rings the helper, which ends when no rank has it open any more
  // Written by member 0 at the end: the helper is to end although others have the pipe open.
  std::atomic<std::int32_t> over;
  // Written by member 0 once the helper runs.
  transport::shm::Process process;
  // Written by the helper, before it is ready.
  std::atomic<State> state;
  std::int32_t status;
  char message[512];
  transport::Address address;
  transport::RemoteKey probe;  // of the word that others write to find out whether the helper is there
};

/// A member's part of the shared memory. Only the state of member 0 is used.
struct HelperPart {
  HelperSlot slot;
  HelperState state;
};

/// Detects a helper of another build, which would interpret the memory differently.
inline constexpr std::uint64_t kHelperBuild = sizeof(HelperPart) << 32 | sizeof(HelperSlot) << 16 | 5;

/// The file descriptors that a helper is started with: the shared memory's object, and the pipe.
inline constexpr int kHelperObject = 3, kHelperPipe = 4;

}  // namespace halocline::core
