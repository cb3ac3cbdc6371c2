// SPDX-License-Identifier: BSD-3-Clause
#include "traffic.hpp"

#include <algorithm>
#include <random>

namespace sparse {

std::vector<Message> Traffic::from(int origin, std::int64_t exchange) const {
  std::seed_seq words{options_.seed, static_cast<std::uint64_t>(origin), static_cast<std::uint64_t>(exchange)};
  std::mt19937_64 random(words);
  std::vector<Message> messages;
  while (messages.size() < static_cast<std::size_t>(targets())) {
    const auto target = static_cast<int>(random() % static_cast<std::uint64_t>(ranks_));
    if (std::any_of(messages.begin(), messages.end(), [&](const Message &one) { return one.rank == target; })) continue;
    const auto most = static_cast<std::uint64_t>(options_.bytes);
    messages.push_back({target, std::vector<std::byte>(options_.vary ? random() % (most + 1) : most)});
    for (std::byte &byte : messages.back().data) byte = static_cast<std::byte>(random());
  }
  return messages;
}

std::string Traffic::wrong_with(std::vector<Message> received, int rank, std::int64_t exchange) const {
  const std::string where = " in exchange " + std::to_string(exchange) + " of rank " + std::to_string(rank);
  for (int origin = 0; origin < ranks_; ++origin)
    for (const Message &message : from(origin, exchange)) {
      if (message.rank != rank) continue;
      const auto found = std::find_if(received.begin(), received.end(), [&](const Message &one) { return one.rank == origin; });
      if (found == received.end()) return "no message from rank " + std::to_string(origin) + where;
      if (found->data != message.data) return "other bytes from rank " + std::to_string(origin) + where;
      received.erase(found);
    }
  return received.empty() ? "" : "an unexpected message from rank " + std::to_string(received.front().rank) + where;
}

}  // namespace sparse
