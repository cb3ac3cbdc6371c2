// Maps and their kernels. An entry whose components are contiguous on both sides is moved in one piece; common sizes are known to the
// compiler. Else each component is processed separately.
// SPDX-License-Identifier: BSD-3-Clause
#include "index_halo/entries.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "base/stream.hpp"

namespace halocline::core {
namespace {

/// Runs of at least this many entries are faster than lists. With shorter ones the branch at each run's end costs more than its copy saves.
constexpr std::int64_t kLongRun = 4;

bool counts_up(const Indices &list) {
  for (std::size_t k = 1; k < list.size(); ++k)
    if (list[k] != list[k - 1] + 1) return false;
  return true;
}

bool fits_32_bits(const Indices &list) {
  return std::all_of(list.begin(), list.end(), [](std::int64_t i) { return i <= INT32_MAX; });
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

template <std::size_t n>
using Known = std::integral_constant<std::size_t, n>;

/// Calls leaf(Known<bytes>) for common sizes of an entry, leaf(Known<0>) for others.
template <class Leaf>
void with_known_bytes(std::int64_t bytes, Leaf leaf) {
  switch (bytes) {
    case 4: return leaf(Known<4>());
    case 8: return leaf(Known<8>());
    case 12: return leaf(Known<12>());
    case 16: return leaf(Known<16>());
    case 24: return leaf(Known<24>());
    case 32: return leaf(Known<32>());
    case 40: return leaf(Known<40>());
    case 48: return leaf(Known<48>());
    case 64: return leaf(Known<64>());
    default: return leaf(Known<0>());
  }
}

/// The copy of bytes that the compiler knows, or of any number (known 0).
template <std::size_t known, bool taking>
struct Move {
  std::size_t bytes;
  void operator()(char *mine, char *theirs) const {
    const std::size_t count = known ? known : bytes;
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
  with_known_bytes(bytes, [&](auto known) { walk(map, mine, theirs, Move<known(), taking>{static_cast<std::size_t>(bytes)}); });
}

/// Ghosts are mostly contiguous: each run is set at once.
bool clear_runs(const EntryMap &map, std::int64_t bytes, const EntryLayout &mine) {
  if (mine.entry != bytes || !map.mine.empty()) return false;
  const auto clear = [&](std::int64_t first, std::int64_t count) {
    std::memset(mine.data + first * bytes, 0, static_cast<std::size_t>(count * bytes));
  };
  for (const EntryRun &run : map.runs) clear(run.mine, run.count);
  if (map.runs.empty() && map.count > 0) clear(map.first_mine, map.count);
  return true;
}

/// Sets bytes that the compiler knows, or any number (known 0).
template <std::size_t known>
struct Clear {
  std::size_t bytes;
  void operator()(char *mine, const char *) const { std::memset(mine, 0, known ? known : bytes); }
};

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

/// Calls stretch(first, count) for my entries, consecutive ones together if they may be joined, until it returns false.
template <class Stretch>
void for_each_stretch(const EntryMap &map, bool joins, Stretch stretch) {
  const auto pass = [&](std::int64_t first, std::int64_t count) {
    if (joins) return stretch(first, count);
    bool goes_on = true;
    for (std::int64_t k = 0; goes_on && k < count; ++k) goes_on = stretch(first + k, 1);
    return goes_on;
  };
  const auto all_of = [](const auto &list, auto visit) { static_cast<void>(std::all_of(list.begin(), list.end(), visit)); };
  if (!map.runs.empty()) return all_of(map.runs, [&](const EntryRun &run) { return pass(run.mine, run.count); });
  if (!map.mine.empty()) return all_of(map.mine, [&](std::int32_t entry) { return stretch(entry, 1); });
  pass(map.first_mine, map.count);
}

/// Entries need not be aligned to their type, so the bytes are moved; the compiler makes loads and stores of it.
template <class T>
void add_element(char *to, const char *from) {
  T sum, summand;
  std::memcpy(&sum, to, sizeof(T));
  std::memcpy(&summand, from, sizeof(T));
  sum += summand;
  std::memcpy(to, &sum, sizeof(T));
}

/// Adds elements whose number the compiler knows, or any number (known 0).
template <class T, std::size_t known>
struct Add {
  std::size_t elements;
  void operator()(char *to, const char *from) const {
    const std::size_t count = known ? known : elements;
    for (std::size_t i = 0; i < count; ++i) add_element<T>(to + i * sizeof(T), from + i * sizeof(T));
  }
};

template <class T>
void add_pieces(const EntryMap &map, std::size_t elements, const EntryLayout &mine, const EntryLayout &theirs) {
  switch (elements) {
    case 1: return walk(map, mine, theirs, Add<T, 1>{elements});
    case 2: return walk(map, mine, theirs, Add<T, 2>{elements});
    case 3: return walk(map, mine, theirs, Add<T, 3>{elements});
    case 4: return walk(map, mine, theirs, Add<T, 4>{elements});
    case 5: return walk(map, mine, theirs, Add<T, 5>{elements});
    default: return walk(map, mine, theirs, Add<T, 0>{elements});
  }
}

template <class T>
void add_typed(const EntryMap &map, const EntryKind &kind, const EntryLayout &mine, const EntryLayout &theirs) {
  for_each_piece(kind, mine, theirs, [&map](std::int64_t bytes, const EntryLayout &m, const EntryLayout &t) {
    add_pieces<T>(map, static_cast<std::size_t>(bytes) / sizeof(T), m, t);
  });
}

}  // namespace

std::vector<EntryRun> find_runs(const Indices &mine, const Indices &theirs) {
  std::vector<EntryRun> runs;
  for (std::size_t k = 0; k < mine.size(); ++k) {
    if (!runs.empty() && mine[k] == runs.back().mine + runs.back().count && theirs[k] == runs.back().theirs + runs.back().count)
      runs.back().count += 1;
    else
      runs.push_back({mine[k], theirs[k], 1});
  }
  return runs;
}

std::vector<EntryRun> find_runs(const Indices &mine) { return find_runs(mine, places(mine.size())); }

EntryMap map_to_buffer(const Indices &mine) { return map_entries(mine, places(mine.size())); }

EntryMap map_entries(const Indices &mine, const Indices &theirs) {
  EntryMap map;
  map.count = static_cast<std::int64_t>(mine.size());
  if (map.count == 0) return map;
  std::vector<EntryRun> runs = find_runs(mine, theirs);
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

std::int64_t prefetch(const EntryMap &map, const EntryKind &kind, const EntryLayout &mine, std::int64_t most) {
  for_each_piece(kind, mine, mine, [&](std::int64_t bytes, const EntryLayout &piece, const EntryLayout &) {
    for_each_stretch(map, piece.entry == bytes, [&](std::int64_t first, std::int64_t count) {
      const std::int64_t length = std::min(count * bytes, most);
      fetch_to_read(piece.data + first * piece.entry, length);
      most -= length;
      return most > 0;
    });
  });
  return most;
}

void clear(const EntryMap &map, const EntryKind &kind, const EntryLayout &mine) {
  for_each_piece(kind, mine, mine, [&map](std::int64_t bytes, const EntryLayout &m, const EntryLayout &) {
    if (clear_runs(map, bytes, m)) return;
    EntryLayout nowhere = m;
    nowhere.entry = 0;
    with_known_bytes(bytes, [&](auto known) { walk(map, m, nowhere, Clear<known()>{static_cast<std::size_t>(bytes)}); });
  });
}

}  // namespace halocline::core
