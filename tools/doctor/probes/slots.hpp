// The window of a halo swap as the modes use it: two slots for each edge, used in turn, bases on multiples of 64 bytes, and edges to the next
// rank, to the one before and to myself. Edge e of one rank meets edge e of the other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "../memory.hpp"
#include "../probe.hpp"

namespace doctor {

class Slots {
 public:
  static constexpr std::size_t kEdges = 3;
  static constexpr int kRounds = 6;

  /// windows: one with both slots, or two with a slot each. Collective.
  Slots(Bench &bench, int windows);
  void end();

  MPI_Win window(unsigned round) const { return windows_[round % windows_.size()]; }
  int to(std::size_t edge) const { return to_[edge]; }
  int from(std::size_t edge) const { return from_[edge]; }
  /// My neighbours, each once.
  MPI_Group group() const { return group_; }

  /// Puts what this round sends over every edge; the peers find it in `look`.
  void put(unsigned round);
  /// Makes my slots of this round hold what the peers shall get, and gets theirs.
  void expose(unsigned round);
  void get(unsigned round);
  /// The slots hold what my peers have put in this round.
  void look(unsigned round, const std::string &words);
  /// My buffer holds what I have got in this round.
  void look_got(unsigned round, const std::string &words);
  /// A little later than the others, another rank in each round.
  void be_late(unsigned round) const;

 private:
  static constexpr std::size_t kSizes[kEdges] = {776, 20000, 8};
  static constexpr std::size_t kRoom = 20032;
  unsigned char *slot(std::size_t edge, unsigned round) const;
  MPI_Aint place(std::size_t edge, unsigned round) const;
  Stream stream(std::size_t edge, int origin, int target, unsigned round) const;
  void compare(const unsigned char *found, std::size_t edge, const Stream &expected, const std::string &words);

  Bench &bench_;
  std::array<int, kEdges> to_, from_;
  std::vector<MPI_Win> windows_;
  std::array<unsigned char *, 2> base_{};
  std::vector<MPI_Aint> skips_[2];  // per rank: displacement of the slots in each window
  std::vector<unsigned char> buffer_;
  MPI_Group group_ = MPI_GROUP_NULL;
};

}  // namespace doctor
