// Moving the entries of a list: from one array to another, or to and from a buffer, and the same with addition. An EntryMap is planned once
// from two lists; take(), give() and add() are the leaves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.h>

#include <cstdint>
#include <vector>

#include "base/status.hpp"

namespace halocline::core {

using Indices = std::vector<std::int64_t>;

/// Entries that follow each other on both sides.
struct EntryRun {
  std::int64_t mine = 0, theirs = 0, count = 0;
};

/// Which entries of my array belong to which entries of another place: the neighbour's array, a buffer, or my own array again. It is kept
/// as runs where these are long, else as a list per side. A list that only counts up is left out.
struct EntryMap {
  std::int64_t count = 0;
  std::vector<EntryRun> runs;  // used if there are any
  std::vector<std::int32_t> mine, theirs;  // else these; an empty one counts up from the first
  std::int64_t first_mine = 0, first_theirs = 0;

  std::int64_t memory_bytes() const {
    return static_cast<std::int64_t>(runs.size() * sizeof(EntryRun) + (mine.size() + theirs.size()) * sizeof(std::int32_t));
  }
};

/// Plans for mine[k] and theirs[k], k ascending.
EntryMap map_entries(const Indices &mine, const Indices &theirs);
/// The same with a buffer at the other side, in which entry k has place k.
EntryMap map_to_buffer(const Indices &mine);
/// The runs of both, however short.
std::vector<EntryRun> find_runs(const Indices &mine, const Indices &theirs);
std::vector<EntryRun> find_runs(const Indices &mine);

/// Places of entries: bytes from one to the next, and from one component of an entry to the next.
struct EntryLayout {
  char *data = nullptr;
  std::int64_t entry = 0, component = 0;
};

/// The size and type of an entry.
struct EntryKind {
  hlc_type type = HLC_OPAQUE;
  std::int64_t element = 0, components = 1;
  std::int64_t bytes() const { return element * components; }
};

/// Entries packed without gaps.
inline EntryLayout packed_at(void *buffer, const EntryKind &kind) { return {static_cast<char *>(buffer), kind.bytes(), kind.element}; }

/// Copies theirs to mine.
void take(const EntryMap &map, const EntryKind &kind, const EntryLayout &mine, const EntryLayout &theirs);
/// Copies mine to theirs.
void give(const EntryMap &map, const EntryKind &kind, const EntryLayout &mine, const EntryLayout &theirs);
/// Adds theirs to mine, k ascending, so that an entry listed twice gets both in that order. The type must not be HLC_OPAQUE.
void add(const EntryMap &map, const EntryKind &kind, const EntryLayout &mine, const EntryLayout &theirs);
/// Prefetches my entries, in the order of the map, but no more than `most` bytes of them. Returns what is left of `most`.
std::int64_t prefetch(const EntryMap &map, const EntryKind &kind, const EntryLayout &mine, std::int64_t most);
/// Sets my entries to zero.
void clear(const EntryMap &map, const EntryKind &kind, const EntryLayout &mine);

}  // namespace halocline::core
