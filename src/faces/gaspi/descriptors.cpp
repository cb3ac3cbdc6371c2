// Exchanging descriptors in one reduction: each rank's words are 0 except for its own descriptor.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/descriptors.hpp"

#include <algorithm>
#include <cstring>

namespace halocline::core::gaspi {

Statement::Statement(Job &job, const Group &group) : job_(job), count_(group.members().size()) {
  static_assert(sizeof(MemoryDescriptor) % sizeof(std::uint64_t) == 0);
  if (job.context.nodes() == 1 || count_ > kMaxDescriptors) count_ = 0;
  words_.resize(place_of(count_));
}

void Statement::say(const GroupOutcome &outcome, const Group &group, int id) {
  std::memcpy(words_.data(), &outcome, sizeof outcome);
  const std::shared_ptr<LocalMemory> mine = job_.parts.keep(id);
  for (int index = 0; mine && index < count_; ++index)
    if (group.members().rank_at(index) == job_.rank()) std::memcpy(&words_[place_of(index)], &mine->descriptor(), sizeof(MemoryDescriptor));
}

GroupOutcome Statement::outcome() const {
  GroupOutcome outcome;
  std::memcpy(static_cast<void *>(&outcome), words_.data(), sizeof outcome);
  return outcome;
}

SmallReduction Statement::reduction(Statement &all) const {
  return {words_.data(), all.words_.data(), static_cast<std::int64_t>(words_.size() * sizeof words_[0]), combine, this};
}

/// Combines two statements.
Status Statement::combine(const void *what, void *value, const void *other) {
  const std::size_t words = static_cast<const Statement *>(what)->words_.size();
  auto *mine = static_cast<std::uint64_t *>(value);
  const auto *theirs = static_cast<const std::uint64_t *>(other);
  GroupOutcome all, second;
  std::memcpy(static_cast<void *>(&all), mine, sizeof all);
  std::memcpy(static_cast<void *>(&second), theirs, sizeof second);
  all.worst = std::min(all.worst, second.worst);
  all.any_shared |= second.any_shared;
  all.all_shared &= second.all_shared;
  all.fewest = std::min(all.fewest, second.fewest);
  all.most = std::max(all.most, second.most);
  std::memcpy(mine, &all, sizeof all);
  for (std::size_t word = kOutcome; word < words; ++word) mine[word] |= theirs[word];
  return Status::ok;
}

void Statement::learn(const Group &group, int id) const {
  for (int index = 0; index < count_; ++index) {
    MemoryDescriptor descriptor;
    std::memcpy(static_cast<void *>(&descriptor), &words_[place_of(index)], sizeof descriptor);
    job_.parts.learn_from(group.members().rank_at(index), id, descriptor);
  }
}

}  // namespace halocline::core::gaspi
