// SPDX-License-Identifier: BSD-3-Clause
#include "slots.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "../errors.hpp"
#include "../watchdog.hpp"

namespace doctor {

Slots::Slots(Bench &bench, int windows)
    : bench_(bench),
      to_{bench.next(), bench.previous(), bench.rank()},
      from_{bench.previous(), bench.next(), bench.rank()},
      buffer_(kEdges * kRoom) {
  const auto bytes = static_cast<MPI_Aint>(2 / windows * static_cast<int>(kEdges * kRoom) + 64);
  for (int w = 0; w < windows; ++w) {
    void *memory = nullptr;
    windows_.push_back(MPI_WIN_NULL);
    CALL(MPI_Win_allocate, bytes, 1, MPI_INFO_NULL, bench.comm(), &memory, &windows_.back());
    return_window_errors(windows_.back());
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    MPI_Aint skip = static_cast<MPI_Aint>((address + 63) / 64 * 64 - address);
    base_[static_cast<std::size_t>(w)] = static_cast<unsigned char *>(memory) + skip;
    auto &skips = skips_[w];
    skips.resize(static_cast<std::size_t>(bench.size()));
    CALL(MPI_Allgather, &skip, 1, MPI_AINT, skips.data(), 1, MPI_AINT, bench.comm());
  }
  std::vector<int> ranks(to_.begin(), to_.end());
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  MPI_Group all = MPI_GROUP_NULL;
  CALL(MPI_Comm_group, bench.comm(), &all);
  CALL(MPI_Group_incl, all, static_cast<int>(ranks.size()), ranks.data(), &group_);
  CALL(MPI_Group_free, &all);
}

void Slots::end() {
  CALL(MPI_Group_free, &group_);
  for (MPI_Win &window : windows_) CALL(MPI_Win_free, &window);
}

unsigned char *Slots::slot(std::size_t edge, unsigned round) const {
  if (windows_.size() == 2) return base_[round % 2] + edge * kRoom;
  return base_[0] + (round % 2 * kEdges + edge) * kRoom;
}

MPI_Aint Slots::place(std::size_t edge, unsigned round) const {
  const std::size_t w = windows_.size() == 2 ? round % 2 : 0;
  return skips_[w][static_cast<std::size_t>(to_[edge])] + static_cast<MPI_Aint>(slot(edge, round) - base_[w]);
}

Stream Slots::stream(std::size_t edge, int origin, int target, unsigned round) const {
  return {static_cast<unsigned>(origin), static_cast<unsigned>(target), static_cast<unsigned>(edge), round};
}

void Slots::put(unsigned round) {
  for (std::size_t e = 0; e < kEdges; ++e) {
    unsigned char *mine = buffer_.data() + e * kRoom;
    write_stream(mine, kSizes[e], stream(e, bench_.rank(), to_[e], round));
    const int bytes = static_cast<int>(kSizes[e]);
    CALL(MPI_Put, mine, bytes, MPI_BYTE, to_[e], place(e, round), bytes, MPI_BYTE, window(round));
  }
}

void Slots::expose(unsigned round) {
  for (std::size_t e = 0; e < kEdges; ++e) write_stream(slot(e, round), kSizes[e], stream(e, bench_.rank(), from_[e], round));
}

void Slots::get(unsigned round) {
  for (std::size_t e = 0; e < kEdges; ++e) {
    const int bytes = static_cast<int>(kSizes[e]);
    CALL(MPI_Get, buffer_.data() + e * kRoom, bytes, MPI_BYTE, to_[e], place(e, round), bytes, MPI_BYTE, window(round));
  }
}

void Slots::look(unsigned round, const std::string &words) {
  for (std::size_t e = 0; e < kEdges; ++e) compare(slot(e, round), e, stream(e, from_[e], bench_.rank(), round), words);
}

void Slots::look_got(unsigned round, const std::string &words) {
  for (std::size_t e = 0; e < kEdges; ++e) compare(buffer_.data() + e * kRoom, e, stream(e, to_[e], bench_.rank(), round), words);
}

void Slots::compare(const unsigned char *found, std::size_t edge, const Stream &expected, const std::string &words) {
  for (std::size_t i = 0; i < kSizes[edge]; ++i) {
    if (found[i] == byte_of(expected, i)) continue;
    return bench_.wrong("", words + ": " + std::to_string(kSizes[edge]) + " bytes to rank " + std::to_string(expected.target) + ": byte " +
                                std::to_string(i) + " is wrong, there is " + what_stands(found, kSizes[edge], i, bench_.size()) +
                                "; expected " + describe(expected) + ", its byte " + std::to_string(i));
  }
}

void Slots::be_late(unsigned round) const {
  const auto late = (static_cast<unsigned>(bench_.rank()) + round) % 3;
  std::this_thread::sleep_for(std::chrono::microseconds(100 * late));
}

}  // namespace doctor
