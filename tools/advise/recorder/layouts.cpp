// Datatypes as nested runs: so many bytes in a row, then from the inside to the outside so many of them at such a distance.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "host.hpp"

namespace advise {
namespace {

struct Level {
  std::int64_t count, step;  // a step of 0: distances differ
};

struct Runs {
  std::int64_t bytes = 0, extent = 0, run = 0, first = 0;
  bool is_known = true;
  std::vector<Level> levels;
};

Runs repeat(Runs runs, std::int64_t count, std::int64_t step) {
  runs.bytes *= count;
  runs.extent = count > 0 ? (count - 1) * step + runs.extent : 0;
  if (count == 1) return runs;
  if (runs.levels.empty() && runs.run == step)
    runs.run *= count;
  else if (!runs.levels.empty() && runs.levels.back().step * runs.levels.back().count == step)
    runs.levels.back().count *= count;
  else
    runs.levels.push_back({count, step});
  return runs;
}

/// Several different parts: so many runs of a mean length.
Runs join(const std::vector<Runs> &parts, std::int64_t extent) {
  Runs all;
  if (parts.empty()) return all;
  const auto same = [&](const Runs &part) {
    return part.bytes == parts.front().bytes && part.levels.size() == parts.front().levels.size();
  };
  if (std::all_of(parts.begin(), parts.end(), same)) {
    all = parts.front();
    all.bytes *= static_cast<std::int64_t>(parts.size());
    if (parts.size() > 1) all.levels.push_back({static_cast<std::int64_t>(parts.size()), 0});
  } else {
    std::int64_t count = 0;
    for (const Runs &part : parts) {
      std::int64_t runs = 1;
      for (const Level &level : part.levels) runs *= level.count;
      count += runs;
      all.bytes += part.bytes;
    }
    all.run = all.bytes / std::max<std::int64_t>(1, count);
    all.levels.push_back({count, 0});
  }
  all.extent = extent;
  return all;
}

Runs describe(MPI_Datatype type);

struct Contents {
  std::vector<int> numbers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;

