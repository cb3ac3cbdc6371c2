// What the recorder of `halocline advise` writes: a page that says who recorded, the latest records, and behind them all earlier ones. A record
// is 64 bytes, one per event. Its reader is bindings/python/src/halocline/command/advice/recording.py, which has the same layout.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace advise {

/// What a call did. The reader has the same numbers.
enum class Kind : std::uint8_t {
  send = 1,  // blocking, of any send mode
  receive = 2,
  start_send = 3,  // MPI_Isend and its kin
  start_receive = 4,
  sendrecv_send = 5,  // the two halves of MPI_Sendrecv, with the same times
  sendrecv_receive = 6,
  init_send = 7,  // persistent
  init_receive = 8,
  start = 9,  // MPI_Start, MPI_Startall: of the requests in the records behind it
  wait = 10,  // MPI_Wait, MPI_Waitall, ...: of the requests in the records behind it
  items = 11,  // seven words that belong to the event before
  spin = 12,  // unsuccessful tests and probes in a row
  neighbour = 13,  // a neighbourhood collective; bytes to each neighbour behind it
  collective = 14,
  barrier = 15,
  put = 16,
  get = 17,
  accumulate = 18,
  window_sync = 19,
  sources = 20,  // seven words (source, tag) for the requests of the wait before
  start_neighbour = 21,  // a non-blocking neighbourhood collective
  start_collective = 22,
};

/// One event. The last 8 bytes have the same meaning in every record.
struct Event {
  std::uint64_t begin, end;  // ticks
  std::uint64_t bytes;
  std::uint64_t site;  // the return address of the call
  std::uint64_t request;  // the handle; of a spin the ticks inside calls; of an access the window
  std::int32_t peer;  // in MPI_COMM_WORLD, or kAny, kUnknown
  std::int32_t tag;
  std::uint32_t count;  // of words in the records behind it; of a spin, calls
  std::uint32_t unused;
  std::uint32_t layout;
  std::uint16_t comm;
  Kind kind;
  std::uint8_t detail;  // of a collective: which one
};

/// Words that belong to the event before.
struct Items {
  static constexpr std::size_t kWords = 7;
  std::uint64_t words[kWords];
  std::uint32_t layout;
  std::uint16_t comm;
  Kind kind;
  std::uint8_t used;
};

static_assert(sizeof(Event) == 64 && sizeof(Items) == 64 && offsetof(Event, kind) == offsetof(Items, kind));

constexpr std::int32_t kAny = -1, kUnknown = -3;
constexpr std::uint32_t kRunning = 0, kFinalised = 1;

/// The first page of a file.
struct Head {
  char magic[8];  // kMagic
  std::uint32_t state, rank, ranks, thread;
  std::uint64_t count;  // of records
  std::uint64_t earlier;  // of them, those behind the latest ones
  std::uint64_t dropped;  // not 0: a thread has stopped recording at its limit
  std::uint64_t ticks[2];  // behind MPI_Init, before MPI_Finalize
  std::int64_t nanoseconds[2];  // of CLOCK_MONOTONIC at these ticks
  std::int64_t offset[2];  // of rank 0's clock to this one, in nanoseconds
  std::int64_t offset_error[2];  // half of the shortest round trip
  char host[64];
  char library[256];
};

constexpr char kMagic[] = "HLCADV02";
constexpr std::size_t kHeadBytes = 4096;
constexpr std::size_t kLatest = 1024;  // records
constexpr std::size_t kLatestBytes = kLatest * sizeof(Event);
static_assert(sizeof(Head) <= kHeadBytes);

}  // namespace advise
