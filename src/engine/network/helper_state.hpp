// The memory through which the ranks of a node and their helper process talk: each rank has a slot of its own, the first also holds the state.
// Offsets and numbers only, no pointers; the same file is compiled into the library and into the helper.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "base/atomics.hpp"
#include "transport/network.hpp"
#include "transport/shm/doorbell.hpp"

namespace halocline {

/// What a rank wants of its helper.
struct HelperRequest {
  /// book: take the addresses of all ranks; serve: a part of a segment; stop: no more.
  enum class Kind : std::int32_t { book, serve, stop };

  Kind kind = Kind::book;
  std::int32_t rank = 0;
  std::uint32_t segment = 0;
  transport::shm::ObjectAddress object;
  std::int64_t begin = 0, bytes = 0;  // of the memory in the object, from a page on
  std::int64_t data = 0, data_bytes = 0;  // of a part: what queries may touch, from `begin` on
  std::int64_t dummy_target = 0;  // what others may write, from `begin` on, to the end of the data
  std::int32_t notifications = 0, monotonic = 0;  // how many
  std::int64_t monotonic_words = 0;  // those that rise, from `begin` on
  std::int64_t first_notification = 0;  // from the begin of the object: those that a node shares lie in the part of another rank,
  transport::shm::ObjectAddress notifications_object;  // or at the begin of this one
  std::int32_t elsewhere = 0;  // then it is 1
};

/// And what comes of it.
struct HelperReply {
  std::int32_t status = 0;
  char message[512] = "";
  transport::RemoteKey part;
  std::uint64_t words_id = 0;
};

/// One rank's slot.
///
///   asked     counts requests; written by the rank, after the request
///   answered  follows it; written by the helper, after the reply
struct HelperSlot {
  alignas(kLinePair) std::atomic<std::uint32_t> asked;
  HelperRequest request;
  alignas(kLinePair) std::atomic<std::uint32_t> answered;
  HelperReply reply;
};

/// What concerns all.
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
  transport::shm::ObjectAddress pipe;  // to ring the helper, who ends when nobody has it open any more
  // By member 0 at the end: the helper is to go although others have the pipe open.
  std::atomic<std::int32_t> over;
  // By member 0 once it runs.
  transport::shm::Process process;
  // By the helper, before it is ready.
  std::atomic<State> state;
  std::int32_t status;
  char message[512];
  transport::Address address;
};

/// A member's part of the Region. The state is that of member 0.
struct HelperPart {
  HelperSlot slot;
  HelperState state;
};

/// Tells a helper of another build, which would read the memory otherwise.
inline constexpr std::uint64_t kHelperBuild = sizeof(HelperPart) << 32 | sizeof(HelperSlot) << 16 | 1;

/// The descriptors that a helper is started with: the Region's object, and the pipe.
inline constexpr int kHelperObject = 3, kHelperPipe = 4;

}  // namespace halocline
