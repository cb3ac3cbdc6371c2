// The handler runs in the thread that has touched the page, at any place: it reads atomic words and calls write, and nothing else.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/late_pages.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

namespace halocline::core::transport::shm {
namespace {

/// A piece of memory; unused while `begin` is 0.
struct Piece {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> bytes{0};
  std::atomic<int> rank{0};
};

constexpr std::size_t kPieces = 256;
std::array<Piece, kPieces> pieces;
std::mutex mutex;  // for changes
struct sigaction before;  // of the signal, when it was taken over
bool has_handler = false;

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);

/// A text without memory from the heap.
struct Text {
  char text[512];
  std::size_t length = 0;

  void add(const char *more) {
    while (*more != '\0' && length < sizeof text) text[length++] = *more++;
  }
  void add(std::uintptr_t number) {
    char digits[24];
    std::size_t first = sizeof digits;
    digits[--first] = '\0';
    do digits[--first] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    add(digits + first);
  }
};

void explain(const Piece &piece, std::uintptr_t address) {
  Text text;
  text.add("halocline: rank ");
  text.add(static_cast<std::uintptr_t>(piece.rank.load()));
  text.add(" cannot get the page of byte ");
  text.add(address - piece.begin.load());
  text.add(" of ");
  text.add(piece.bytes.load());
  text.add(
      " bytes of shared memory on its node: /dev/shm is full. There was room when this memory was made; other files have taken it since "
      "(see 'df /dev/shm')\n");
  static_cast<void>(!write(STDERR_FILENO, text.text, text.length));
}

/// The handler before this one gets the signal when the instruction is repeated.
void on_missing_page(int, siginfo_t *info, void *) {
  const int error = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (const Piece &piece : pieces) {
    const std::uintptr_t begin = piece.begin.load();
    if (begin == 0 || address < begin || address - begin >= piece.bytes.load()) continue;
    explain(piece, address);
    break;
  }
  sigaction(SIGBUS, &before, nullptr);
  // A signal that another process has sent is not repeated by itself.
  if (info->si_code <= 0) raise(SIGBUS);
  errno = error;
}

/// A handler of the program's own stays.
void take_signal() {
  if (has_handler) return;
  has_handler = true;
  struct sigaction now {};
  if (sigaction(SIGBUS, nullptr, &before) != 0) return;
  now.sa_sigaction = on_missing_page;
  now.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&now.sa_mask);
  sigaction(SIGBUS, &now, nullptr);
}

}  // namespace

void LatePages::watch(const char *memory, std::int64_t bytes, int rank) {
  end();
  const std::lock_guard lock(mutex);
  take_signal();
  for (std::size_t i = 0; i < kPieces; ++i) {
    if (pieces[i].begin != 0) continue;
    pieces[i].bytes = static_cast<std::uintptr_t>(bytes);
    pieces[i].rank = rank;
    pieces[i].begin = reinterpret_cast<std::uintptr_t>(memory);
    piece_ = static_cast<int>(i);
    return;
  }
}

void LatePages::end() {
  if (piece_ < 0) return;
  const std::lock_guard lock(mutex);
  pieces[static_cast<std::size_t>(piece_)].begin = 0;
  piece_ = -1;
}

}  // namespace halocline::core::transport::shm
