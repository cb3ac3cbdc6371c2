// Copies by the kernel and over the network.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/access/unmapped_copy.hpp"

#include <cerrno>
#include <cstring>
#include <exception>

#include "faces/mpi/access/remote.hpp"
#include "faces/mpi/datatype/iterate.hpp"
#include "faces/mpi/interpose/error_text.hpp"

namespace halocline::core::mpi {
namespace {

/// The parts that are one run on both sides.
std::vector<Piece> pieces_of(const typed::Buffer &origin, const ResolvedTarget &resolved) {
  std::vector<Piece> pieces;
  char *const local = static_cast<char *>(origin.address);
  typed::for_each_pair(
      {*origin.layout, origin.count}, {*resolved.layout, resolved.count}, [&](std::int64_t here, std::int64_t there, std::int64_t bytes) {
        pieces.push_back({local + here, resolved.remote() + static_cast<std::uint64_t>(there), static_cast<std::size_t>(bytes)});
      });
  return pieces;
}

}  // namespace

int copy_remote(Window &window, WindowMemory::Direction direction, const ResolvedTarget &resolved, const typed::Buffer &origin) try {
  if (resolved.place.is_far) return far::copy(window, direction, resolved, origin);
  const int error = window.memory.copy(direction, resolved.rank, pieces_of(origin, resolved));
  if (error == 0) return MPI_SUCCESS;
  // A process that ends loses its memory first.
  if (error == ESRCH) return refuse(class_of_dead_peer(), "the process of rank %d has ended", resolved.rank);
  if (const int lost = code_of(window.find_lost())) return lost;
  return refuse(error == EFAULT ? MPI_ERR_RMA_RANGE : MPI_ERR_OTHER, "the memory of rank %d cannot be accessed: %s", resolved.rank,
                std::strerror(error));
} catch (const std::exception &) {
  return MPI_ERR_NO_MEM;
}

Image::Image(Window &window, const ResolvedTarget &resolved) : window_(window), resolved_(resolved) {
  const Layout &layout = *resolved.layout;
  const typed::Reach reach = layout.reach(resolved.count);
  const Layout *const element = typed::layout_of(layout.basic());
  const std::int64_t elements = layout.basics() * resolved.count;
  if (element && elements * element->extent() < (reach.end - reach.begin) / 2) {
    buffer_ = {allocate(elements * element->extent(), 0), element, elements};
  } else {
    char *const begin = allocate(reach.end - reach.begin, resolved.remote() + static_cast<std::uint64_t>(reach.begin));
    buffer_ = {begin - reach.begin, resolved.layout, resolved.count};
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
  return code == MPI_SUCCESS ? window_.complete(resolved_.rank, Completion::local) : code;
}

/// Where a message arrives after the writes before it, the unlock that follows does.
int Image::write() {
  const int code = copy(WindowMemory::Direction::write);
  if (code != MPI_SUCCESS || !resolved_.place.is_far) return code;
  const bool keeps_order = window_.comm->context.network().endpoint()->keeps_order();
  return window_.complete(resolved_.rank, keeps_order ? Completion::local : Completion::remote);
}

}  // namespace halocline::core::mpi
