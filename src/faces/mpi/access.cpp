// Checks of the arguments of accesses, and copies by the kernel.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/access.hpp"

#include <cerrno>
#include <cstring>
#include <exception>

#include "faces/mpi/far_access.hpp"
#include "faces/mpi/report.hpp"
#include "faces/mpi/walk.hpp"

namespace halocline::core::mpi {
namespace {

/// The parts that are one run on both sides.
std::vector<Piece> pieces_of(const typed::Buffer &mine, const Spot &spot) {
  std::vector<Piece> pieces;
  char *const local = static_cast<char *>(mine.address);
  typed::for_each_pair(
      {*mine.layout, mine.count}, {*spot.layout, spot.count}, [&](std::int64_t here, std::int64_t there, std::int64_t bytes) {
        pieces.push_back({local + here, spot.remote() + static_cast<std::uint64_t>(there), static_cast<std::size_t>(bytes)});
      });
  return pieces;
}

/// If not all of its reach, then each of its runs.
bool is_attached(const Window &window, const Spot &spot, const typed::Reach &reach) {
  const auto is_there = [&](std::int64_t begin, std::int64_t bytes) {
    return window.memory.is_attached(spot.rank, static_cast<std::uint64_t>(spot.offset) + static_cast<std::uint64_t>(begin), bytes);
  };
  if (is_there(reach.begin, reach.end - reach.begin)) return true;
  if (spot.layout->contiguous()) return false;
  bool all = true;
  typed::for_each_run(*spot.layout, spot.count, [&](std::int64_t begin, std::int64_t bytes) { all = all && is_there(begin, bytes); });
  return all;
}

bool is_inside(const Window &window, const Spot &spot, const typed::Reach &reach) {
  if (window.attributes.flavor == MPI_WIN_FLAVOR_DYNAMIC) return is_attached(window, spot, reach);
  std::int64_t begin = 0, end = 0;
  return !__builtin_add_overflow(spot.offset, reach.begin, &begin) && !__builtin_add_overflow(spot.offset, reach.end, &end) && begin >= 0 &&
         end <= spot.place->bytes;
}

}  // namespace

int find_spot(const Window &window, const Theirs &theirs, Spot *spot) {
  if (theirs.rank < 0 || theirs.rank >= window.size()) return MPI_ERR_RANK;
  if (theirs.count < 0) return MPI_ERR_COUNT;
  const Layout *layout = typed::layout_of(theirs.type);
  if (!layout) return MPI_ERR_TYPE;
  if (!layout->can_count(theirs.count)) return MPI_ERR_COUNT;
  if (!window.epochs.may_access(theirs.rank)) return MPI_ERR_RMA_SYNC;
  const Place &place = window.memory.at(theirs.rank);
  const bool dynamic = window.attributes.flavor == MPI_WIN_FLAVOR_DYNAMIC;
  if (theirs.displacement < 0 && !dynamic) return MPI_ERR_DISP;
  std::int64_t offset = 0;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(theirs.displacement), place.unit, &offset)) return MPI_ERR_RMA_RANGE;
  *spot = {theirs.rank, &place, offset, layout, static_cast<std::int64_t>(theirs.count)};
  const typed::Reach reach = layout->reach(spot->count);
  if (reach.begin == reach.end) return MPI_SUCCESS;
  return is_inside(window, *spot, reach) ? MPI_SUCCESS : MPI_ERR_RMA_RANGE;
}

int find_buffer(const Mine &mine, typed::Buffer *buffer) {
  if (mine.count < 0) return MPI_ERR_COUNT;
  const Layout *layout = typed::layout_of(mine.type);
  if (!layout) return MPI_ERR_TYPE;
  if (!layout->can_count(mine.count)) return MPI_ERR_COUNT;
  *buffer = {mine.address, layout, static_cast<std::int64_t>(mine.count)};
  return MPI_SUCCESS;
}

int copy_remote(Window &window, WindowMemory::Direction direction, const Spot &spot, const typed::Buffer &mine) try {
  if (spot.place->is_far) return far::copy(window, direction, spot, mine);
  const int error = window.memory.copy(direction, spot.rank, pieces_of(mine, spot));
  if (error == 0) return MPI_SUCCESS;
  inform("the memory of rank %d cannot be accessed: %s", spot.rank, std::strerror(error));
  return error == EFAULT ? MPI_ERR_RMA_RANGE : MPI_ERR_OTHER;
} catch (const std::exception &) {
  return MPI_ERR_NO_MEM;
}

Image::Image(Window &window, const Spot &spot) : window_(window), spot_(spot) {
  const Layout &layout = *spot.layout;
  const typed::Reach reach = layout.reach(spot.count);
  const Layout *const element = typed::layout_of(layout.basic());
  const std::int64_t elements = layout.basics() * spot.count;
  if (element && elements * element->extent() < (reach.end - reach.begin) / 2) {
    buffer_ = {allocate(elements * element->extent(), 0), element, elements};
  } else {
    char *const begin = allocate(reach.end - reach.begin, spot.remote() + static_cast<std::uint64_t>(reach.begin));
    buffer_ = {begin - reach.begin, spot.layout, spot.count};
  }
}

/// The address has the same distance from a multiple of 64 as `like`.
char *Image::allocate(std::int64_t bytes, std::uint64_t like) {
  constexpr std::uint64_t kAlignment = 64;
  bytes_.resize(static_cast<std::size_t>(bytes) + kAlignment);
  return bytes_.data() + (like - reinterpret_cast<std::uint64_t>(bytes_.data())) % kAlignment;
}

int Image::read() {
  const int code = copy(WindowMemory::Direction::read);
  return code == MPI_SUCCESS ? window_.complete(spot_.rank, Completion::local) : code;
}

int Image::write() {
  const int code = copy(WindowMemory::Direction::write);
  return code == MPI_SUCCESS ? window_.complete(spot_.rank, Completion::remote) : code;
}

/// A send to MPI_PROC_NULL is complete at once in every MPI, and its request works in each form of wait and test.
int complete_request(Window &window, MPI_Request *request) {
  window.node->let_others_run();
  return PMPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, request);
}

}  // namespace halocline::core::mpi
