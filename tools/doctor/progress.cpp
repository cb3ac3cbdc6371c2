// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace doctor {

void Progress::create(const std::string &file, int ranks) {
  const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool made = fd >= 0 && ftruncate(fd, static_cast<off_t>(sizeof(Cell)) * ranks) == 0;
  if (fd >= 0) close(fd);
  if (!made) throw std::runtime_error("can't write " + file);
}

Progress::Progress(const std::string &file, int ranks) : ranks_(ranks) {
  const int fd = open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  const auto bytes = sizeof(Cell) * static_cast<std::size_t>(ranks);
  void *memory = MAP_FAILED;
  // A file of another size is not ours, and a load behind its end would be a crash.
  if (lseek(fd, 0, SEEK_END) == static_cast<off_t>(bytes)) memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (memory != MAP_FAILED) cells_ = static_cast<Cell *>(memory);
}

Progress::~Progress() {
  if (cells_) munmap(cells_, sizeof(Cell) * static_cast<std::size_t>(ranks_));
}

Progress &Progress::operator=(Progress &&other) noexcept {
  std::swap(cells_, other.cells_);
  std::swap(ranks_, other.ranks_);
  return *this;
}

std::uint64_t Progress::sum() const {
  if (!cells_) return alone_.load(std::memory_order_relaxed);
  std::uint64_t sum = 0;
  for (int r = 0; r < ranks_; ++r) sum += cells_[r].calls.load(std::memory_order_relaxed);
  return sum;
}

void Patience::begin(double limit_s, std::uint64_t sum, Clock::time_point now) {
  limit_ = std::chrono::duration<double>(limit_s);
  began_ = moved_ = now;
  sum_ = sum;
}

bool Patience::is_over(std::uint64_t sum, Clock::time_point now) {
  if (sum != std::exchange(sum_, sum)) moved_ = now;
  return now - moved_ > limit_ || now - began_ > 10 * limit_;
}

}  // namespace doctor
