// Maps and their kernels. An entry whose components lie side by side on both sides is moved in one piece, of a size that the compiler knows
// where it is a common one; else each component is gone through by itself.
// SPDX-License-Identifier: BSD-3-Clause
#include "index_halo/entries.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <numeric>

namespace halocline {
namespace {

/// From so many entries per run on, runs are faster than lists: below, the branch at each run's end costs more than its copy saves.
constexpr std::int64_t kLongRun = 4;

bool counts_up(const Indices &list) {
  for (std::size_t k = 1; k < list.size(); ++k)
    if (list[k] != list[k - 1] + 1) return false;
  return true;
}

bool fits_32_bits(const Indices &list) {
  return std::all_of(list.begin(), list.end(), [](std::int64_t i) { return i <= INT32_MAX; });
}

std::vector<EntryRun> join_runs(const Indices &mine, const Indices &theirs) {
  std::vector<EntryRun> runs;
  for (std::size_t k = 0; k < mine.size(); ++k) {
    if (!runs.empty() && mine[k] == runs.back().mine + runs.back().count && theirs[k] == runs.back().theirs + runs.back().count)
      runs.back().count += 1;
    else
      runs.push_back({mine[k], theirs[k], 1});
  }
  return runs;
}

Indices places(std::size_t count) {
  Indices all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// One side of a list: the k-th address.
template <bool listed>
struct Side {
  char *base;
  std::int64_t stride;
  const std::int32_t *list;
  char *at(std::int64_t k) const { return base + (listed ? list[k] : k) * stride; }
};

template <bool listed>
Side<listed> side_of(char *data, std::int64_t stride, const std::vector<std::int32_t> &list, std::int64_t first) {
  return {listed ? data : data + first * stride, stride, list.data()};
}

template <class Leaf, bool mine_listed, bool theirs_listed>
void walk_lists(const EntryMap &map, const EntryLayout &mine, const EntryLayout &theirs, Leaf leaf) {
  const auto m = side_of<mine_listed>(mine.data, mine.entry, map.mine, map.first_mine);
  const auto t = side_of<theirs_listed>(theirs.data, theirs.entry, map.theirs, map.first_theirs);
  for (std::int64_t k = 0; k < map.count; ++k) leaf(m.at(k), t.at(k));
}

/// Calls leaf(mine, theirs) for each pair of entries.
template <class Leaf>
void walk(const EntryMap &map, const EntryLayout &mine, const EntryLayout &theirs, Leaf leaf) {
  if (!map.runs.empty()) {
    for (const EntryRun &run : map.runs) {
      char *m = mine.data + run.mine * mine.entry, *t = theirs.data + run.theirs * theirs.entry;
      for (std::int64_t k = 0; k < run.count; ++k, m += mine.entry, t += theirs.entry) leaf(m, t);
    }
    return;
  }
  if (map.mine.empty() && map.theirs.empty()) return walk_lists<Leaf, false, false>(map, mine, theirs, leaf);
  if (map.mine.empty()) return walk_lists<Leaf, false, true>(map, mine, theirs, leaf);
  if (map.theirs.empty()) return walk_lists<Leaf, true, false>(map, mine, theirs, leaf);
  walk_lists<Leaf, true, true>(map, mine, theirs, leaf);
}

/// The copy of bytes that the compiler knows, or of any number (fixed 0).
template <std::size_t fixed, bool taking>
struct Move {
  std::size_t bytes;
  void operator()(char *mine, char *theirs) const {
    const std::size_t count = fixed ? fixed : bytes;
    taking ? std::memcpy(mine, theirs, count) : std::memcpy(theirs, mine, count);
  }
};

/// Long runs of entries that leave no gap, on both sides.
template <bool taking>
void move_runs(const EntryMap &map, std::int64_t bytes, const EntryLayout &mine, const EntryLayout &theirs) {
  for (const EntryRun &run : map.runs) {
    const Move<0, taking> move{static_cast<std::size_t>(run.count * bytes)};
    move(mine.data + run.mine * bytes, theirs.data + run.theirs * bytes);
  }
}

template <bool taking>
void move_pieces(const EntryMap &map, std::int64_t bytes, const EntryLayout &mine, const EntryLayout &theirs) {
  if (!map.runs.empty() && mine.entry == bytes && theirs.entry == bytes) return move_runs<taking>(map, bytes, mine, theirs);
  switch (bytes) {
    case 4: return walk(map, mine, theirs, Move<4, taking>{});
    case 8: return walk(map, mine, theirs, Move<8, taking>{});
    case 12: return walk(map, mine, theirs, Move<12, taking>{});
    case 16: return walk(map, mine, theirs, Move<16, taking>{});
    case 24: return walk(map, mine, theirs, Move<24, taking>{});
    case 32: return walk(map, mine, theirs, Move<32, taking>{});
    case 40: return walk(map, mine, theirs, Move<40, taking>{});
    case 48: return walk(map, mine, theirs, Move<48, taking>{});
    case 64: return walk(map, mine, theirs, Move<64, taking>{});
    default: return walk(map, mine, theirs, Move<0, taking>{static_cast<std::size_t>(bytes)});
  }
}

/// Calls piece(bytes, mine, theirs): once if an entry is in one piece on both sides, else per component.
template <class Piece>
void for_each_piece(const EntryKind &kind, EntryLayout mine, EntryLayout theirs, Piece piece) {
  if (kind.components == 1 || (mine.component == kind.element && theirs.component == kind.element))
    return piece(kind.bytes(), mine, theirs);
  for (std::int64_t c = 0; c < kind.components; ++c, mine.data += mine.component, theirs.data += theirs.component)
    piece(kind.element, mine, theirs);
}

template <bool taking>
void move(const EntryMap &map, const EntryKind &kind, const EntryLayout &mine, const EntryLayout &theirs) {
  for_each_piece(kind, mine, theirs,
                 [&map](std::int64_t bytes, const EntryLayout &m, const EntryLayout &t) { move_pieces<taking>(map, bytes, m, t); });
}

template <class T>
void add_typed(const EntryMap &map, const EntryKind &kind, const EntryLayout &mine, const EntryLayout &theirs) {
  for_each_piece(kind, mine, theirs, [&map](std::int64_t bytes, const EntryLayout &m, const EntryLayout &t) {
    const std::int64_t elements = bytes / static_cast<std::int64_t>(sizeof(T));
    walk(map, m, t, [elements](char *to, const char *from) {
      for (std::int64_t i = 0; i < elements; ++i, to += sizeof(T), from += sizeof(T)) {
        // Entries need not be aligned to their type: the bytes are moved, the compiler makes loads and stores of it.
        T sum, summand;
        std::memcpy(&sum, to, sizeof(T));
        std::memcpy(&summand, from, sizeof(T));
        sum += summand;
        std::memcpy(to, &sum, sizeof(T));
      }
    });
  });
}

}  // namespace

std::vector<EntryRun> find_runs(const Indices &mine) { return join_runs(mine, places(mine.size())); }

EntryMap map_to_buffer(const Indices &mine) { return map_entries(mine, places(mine.size())); }

EntryMap map_entries(const Indices &mine, const Indices &theirs) {
  EntryMap map;
  map.count = static_cast<std::int64_t>(mine.size());
  if (map.count == 0) return map;
  std::vector<EntryRun> runs = join_runs(mine, theirs);
  const bool long_runs = map.count >= kLongRun * static_cast<std::int64_t>(runs.size());
  if (long_runs || !fits_32_bits(mine) || !fits_32_bits(theirs)) {
    map.runs = std::move(runs);
    return map;
  }
  map.first_mine = mine.front();
  map.first_theirs = theirs.front();
  if (!counts_up(mine)) map.mine.assign(mine.begin(), mine.end());
  if (!counts_up(theirs)) map.theirs.assign(theirs.begin(), theirs.end());
  return map;
}

void take(const EntryMap &map, const EntryKind &kind, const EntryLayout &mine, const EntryLayout &theirs) {
  move<true>(map, kind, mine, theirs);
}

void give(const EntryMap &map, const EntryKind &kind, const EntryLayout &mine, const EntryLayout &theirs) {
  move<false>(map, kind, mine, theirs);
}

void add(const EntryMap &map, const EntryKind &kind, const EntryLayout &mine, const EntryLayout &theirs) {
  switch (kind.type) {
    case HLC_FLOAT32: return add_typed<float>(map, kind, mine, theirs);
    case HLC_FLOAT64: return add_typed<double>(map, kind, mine, theirs);
    case HLC_INT32: return add_typed<std::uint32_t>(map, kind, mine, theirs);
    case HLC_INT64: return add_typed<std::uint64_t>(map, kind, mine, theirs);
    case HLC_COMPLEX64: return add_typed<std::complex<float>>(map, kind, mine, theirs);
    case HLC_COMPLEX128: return add_typed<std::complex<double>>(map, kind, mine, theirs);
    case HLC_OPAQUE: return;  // refused where the swap is started
  }
}

void clear(const EntryMap &map, const EntryKind &kind, const EntryLayout &mine) {
  for_each_piece(kind, mine, mine, [&map](std::int64_t bytes, const EntryLayout &m, const EntryLayout &) {
    const auto count = static_cast<std::size_t>(bytes);
    EntryLayout nowhere = m;
    nowhere.entry = 0;
    walk(map, m, nowhere, [count](char *to, const char *) { std::memset(to, 0, count); });
  });
}

}  // namespace halocline
