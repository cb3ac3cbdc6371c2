// Rounds with HALOCLINE_CHECK=1. Before data are touched, all neighbours have sent matching descriptors and have called finish. The owner
// checks its data before and after the delivery.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "exchange/check.hpp"
#include "exchange/rounds.hpp"

namespace halocline::core {

class CheckedRounds {
 public:
  CheckedRounds(Plan &plan, Rounds &rounds, Waiting &waiting, std::string label);
  CheckedRounds(const CheckedRounds &) = delete;
  CheckedRounds &operator=(const CheckedRounds &) = delete;

  Check &check() { return check_; }
  const Check &check() const { return check_; }

  /// descriptor: how the round is described to the neighbours.
  Status start(const RoundDescriptor &descriptor);
  Status test();
  /// As that of Rounds.
  Status finish(bool waits);

 private:
  template <class Part>
  Status in_round(Part part);
  Status announce_finish(bool waits);
  Status meet(bool waits);
  void look_before_delivery();
  Status look_after_delivery();

  const Topology &topology_;
  Rounds &rounds_;
  Waiting &waiting_;
  Packer &owner_;
  Check check_;
  bool announced_ = false;  // the finish of this round has been announced
  Status looked_ = Status::ok;
};

}  // namespace halocline::core
