// Simulations that do not depend on each other run at the same time, one per core.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace simulate {

/// Calls run(0) to run(count - 1). What one throws is thrown here.
template <class Run>
void for_all(std::size_t count, Run run) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) run(i);
  };
  std::vector<std::future<void>> others;
  const std::size_t cores = std::max(std::thread::hardware_concurrency(), 1U);
  for (std::size_t i = 1; i < std::min(cores, count); ++i) others.push_back(std::async(std::launch::async, work));
  work();
  for (std::future<void> &other : others) other.get();
}

}  // namespace simulate
