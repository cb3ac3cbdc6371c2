// Particles that have left a block go to the rank that has their cell now.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "clock.hpp"
#include "particles.hpp"

#include <memory>
#include <string>

namespace pic {

class Migration {
 public:
  Migration() = default;
  Migration(const Migration &) = delete;
  Migration &operator=(const Migration &) = delete;
  virtual ~Migration() = default;

  /// Sends those of all species that are no longer here, in one exchange. Returns how many have arrived. Collective.
  std::int64_t run(const Block &block, std::vector<Species> &species, Clock &clock);

 protected:
  /// What goes to a rank: particles with the numbers of their species, as bytes.
  using Bytes = std::vector<std::byte>;
  /// Sends to each rank what `to` has for it, and returns what arrives, in any order.
  virtual std::vector<Bytes> exchange(const std::vector<Bytes> &to) = 0;
};

/// kind: sparse (hlc_sparse_exchange), notified (hlc_put_notify), or messages: MPI, after it has told each rank how much it is to receive.
/// Collective.
std::unique_ptr<Migration> make_migration(const std::string &kind, const halocline::Context &context);

}  // namespace pic