  bool read(MPI_Datatype type, int numbers_wanted, int addresses_wanted, int types_wanted) {
    numbers.resize(static_cast<std::size_t>(numbers_wanted) + 1);
    addresses.resize(static_cast<std::size_t>(addresses_wanted) + 1);
    types.resize(static_cast<std::size_t>(types_wanted));
    return PMPI_Type_get_contents(type, numbers_wanted, addresses_wanted, types_wanted, numbers.data(), addresses.data(), types.data()) ==
           MPI_SUCCESS;
  }
  std::int64_t at(std::size_t i) const { return numbers[i]; }
};

void release(MPI_Datatype type) {
  int numbers = 0, addresses = 0, types = 0, combiner = 0;
  if (PMPI_Type_get_envelope(type, &numbers, &addresses, &types, &combiner) != MPI_SUCCESS) return;
  if (combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
      combiner == MPI_COMBINER_F90_INTEGER)
    return;
  PMPI_Type_free(&type);
}

Runs plain(MPI_Datatype type) {
  int bytes = 0;
  MPI_Aint lower = 0, extent = 0;
  PMPI_Type_size(type, &bytes);
  PMPI_Type_get_extent(type, &lower, &extent);
  return {bytes, extent, bytes, 0, true, {}};
}

Runs unknown(MPI_Datatype type) {
  Runs runs = plain(type);
  runs.is_known = runs.bytes == runs.extent;
  return runs;
}

/// Blocks at places of their own: count, lengths, places.
Runs blocks(const Contents &contents, int combiner, const Runs &element, std::int64_t extent) {
  const auto count = static_cast<std::size_t>(contents.at(0));
  const bool one_length = combiner == MPI_COMBINER_INDEXED_BLOCK || combiner == MPI_COMBINER_HINDEXED_BLOCK;
  std::vector<Runs> parts;
  for (std::size_t i = 0; i < count; ++i) parts.push_back(repeat(element, contents.at(one_length ? 1 : 1 + i), element.extent));
  return join(parts, extent);
}

Runs box(const Contents &contents, const Runs &element) {
  const auto dims = static_cast<std::size_t>(contents.at(0));
  const bool is_fortran = contents.at(1 + 3 * dims) == MPI_ORDER_FORTRAN;
  Runs runs = element;
  std::int64_t step = element.extent, first = 0;
  for (std::size_t turn = 0; turn < dims; ++turn) {
    const std::size_t d = is_fortran ? turn : dims - 1 - turn;
    runs = repeat(runs, contents.at(1 + dims + d), step);
    first += contents.at(1 + 2 * dims + d) * step;
    step *= contents.at(1 + d);
  }
  runs.first = first;
  runs.extent = step;
  return runs;
}

Runs structure(const Contents &contents, std::int64_t extent) {
  std::vector<Runs> parts;
  for (std::size_t i = 0; i < contents.types.size(); ++i) {
    const Runs element = describe(contents.types[i]);
    parts.push_back(repeat(element, contents.at(1 + i), element.extent));
  }
  return join(parts, extent);
}

Runs derived(MPI_Datatype type, const Contents &contents, int combiner) {
  MPI_Aint lower = 0, extent = 0;
  PMPI_Type_get_extent(type, &lower, &extent);
  if (combiner == MPI_COMBINER_STRUCT) return structure(contents, extent);
  Runs runs = describe(contents.types[0]);
  const std::int64_t step = runs.extent;
  switch (combiner) {
    case MPI_COMBINER_DUP: return runs;
    case MPI_COMBINER_CONTIGUOUS: return repeat(runs, contents.at(0), step);
    case MPI_COMBINER_VECTOR: return repeat(repeat(runs, contents.at(1), step), contents.at(0), contents.at(2) * step);
    case MPI_COMBINER_HVECTOR: return repeat(repeat(runs, contents.at(1), step), contents.at(0), contents.addresses[0]);
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK: return blocks(contents, combiner, runs, extent);
    case MPI_COMBINER_SUBARRAY: return box(contents, runs);
    case MPI_COMBINER_RESIZED: runs.extent = extent; return runs;
    default: return unknown(type);
  }
}

/// Types made by functions for large counts can't be asked for their contents here.
bool has_contents(MPI_Datatype type) {
#if MPI_VERSION >= 4
  MPI_Count numbers = 0, addresses = 0, large = 0, types = 0;
  int combiner = 0;
  return PMPI_Type_get_envelope_c(type, &numbers, &addresses, &large, &types, &combiner) == MPI_SUCCESS && large == 0;
#else
  return type != MPI_DATATYPE_NULL;
#endif
}

Runs describe(MPI_Datatype type) {
  int numbers = 0, addresses = 0, types = 0, combiner = 0;
  if (!has_contents(type) || PMPI_Type_get_envelope(type, &numbers, &addresses, &types, &combiner) != MPI_SUCCESS) return unknown(type);
  Contents contents;
  if (combiner == MPI_COMBINER_NAMED || types == 0 || !contents.read(type, numbers, addresses, types)) return plain(type);
  const Runs runs = derived(type, contents, combiner);
  for (const MPI_Datatype inner : contents.types) release(inner);
  return runs;
}

struct Known {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, const Layout *> layouts;
  std::uint32_t next = 0;
};

/// Raised when a type is freed: threads then look up the one that they remember.
std::atomic<std::uint32_t> generation{1};

Known &known() {
  static Known &all = *new Known;
  return all;
}

const Layout *describe_new(MPI_Datatype type) {
  const Runs runs = describe(type);
  auto *const layout = new Layout{++known().next, runs.bytes};
  std::string line = "layout";
  add_numbers(line, layout->id, runs.bytes, runs.extent, runs.is_known ? runs.run : 0, runs.first);
  for (const Level &level : runs.levels) add_numbers(line, level.count, level.step);
  write_line(line);
  return layout;
}

}  // namespace

const Layout &layout_of(MPI_Datatype type) {
  struct Last {
    std::uint64_t handle;
    std::uint32_t generation;
    const Layout *layout;
  };
  static thread_local Last last{};
  if (last.layout && last.handle == number(type) && last.generation == generation.load(std::memory_order_relaxed)) return *last.layout;
  const std::lock_guard lock(known().mutex);
  const Layout *&entry = known().layouts[number(type)];
  if (!entry) entry = describe_new(type);
  last = {number(type), generation.load(std::memory_order_relaxed), entry};
  return *entry;
}

void forget_type(MPI_Datatype type) {
  const std::lock_guard lock(known().mutex);
  known().layouts.erase(number(type));
  ++generation;
}

}  // namespace advise
