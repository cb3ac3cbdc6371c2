// Comparing the static data of all PEs, and putting shared pages behind them.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/static_data.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/log.hpp"
#include "base/pages.hpp"
#include "engine/communicator/collective.hpp"
#include "faces/shmem/loaded_files.hpp"

namespace halocline::core::shmem {
namespace {

/// What PE 0 tells the others of its pages.
struct PagesRecord {
  char name[104];
  std::int64_t bytes;
  std::uint64_t layout;
};

struct PagesList : core::Job {
  std::vector<PagesRecord> records;
};

PagesRecord record_of(const StaticPages &pages) {
  PagesRecord record{};
  std::strncpy(record.name, pages.name.c_str(), sizeof record.name - 1);
  record.bytes = pages.bytes;
  record.layout = pages.layout;
  return record;
}

bool have_one_layout(const PagesRecord &a, const PagesRecord &b) {
  return std::strcmp(a.name, b.name) == 0 && a.bytes == b.bytes && a.layout == b.layout;
}

/// Gets the list of PE 0.
Status get_list(Communicator &communicator, const std::vector<StaticPages> &mine, std::unique_ptr<PagesList> &list) {
  std::int64_t count = communicator.rank() == 0 ? static_cast<std::int64_t>(mine.size()) : 0;
  HLC_TRY(reduce(communicator, communicator.comm(), MPI_MAX, &count, 1));
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    list = std::make_unique<PagesList>();
    list->records.resize(static_cast<std::size_t>(count));
    list->requests.resize(1, MPI_REQUEST_NULL);
    if (communicator.rank() == 0) std::transform(mine.begin(), mine.end(), list->records.begin(), record_of);
    return Status::ok;
  }));
  HLC_TRY(check_mpi(MPI_Ibcast(list->records.data(), static_cast<int>(list->records.size() * sizeof(PagesRecord)), MPI_BYTE, 0,
                               communicator.comm(), list->requests.data()),
                    "MPI_Ibcast"));
  return await(communicator, list);
}

/// The pages whose addresses a child of fork must not share; null outside of a job.
std::vector<StaticPages> *shared_pages = nullptr;

/// A copy of whole pages, word by word: memcpy would report what AddressSanitizer keeps between variables.
[[gnu::no_sanitize_address]] void copy_words(const char *from, char *into, std::size_t bytes) {
  const auto *const source = reinterpret_cast<const volatile std::uint64_t *>(from);
  auto *const place = reinterpret_cast<volatile std::uint64_t *>(into);
  for (std::size_t word = 0; word < bytes / sizeof *place; ++word) place[word] = source[word];
}

/// Copies shared pages into ones that are zero. Those that are not resident are left out where no page can be
/// swapped out: mincore does not know those pages.
void copy_resident(const char *from, char *into, std::size_t bytes) {
  struct sysinfo memory;
  const bool no_swap = sysinfo(&memory) == 0 && memory.totalswap == 0;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident[1024];
  for (std::size_t begin = 0; begin < bytes; begin += sizeof resident * page) {
    const std::size_t some = std::min(bytes - begin, sizeof resident * page);
    const bool known = no_swap && mincore(const_cast<char *>(from + begin), some, resident) == 0;
    for (std::size_t at = 0; at < some; at += page)
      if (!known || (resident[at / page] & 1) != 0) copy_words(from + begin + at, into + begin + at, page);
  }
}

