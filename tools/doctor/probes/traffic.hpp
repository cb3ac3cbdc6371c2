// Carries out a plan in a window, once, and checks every byte of the window, of the memory around it and of the buffers of the origins.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "../memory.hpp"
#include "../plan.hpp"
#include "../probe.hpp"
#include "../sync.hpp"

namespace doctor {

class Traffic {
 public:
  Traffic(Bench &bench, Kind kind, Window &window, Plan plan);
  /// Collective.
  void run(const Sync &sync);

 private:
  void prepare();
  void move(int target, std::vector<MPI_Request> *requests);
  void issue(const Region &region, const Piece &piece, int target, std::vector<MPI_Request> *requests);
  void local();
  void look();
  void fill_guards();
  void look_at_guards();

  /// My window before the epoch, with what others shall read, or after it, with all that others have written too.
  Image window_image(bool after) const;
  /// My buffer before the epoch, with what I send, or after it, with all that I have read too.
  Image buffer_image(bool after) const;
  Stream guard_stream() const { return Image::poison(plan_.rank(), round_ + 17); }
  void complain(const Region *region, const std::string &what);
  /// The region and the transfer that a byte of my window, or of my buffer, belongs to.
  const Region *region_at(std::size_t place, bool in_window) const;
  std::string piece_at(const Region *region, std::size_t place, bool in_window) const;

  Bench &bench_;
  Window &window_;
  Plan plan_;
  std::string words_;
  std::vector<unsigned char> buffer_;
  unsigned round_;
  const Sync *sync_ = nullptr;
};

}  // namespace doctor
