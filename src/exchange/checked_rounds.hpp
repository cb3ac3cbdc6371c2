// Rounds with HALOCLINE_CHECK=1. Before data are touched, all neighbours have sent matching descriptors and have called finish. The owner
// checks its data before and after the delivery.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "exchange/check.hpp"
#include "exchange/rounds.hpp"

namespace halocline::core {

class CheckedRounds final : public Rounds {
 public:
  using Rounds::Rounds;

  /// Makes the check. The edges have been joined. label: see Check.
  void make_check(std::string label);
  /// Null until it has been made.
  Check *check() const { return own_check_.get(); }

  Status start() override;
  Status test() override;
  Status finish(bool waits) override;

 private:
  template <class Part>
  Status in_round(Part part);
  Status announce_finish(bool waits);
  Status meet(bool waits);
  void look_before_delivery();
  Status look_after_delivery();

  std::unique_ptr<Check> own_check_;
  bool announced_ = false;  // the finish of this round has been announced
  Status looked_ = Status::ok;
};

}  // namespace halocline::core
