// Rounds with HALOCLINE_CHECK=1: before data are touched all neighbours have said the same of the round and have come to finish it; before and after
// that the owner looks at its data.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "exchange/check.hpp"
#include "exchange/rounds.hpp"

namespace halocline {

class CheckedRounds {
 public:
  CheckedRounds(Plan &plan, Rounds &rounds, Waiting &waiting, std::string label);
  CheckedRounds(const CheckedRounds &) = delete;
  CheckedRounds &operator=(const CheckedRounds &) = delete;

  Check &check() { return check_; }
  const Check &check() const { return check_; }

  /// descriptor: what the neighbours are told of the round.
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

  Context &context_;
  Rounds &rounds_;
  Waiting &waiting_;
  Packer &owner_;
  Check check_;
  bool announced_ = false;  // the finish of this round
  Status looked_ = Status::ok;
};

}  // namespace halocline