/// Puts the pages of a mapping at an address. Returns an errno or 0. The system call itself: libraries of networks replace the function mremap to
/// watch memory, and those of UCX and of Intel MPI's libfabric drop the address.
int put_pages_at(void *to, void *from, std::size_t old_bytes, std::size_t bytes) {
  const long placed = syscall(SYS_mremap, from, old_bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
  return placed == -1 ? errno : 0;
}

/// Tells libraries of networks that the pages behind these addresses change, so that they register them anew: their replacements of mremap look
/// at the old addresses alone, but those of madvise take this advice for the end of the pages. For shared pages only: these keep what is in them.
void announce_change(const StaticPages &pages) {
  static_cast<void>(madvise(reinterpret_cast<void *>(pages.begin), static_cast<std::size_t>(pages.bytes), MADV_DONTNEED));
}

/// Replaces shared pages by private ones with the same content. Makes system calls only: a child of fork may do no more.
void make_pages_private(const StaticPages &pages) {
  void *place = reinterpret_cast<void *>(pages.begin);
  const auto bytes = static_cast<std::size_t>(pages.bytes);
  void *copy = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (copy == MAP_FAILED) return;
  copy_resident(static_cast<const char *>(place), static_cast<char *>(copy), bytes);
  if (put_pages_at(place, copy, bytes, bytes) != 0) munmap(copy, bytes);
}

void make_all_private() {
  if (!shared_pages) return;
  for (const StaticPages &pages : *shared_pages) make_pages_private(pages);
  shared_pages = nullptr;
}

/// Which pages of this process have been touched: what has not is zero where no file is behind it.
class TouchedPages {
 public:
  TouchedPages() : file_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  TouchedPages(const TouchedPages &) = delete;
  TouchedPages &operator=(const TouchedPages &) = delete;
  ~TouchedPages() {
    if (file_ >= 0) close(file_);
  }

  /// True if it is not known. Pages are asked for in ascending order.
  bool contains(std::uintptr_t page) {
    if (page < first_ || page >= first_ + known_) read(page);
    // Present, or swapped out.
    return page >= first_ + known_ || (words_[page - first_] >> 62) != 0;
  }

 private:
  void read(std::uintptr_t page) {
    first_ = page;
    known_ = 0;
    const ssize_t got = file_ < 0 ? 0 : pread(file_, words_.data(), sizeof words_, static_cast<off_t>(page * sizeof(std::uint64_t)));
    if (got > 0) known_ = static_cast<std::size_t>(got) / sizeof(std::uint64_t);
  }

  int file_;
  std::uintptr_t first_ = 0;
  std::size_t known_ = 0;
  std::array<std::uint64_t, 512> words_{};
};

/// Copies the pages that are not zero. Returns an errno or 0.
int copy_pages(const StaticPages &pages, char *into) {
  const auto page = sysconf(_SC_PAGESIZE);
  const char *from = reinterpret_cast<const char *>(pages.begin);
  TouchedPages touched;
  for (std::int64_t at = 0; at < pages.bytes; at += page) {
    if (at >= pages.from_file && !touched.contains((pages.begin + static_cast<std::uintptr_t>(at)) / static_cast<std::uintptr_t>(page)))
      continue;
    if (const int error = reserve_pages(into + at, page); error != 0) return error;
    copy_words(from + at, into + at, static_cast<std::size_t>(page));
  }
  return 0;
}

/// Puts the pages at `place`, which are shared, behind the addresses of the static data: without an old size mremap makes a second mapping.
int replace_pages(const StaticPages &pages, char *place) {
  const int error = put_pages_at(reinterpret_cast<void *>(pages.begin), place, 0, static_cast<std::size_t>(pages.bytes));
  if (error == 0) announce_change(pages);
  return error;
}

}  // namespace

Status StaticData::agree(Communicator &communicator) {
  std::vector<StaticPages> mine;
  std::unique_ptr<PagesList> list;
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    mine = find_static_pages();
    return Status::ok;
  }));
  HLC_TRY(get_list(communicator, mine, list));
  for (std::size_t i = 0; i < list->records.size(); ++i) {
    const PagesRecord &record = list->records[i];
    const auto same = [&](const StaticPages &pages) { return have_one_layout(record_of(pages), record); };
    const auto found = std::find_if(mine.begin(), mine.end(), same);
    std::int64_t first = found != mine.end() ? communicator.size() : communicator.rank();
    HLC_TRY(reduce(communicator, communicator.comm(), MPI_MIN, &first, 1));
    if (first < communicator.size()) {
      if (communicator.rank() == 0)
        report_once("shmem", "static data",
                    "shmem_init: static variables of %s are not symmetric: PE %lld has another layout of them than PE 0, or none; start "
                    "one program on all PEs",
                    record.name, static_cast<long long>(first));
      continue;
    }
    all_.push_back(*found);
    all_.back().offset = bytes_;
    bytes_ += found->bytes;
    mine.erase(found);
  }
  return Status::ok;
}

Status StaticData::share(char *place) {
  static const int registered = pthread_atfork(nullptr, nullptr, make_all_private);
  if (registered != 0) return fail(Status::memory, "shmem_init: pthread_atfork: %s", std::strerror(registered));
  shared_pages = &all_;
  shared_ = true;
  for (const StaticPages &pages : all_) {
    int error = copy_pages(pages, place + pages.offset);
    if (error == 0) error = replace_pages(pages, place + pages.offset);
    if (error != 0)
      return fail(Status::memory,
                  "shmem_init: %lld bytes of static variables of %s cannot be moved to shared memory: %s (see 'df /dev/shm')",
                  static_cast<long long>(pages.bytes), pages.name.c_str(), std::strerror(error));
    ++moved_;
  }
  return Status::ok;
}

/// `shared_pages` is null in a child of fork, whose pages are private.
void StaticData::make_private() {
  if (!shared_) return;
  if (shared_pages)
    for (std::size_t i = 0; i < moved_; ++i) announce_change(all_[i]);
  make_all_private();
  shared_ = false;
}

std::int64_t StaticData::offset_of(std::uintptr_t address, std::size_t bytes) const {
  for (const StaticPages &pages : all_) {
    const std::uintptr_t at = address - pages.begin, end = static_cast<std::uintptr_t>(pages.bytes);
    if (at <= end && bytes <= end - at) return pages.offset + static_cast<std::int64_t>(at);
  }
  return -1;
}

}  // namespace halocline::core::shmem
