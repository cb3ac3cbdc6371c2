// The blocks of a collective as its arguments describe them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <tuple>
#include <vector>

#include "device/pointers.hpp"
#include "faces/mpi/collective/kept_arguments.hpp"
#include "faces/mpi/collective/links.hpp"
#include "faces/mpi/interpose/error_text.hpp"

namespace halocline::core::mpi {

/// `index` times the datatype's extent from a buffer, and so on: an address that MPI_BOTTOM may be.
inline void *displaced(const void *buffer, std::int64_t bytes) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the buffer may be MPI_BOTTOM
  return reinterpret_cast<void *>(reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(bytes));
}

/// MPI_SUCCESS, or what is wrong with the datatype or the count.
int check_block(const typed::Layout *layout, std::int64_t count);

/// Whether an error is one of the program's arguments. Else this rank lacks something.
bool is_of_arguments(int code);

/// Whether it has bytes, of which the first is in the page at address 0, which no program has.
inline bool is_nowhere(const Block &block) {
  constexpr std::int64_t kPage = 4096;
  const auto address = reinterpret_cast<std::int64_t>(block.address);
  return address >= 0 && address < kPage && block.bytes() > 0 && address + block.layout->reach(block.count).begin < kPage;
}

/// MPI_SUCCESS, unless a block with bytes begins at no address, as one in a buffer that is NULL. A block that goes nowhere may. `ends`: the edges of
/// the blocks.
template <class Ends>
int check_addresses(const std::vector<Block> &blocks, const Ends &ends) {
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (ends[i].rank != MPI_PROC_NULL && is_nowhere(blocks[i]))
      return refuse(MPI_ERR_BUFFER, "block %zu has %lld bytes, and its buffer is NULL", i, static_cast<long long>(blocks[i].bytes()));
  return MPI_SUCCESS;
}

/// Whether only a device can access what is there.
inline bool is_on_device(const void *address) { return device::find_device(address) != device::kHost; }

// Each of the following also keeps what it refers to for a later call, where MPI reads `blocks` of them, and gives a call its arguments.

/// Blocks that follow each other: MPI_Neighbor_alltoall.
struct EqualBlocks {
  const void *buffer;
  std::int64_t count;
  MPI_Datatype type;

  int fill(std::vector<Block> &blocks) const {
    const typed::Layout *const layout = typed::layout_of(type);
    if (const int code = check_block(layout, count)) return code;
    const std::int64_t distance = count * layout->extent();
    const bool on_device = is_on_device(buffer);
    std::int64_t place = 0;
    for (Block &block : blocks) block = {displaced(buffer, place), layout, type, count, on_device}, place += distance;
    return MPI_SUCCESS;
  }
  int keep(KeptArguments &kept, std::size_t) { return kept.keep(&type); }
  auto arguments() const { return std::tuple(const_cast<void *>(buffer), static_cast<int>(count), type); }
};

/// Blocks of one datatype with counts and displacements: MPI_Neighbor_alltoallv.
template <class Count, class Displacement>
struct UnequalBlocks {
  const void *buffer;
  const Count *counts;
  const Displacement *places;
  MPI_Datatype type;

  int fill(std::vector<Block> &blocks) const {
    const typed::Layout *const layout = typed::layout_of(type);
    const bool on_device = is_on_device(buffer);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (const int code = check_block(layout, counts[i])) return code;
      blocks[i] = {displaced(buffer, static_cast<std::int64_t>(places[i]) * layout->extent()), layout, type, counts[i], on_device};
    }
    return MPI_SUCCESS;
  }
  int keep(KeptArguments &kept, std::size_t blocks) {
    kept.keep_numbers(&counts, blocks);
    kept.keep_numbers(&places, blocks);
    return kept.keep(&type);
  }
  auto arguments() const { return std::tuple(const_cast<void *>(buffer), counts, places, type); }
};

/// Blocks with a datatype each, and displacements in bytes: MPI_Neighbor_alltoallw.
template <class Count, class Displacement>
struct TypedBlocks {
  const void *buffer;
  const Count *counts;
  const Displacement *places;
  const MPI_Datatype *types;

  int fill(std::vector<Block> &blocks) const {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const typed::Layout *const layout = typed::layout_of(types[i]);
      if (const int code = check_block(layout, counts[i])) return code;
      void *const address = displaced(buffer, static_cast<std::int64_t>(places[i]));
      blocks[i] = {address, layout, types[i], counts[i], is_on_device(address)};
    }
    return MPI_SUCCESS;
  }
  int keep(KeptArguments &kept, std::size_t blocks) {
    kept.keep_numbers(&counts, blocks);
    kept.keep_numbers(&places, blocks);
    return kept.keep(&types, blocks);
  }
  auto arguments() const { return std::tuple(const_cast<void *>(buffer), counts, places, types); }
};

}  // namespace halocline::core::mpi
