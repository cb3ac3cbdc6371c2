// What the accesses to a window have in common: finding the target and its memory. The fast path is for a row of bytes that is mapped here.
// Everything else, errors included, takes the general path (resolve_target).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>

#include "faces/mpi/datatype/typed_copy.hpp"
#include "faces/mpi/window/window.hpp"

namespace halocline::core::mpi {

namespace typed = halocline::mpi;
using typed::Layout;

/// False for NULL, MPI_IN_PLACE and other values that are not addresses of data. MPI_BOTTOM is one of them; find_buffer handles it.
inline bool is_address(const void *address) {
  constexpr std::uintptr_t kFirstPage = 4096;
  return reinterpret_cast<std::uintptr_t>(address) - kFirstPage < UINTPTR_MAX - kFirstPage;
}

/// The origin buffer, as the arguments of a call give it.
struct OriginBuffer {
  void *address;
  MPI_Count count;
  MPI_Datatype type;
};

/// The target buffer, as the arguments of a call give it.
struct TargetBuffer {
  int rank;
  MPI_Aint displacement;
  MPI_Count count;
  MPI_Datatype type;
};

/// A target buffer, checked, with its memory. `count` is 0 if there is nothing to do.
struct ResolvedTarget {
  int rank;
  Place place;
  std::int64_t offset;  // of the buffer's address, in the target's memory
  const Layout *layout;
  std::int64_t count;

  char *mapped() const { return place.mapped + offset; }
  typed::Buffer buffer() const { return {mapped(), layout, count}; }
  /// As if the target's memory began at address 0.
  typed::Buffer from_begin() const { return {reinterpret_cast<void *>(offset), layout, count}; }  // NOLINT(performance-no-int-to-ptr)
  std::uint64_t remote() const { return place.address + static_cast<std::uint64_t>(offset); }
};

/// True if the target is a row of bytes that this rank may access, and is mapped here. `resolved` is then as from resolve_target, with fewer
/// instructions.
[[gnu::always_inline]] inline bool resolve_plain_target(const Window &window, const TargetBuffer &target, ResolvedTarget *resolved) {
  if (static_cast<unsigned>(target.rank) >= static_cast<unsigned>(window.size()) || target.count < 0) return false;
  const Layout *const layout = typed::layout_of(target.type);
  const Place place = window.memory.at(target.rank);
  if (!layout || !layout->contiguous() || !place.is_mapped || !window.epochs.may_access(target.rank)) return false;
  std::int64_t offset = 0, bytes = 0, end = 0;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(target.displacement), place.unit, &offset)) return false;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(target.count), layout->bytes(), &bytes)) return false;
  if (__builtin_add_overflow(offset, bytes, &end) || offset < 0 || end > place.bytes) return false;
  *resolved = {target.rank, place, offset, layout, static_cast<std::int64_t>(target.count)};
  return true;
}

/// Before data is moved.
inline void note_order(WindowMemory::Direction direction) {
  if (direction == WindowMemory::Direction::write)
    put_order.has_put = true;
  else
    order_reads();
}

/// Copies a contiguous row of one datatype. False if the access is of another kind.
[[gnu::always_inline]] inline bool move_plain(const Window &window, WindowMemory::Direction direction, const OriginBuffer &origin,
                                              const TargetBuffer &target) {
  ResolvedTarget resolved;
  if (origin.type != target.type || origin.count != target.count || !is_address(origin.address)) return false;
  if (!resolve_plain_target(window, target, &resolved)) return false;
  const auto bytes = static_cast<std::size_t>(resolved.layout->bytes() * resolved.count);
  const bool writes = direction == WindowMemory::Direction::write;
  note_order(direction);
  if (bytes > 0) std::memcpy(writes ? resolved.mapped() : origin.address, writes ? origin.address : resolved.mapped(), bytes);
  return true;
}

/// Checks the target of a call, and finds its memory. An MPI error class, or MPI_SUCCESS.
int resolve_target(const Window &window, const TargetBuffer &target, ResolvedTarget *resolved);

/// Finds the layout of this rank's data, and checks their address. An MPI error class, or MPI_SUCCESS.
int find_buffer(const OriginBuffer &origin, typed::Buffer *buffer);
/// The same after resolve_target: mostly both sides have one datatype, whose layout is known then.
inline int find_buffer(const OriginBuffer &origin, const TargetBuffer &target, const ResolvedTarget &resolved, typed::Buffer *buffer) {
  if (origin.type != target.type || origin.count != target.count || !is_address(origin.address)) return find_buffer(origin, buffer);
  *buffer = {origin.address, resolved.layout, resolved.count};
  return MPI_SUCCESS;
}

/// An error if a call with a request has no place for it, or its rank is not locked (MPI 4.1, section 12.3.5).
int refuse_request(const Window &window, int target, const MPI_Request *request);

/// Gives a request that is complete, as all accesses are when their calls return, unless the call has failed with that code. An access that
/// is in conflict has been done.
int complete_request(Window &window, int code, MPI_Request *request);

}  // namespace halocline::core::mpi
