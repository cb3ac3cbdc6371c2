// A scenario is a JSON text: halos, exchanges, and rounds in which they swap. A player is one of its halos or exchanges on this rank. It
// drives the library as the scenario says and compares what arrives with the serial oracle.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include <halocline/halocline.h>
#include <nlohmann/json.hpp>

namespace halocline::test {

using Json = nlohmann::json;

/// Where a scenario is played.
struct Stage {
  hlc_context *context = nullptr;
  int rank = 0, size = 1;
};

class Player {
 public:
  virtual ~Player() = default;
  /// Makes the halo or exchange; `wrong` says what to make wrong before the call, null for nothing. Collective.
  virtual hlc_status plan(const Json &wrong) = 0;
  /// Takes note of what the next swap moves, and writes the data of that step.
  virtual void prepare(int step, const Json &swap) = 0;
  virtual hlc_status start() = 0;
  virtual hlc_status test() = 0;
  virtual hlc_status finish() = 0;
  /// What is wrong after finish, in words; empty if all is right.
  virtual std::string complaint() = 0;
  /// Whether the swap that was prepared is one that start must refuse.
  virtual bool refused() const { return false; }
  /// Makes calls that do not fit the state, a swap in progress or none; each must be refused. Names the first that was not.
  virtual std::string misuse(bool in_flight) = 0;
  /// Collective.
  virtual hlc_status release() = 0;
};

std::unique_ptr<Player> make_halo_player(const Stage &stage, const Json &halo);
std::unique_ptr<Player> make_exchange_player(const Stage &stage, const Json &exchange);

}  // namespace halocline::test
