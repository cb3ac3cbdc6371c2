// The slots that ranks of other nodes have reserved for this one. A message that goes there needs no claim, whose reply it would have to wait
// for. At the first message to a rank this rank asks there for a pair of slots, by a fetch_and_add of `reservations`. As
// long as there are any it has them from then on. One holds a message of up to 8 KiB. A rank remembers no more targets than it has slots.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>

#include "engine/network/request_queries.hpp"
#include "engine/rma/operations.hpp"
#include "sparse/sparse_slots.hpp"

namespace halocline::core {

class ReservedSlots {
 public:
  void set(const SparseLayout &layout) { layout_ = layout; }
  /// Finds the slot for this rank's first message to a rank in an exchange. *slot is kNone for a further one, or if the rank has none left.
  /// `again` until that rank has answered.
  Status find(const char *call, const RemoteMemory &memory, std::uint64_t round, std::uint32_t *slot);
  /// Replies that are missing are not wanted any more.
  void forget(RequestQueries &queries);

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

 private:
  struct Pair {
    bool known = false;
    std::uint32_t number = kNone;
    std::uint64_t used = 0;  // in this exchange
    Query query{};
  };

  SparseLayout layout_;
  std::unordered_map<int, Pair> pairs_;  // by target
};

}  // namespace halocline::core
