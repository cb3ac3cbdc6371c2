// The values around a block by messages: MPI's point-to-point calls, one message per side.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "gather.hpp"

#include <cstring>

namespace lattice {
namespace {

class Messages : public Gather {
 public:
  explicit Messages(const Setup &setup) : Gather(setup) {
    for (const Side &side : geometry().sides()) buffers_.emplace_back(static_cast<std::size_t>(side.count) * entry_bytes());
    requests_.reserve(2 * buffers_.size());
  }

 private:
  /// A message is named by the side that it leaves by.
  int tag(Slot slot, int side) const { return kSides * slot.number() + side; }

  void do_start(Slot slot) override {
    const std::vector<Side> &sides = geometry().sides();
    requests_.resize(2 * sides.size());
    for (std::size_t i = 0; i < sides.size(); ++i)
      MPI_Irecv(bytes(slot) + static_cast<std::size_t>(sides[i].first) * entry_bytes(), size(i), MPI_BYTE, sides[i].rank,
                tag(slot, opposite(sides[i].number)), MPI_COMM_WORLD, &requests_[i]);
    for (std::size_t i = 0; i < sides.size(); ++i) {
      pack(slot, i);
      MPI_Isend(buffers_[i].data(), size(i), MPI_BYTE, sides[i].rank, tag(slot, sides[i].number), MPI_COMM_WORLD,
                &requests_[sides.size() + i]);
    }
  }

  const CacheLines *do_look(Slot) override {
    int all = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE);
    return nullptr;
  }

  void do_finish(Slot) override { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }

  int size(std::size_t side) const { return static_cast<int>(buffers_[side].size()); }

  void pack(Slot slot, std::size_t side) {
    const std::byte *from = bytes(slot);
    std::byte *to = buffers_[side].data();
    for (const std::int64_t site : geometry().sides()[side].out[slot.parity]) {
      std::memcpy(to, from + static_cast<std::size_t>(site) * entry_bytes(), entry_bytes());
      to += entry_bytes();
    }
  }

  std::vector<std::vector<std::byte>> buffers_;  ///< to be sent, of each side
  std::vector<MPI_Request> requests_;
};

}  // namespace

std::unique_ptr<Gather> make_messages(const Setup &setup) { return std::make_unique<Messages>(setup); }

}  // namespace lattice
