// SPDX-License-Identifier: BSD-3-Clause
#include "walk.hpp"

#include <stdexcept>
#include <string>

namespace hashtable {

std::int64_t Spares::take(int rank) {
  auto &cells = cells_[static_cast<std::size_t>(rank)];
  if (cells.empty()) return 0;
  const std::int64_t cell = cells.back();
  cells.pop_back();
  return cell;
}

void Spares::clear() {
  for (auto &cells : cells_) cells.clear();
}

void Walk::refuse(const Request &request) {
  if (request.key == 0) throw std::invalid_argument("a key of the table is not 0");
  throw std::invalid_argument("a value of the table is at most " + std::to_string(kLargestValue));
}

void Walk::refuse_more_cells() const {
  throw std::length_error("the heap of rank " + std::to_string(rank_) + " is full: " + std::to_string(shape_->heap) + " cells");
}

}  // namespace hashtable
