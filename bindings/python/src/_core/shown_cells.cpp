// Second mappings of the pages that views show, and copies where there can be none.
// SPDX-License-Identifier: BSD-3-Clause
#include "shown_cells.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <memory>

namespace halocline::python {
namespace {

struct Pages {
  void *data;
  std::size_t bytes;
};

KeptBytes copied(const char *first, std::size_t bytes) {
  const nb::bytes copy(first, bytes);
  return {reinterpret_cast<std::uintptr_t>(copy.c_str()), copy};
}

}  // namespace

KeptBytes ShownCells::kept(const char *first, std::size_t bytes) {
  const auto found = mapped_.find({first, bytes});
  if (found != mapped_.end()) return found->second;
  const std::size_t before = reinterpret_cast<std::uintptr_t>(first) % static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  // An old size of 0 maps shared pages once more, and fails for those that are not shared.
  void *mapped = mremap(const_cast<char *>(first - before), 0, before + bytes, MREMAP_MAYMOVE);
  if (mapped == MAP_FAILED) return copied(first, bytes);
  auto pages = std::make_unique<Pages>(Pages{mapped, before + bytes});
  const nb::capsule owner(pages.release(), [](void *raw) noexcept {
    const std::unique_ptr<Pages> ended(static_cast<Pages *>(raw));
    munmap(ended->data, ended->bytes);
  });
  const KeptBytes kept{reinterpret_cast<std::uintptr_t>(mapped) + before, owner};
  if (lasts_) mapped_.emplace(std::pair(first, bytes), kept);
  return kept;
}

}  // namespace halocline::python
