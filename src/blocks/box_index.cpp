// The index of a rank's boxes. Without it planning n boxes takes n x n intersections.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "blocks/boxes.hpp"

namespace halocline::core {
namespace {

constexpr std::size_t kFew = 16;  // so few boxes are looked at one by one
constexpr std::int64_t kMostEntries = 16;  // in all bins together, per box

std::int64_t modulo(std::int64_t a, std::int64_t b) { return (a % b + b) % b; }

}  // namespace

BoxIndex::BoxIndex(const Domain &domain, std::span<const Placed> boxes)
    : extent_(domain.extent), periodic_(domain.periodic), boxes_(boxes), seen_(boxes.size(), 0) {
  width_ = extent_;
  if (boxes.size() <= kFew) return;
  choose_bins();
  listed_.resize(static_cast<std::size_t>(bins_[0] * bins_[1] * bins_[2] * bins_[3]));
  for (std::size_t b = 0; b < boxes.size(); ++b)
    for_each_bin(boxes[b].box, [&](std::size_t bin) { listed_[bin].push_back(static_cast<int>(b)); });
}

/// As many bins as boxes, along each dimension alike. Fewer where boxes are so large, or overlap by mistake, that each fills many bins.
void BoxIndex::choose_bins() {
  const auto dims = static_cast<double>(std::count_if(extent_.begin(), extent_.end(), [](std::int64_t cells) { return cells > 1; }));
  auto wanted = static_cast<std::int64_t>(std::pow(static_cast<double>(boxes_.size()), 1 / std::max(dims, 1.0)));
  do {
    for (std::size_t d = 0; d < bins_.size(); ++d) {
      width_[d] = (extent_[d] + wanted - 1) / wanted;
      bins_[d] = (extent_[d] + width_[d] - 1) / width_[d];
    }
    wanted /= 2;
  } while (wanted > 0 && entries() > kMostEntries * static_cast<std::int64_t>(boxes_.size()));
}

std::int64_t BoxIndex::entries() const {
  std::int64_t all = 0;
  for (const Placed &placed : boxes_) {
    std::int64_t bins = 1;
    for (std::size_t d = 0; d < bins_.size(); ++d) bins *= bins_of(d, placed.box.start[d], placed.box.count[d]).count;
    all += bins;
  }
  return all;
}

/// A node at the end of an open dimension is in the bin of the last cell. Cells outside an open dimension count as its first or last one.
BoxIndex::Bins BoxIndex::bins_of(std::size_t d, std::int64_t start, std::int64_t count) const {
  const std::int64_t last = extent_[d] - 1;
  if (count >= extent_[d] || bins_[d] == 1) return {0, bins_[d]};
  if (!periodic_[d]) {
    const std::int64_t first = std::clamp<std::int64_t>(start, 0, last) / width_[d];
    return {first, std::clamp<std::int64_t>(start + count - 1, 0, last) / width_[d] - first + 1};
  }
  const std::int64_t first = modulo(start, extent_[d]), end = modulo(start + count - 1, extent_[d]);
  const std::int64_t bins = end / width_[d] - first / width_[d] + 1;
  return {first / width_[d], end >= first ? bins : std::min(bins + bins_[d], bins_[d])};
}

template <class Visit>
void BoxIndex::for_each_bin(const Box &region, Visit visit) const {
  std::array<Bins, kMaxDims> along{};
  for (std::size_t d = 0; d < along.size(); ++d) along[d] = bins_of(d, region.start[d], region.count[d]);
  const auto bin = [&](std::size_t d, std::int64_t i) { return (along[d].first + i) % bins_[d]; };
  for (std::int64_t l = 0; l < along[3].count; ++l)
    for (std::int64_t k = 0; k < along[2].count; ++k)
      for (std::int64_t j = 0; j < along[1].count; ++j)
        for (std::int64_t i = 0; i < along[0].count; ++i)
          visit(static_cast<std::size_t>(((bin(3, l) * bins_[2] + bin(2, k)) * bins_[1] + bin(1, j)) * bins_[0] + bin(0, i)));
}

const std::vector<int> &BoxIndex::near(const Box &region) const {
  found_.clear();
  if (listed_.empty()) {
    for (std::size_t b = 0; b < boxes_.size(); ++b) found_.push_back(static_cast<int>(b));
    return found_;
  }
  look_ += 1;
  for_each_bin(region, [this](std::size_t bin) {
    for (const int b : listed_[bin])
      if (std::uint32_t &seen = seen_[static_cast<std::size_t>(b)]; seen != look_) {
        seen = look_;
        found_.push_back(b);
      }
  });
  std::sort(found_.begin(), found_.end());
  return found_;
}

}  // namespace halocline::core
