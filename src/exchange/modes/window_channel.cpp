// The window, its slots, and the puts into them.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/modes/window_channel.hpp"

#include <algorithm>

#include "base/pages.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/communicator/communicator.hpp"

namespace halocline::core {
namespace {

constexpr std::int64_t kLargestPut = std::int64_t{1} << 30;

}  // namespace

Status put_bytes(MPI_Win window, const void *origin, std::int64_t bytes, int rank, std::int64_t displacement) {
  const auto *from = static_cast<const char *>(origin);
  for (std::int64_t done = 0; done < bytes; done += kLargestPut) {
    const int count = static_cast<int>(std::min(kLargestPut, bytes - done));
    HLC_TRY(check_mpi(MPI_Put(from + done, count, MPI_BYTE, rank, static_cast<MPI_Aint>(displacement + done), count, MPI_BYTE, window),
                      "MPI_Put"));
  }
  return Status::ok;
}

Status allocate_window(MPI_Comm comm, std::int64_t bytes, MPI_Win *window, char **base, std::int64_t *skip) {
  void *memory = nullptr;
  HLC_TRY(check_mpi(MPI_Win_allocate(static_cast<MPI_Aint>(bytes + kChunkAlignment), 1, MPI_INFO_NULL, comm, &memory, window),
                    "MPI_Win_allocate"));
  MPI_Win_set_errhandler(*window, MPI_ERRORS_RETURN);
  const auto address = reinterpret_cast<std::intptr_t>(memory);
  *skip = round_up(address, kChunkAlignment) - address;
  *base = static_cast<char *>(memory) + *skip;
  provide_pages(*base, bytes);
  return Status::ok;
}

WindowChannel::~WindowChannel() {
  for (MPI_Win &window : windows_) MPI_Win_free(&window);
}

Status WindowChannel::create_windows(int windows) {
  HLC_TRY(prepare([&] {
    slots_ = lay_out(plan_, edges_, &Edge::space_in);
    uses_.assign(plan_.edges.size(), 0);
    arrived_.reserve(edges_.size());
    windows_.reserve(static_cast<std::size_t>(windows));
    targets_ = std::make_unique<Descriptors>(plan_, edges_);
    return outgoing_.create(plan_.topology->rank(), lay_out(plan_, edges_, &Edge::space_out));
  }));

  std::int64_t skip[2] = {0, 0};
  for (int w = 0; w < windows; ++w) {
    MPI_Win window = MPI_WIN_NULL;
    HLC_TRY(agree(*plan_.communicator, plan_.comm, allocate_window(plan_.comm, 2 / windows * slots_.bytes, &window, &base_[w], &skip[w])));
    windows_.push_back(window);
  }
  if (windows == 1) {
    base_[1] = base_[0] + slots_.bytes;
    skip[1] = skip[0] + slots_.bytes;
  }
  for (const int e : edges_) {
    const std::int64_t offset = slots_.offset[static_cast<std::size_t>(e)];
    targets_->mine[static_cast<std::size_t>(e)] = {skip[0] + offset, skip[1] + offset, 0};
  }
  return swap_descriptors(plan_, edges_, targets_);
}

Status WindowChannel::open() {
  arrived_.clear();
  round_ += 1;
  for (const int e : edges_) {
    auto &uses = uses_[static_cast<std::size_t>(e)];
    uses = windows_.size() == 2 ? round_ : uses + (part(e).active() ? 1 : 0);
    if (part(e).in > 0) arrived_.push_back(e);
  }
  return Status::ok;
}

Status WindowChannel::place(int e, void **buffer) {
  *buffer = outgoing_.chunk(e);
  return Status::ok;
}

Status WindowChannel::send(int e) {
  const Descriptor &target = targets_->theirs[static_cast<std::size_t>(e)];
  return put_bytes(window(), outgoing_.chunk(e), part(e).out, edge(e).rank, slot_of(e) == 0 ? target.a : target.b);
}

const void *WindowChannel::arrived(int e) const { return base_[slot_of(e)] + slots_.offset[static_cast<std::size_t>(e)]; }

Status WindowChannel::release(int) { return Status::ok; }

Status WindowChannel::next_arrival(int *e) {
  if (arrived_.empty()) return Status::again;
  *e = arrived_.back();
  arrived_.pop_back();
  return Status::ok;
}

}  // namespace halocline::core
