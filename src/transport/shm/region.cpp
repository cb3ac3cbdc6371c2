// Creating, opening and mapping a shared memory object.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/region.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/atomics.hpp"
#include "base/pages.hpp"

namespace halocline::core::transport::shm {

namespace {

/// Parts up to this size are reserved at once: that takes a millisecond at most, and their first use takes no page faults.
constexpr std::int64_t kReservedAtOnce = kHugePage;

/// Returns an errno or 0.
int allocate_pages(int file, std::int64_t begin, std::int64_t bytes) {
  int error = 0;
  do error = posix_fallocate(file, begin, bytes);
  while (error == EINTR);
  return error;
}

/// Maps an object, or without one anonymous memory. Returns null and sets errno if that is not possible.
char *map_shared(std::int64_t bytes, int file, void *at = nullptr) {
  const int sharing = MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0) | (at ? MAP_FIXED : 0);
  void *memory = mmap(at, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, sharing, file, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char *>(memory);
}

/// The same at a multiple of the size of huge pages: those of the object are such in the mapping, too, only if both begin at one.
char *map_for_huge_pages(std::int64_t bytes, int file) {
  // More addresses than needed: the mapping takes those from the first multiple on, the others are released.
  const auto size = static_cast<std::size_t>(bytes), huge = static_cast<std::size_t>(kHugePage);
  void *const found = mmap(nullptr, size + huge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return nullptr;
  char *const begin = static_cast<char *>(found);
  const std::size_t before = (huge - reinterpret_cast<std::uintptr_t>(begin) % huge) % huge;
  char *const memory = map_shared(bytes, file, begin + before);
  const int error = errno;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + size, huge - before);
  if (!memory) munmap(begin + before, size);
  errno = error;
  return memory;
}

}  // namespace

Region::Region(Region &&other) noexcept { *this = std::move(other); }

Region &Region::operator=(Region &&other) noexcept {
  std::swap(late_, other.late_);
  std::swap(promise_, other.promise_);
  std::swap(base_, other.base_);
  std::swap(file_, other.file_);
  std::swap(offsets_, other.offsets_);
  return *this;
}

Region::~Region() {
  late_.end();
  close_file();
  if (base_) munmap(base_, static_cast<std::size_t>(bytes()));
}

std::int64_t Region::rounded(std::int64_t bytes, Pages pages) {
  const std::int64_t page = sysconf(_SC_PAGESIZE), huge = round_up(bytes, kHugePage);
  // What is added to an untouched part stays untouched.
  const std::int64_t most_added = pages == Pages::untouched ? bytes : pages == Pages::huge ? bytes / 8 : 0;
  if (bytes > 0 && kHugePage % page == 0 && huge - bytes <= most_added) return huge;
  return round_up(bytes > 0 ? bytes : 1, page);
}

void Region::lay_out(const std::vector<std::int64_t> &part_bytes) {
  offsets_.assign(1, 0);
  for (const auto part : part_bytes) offsets_.push_back(offsets_.back() + part);
}

int Region::resize_and_describe(ObjectAddress &address) { return file_ < 0 || ftruncate(file_, bytes()) != 0 ? errno : describe(address); }

int Region::describe(ObjectAddress &address) const {
  struct stat info;
  if (file_ < 0) return EBADF;
  if (fstat(file_, &info) != 0) return errno;
  address.maker = getpid();
  address.file = file_;
  address.device = info.st_dev;
  address.inode = info.st_ino;
  return 0;
}

int Region::make_nameless(ObjectAddress &address) {
  close();
  file_ = ::open("/dev/shm", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  return resize_and_describe(address);
}

int Region::make_named(ObjectAddress &address) {
  close();
  std::uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random) return errno;
  char name[sizeof address.name];
  std::snprintf(name, sizeof name, "/halocline-%d-%016llx", static_cast<int>(getpid()), static_cast<unsigned long long>(random));
  file_ = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file_ < 0) return errno;
  std::snprintf(address.name, sizeof address.name, "%s", name);
  return resize_and_describe(address);
}

int Region::open(const ObjectAddress &address) {
  close();
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%lld/fd/%d", static_cast<long long>(address.maker), address.file);
  // In another pid namespace the same pid is another process, and this may be its terminal or its device.
  constexpr int kHow = O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  file_ = address.name[0] != '\0' ? shm_open(address.name, O_RDWR | O_CLOEXEC, 0600) : ::open(path, kHow);
  if (file_ < 0) return errno;
  struct stat info;
  if (fstat(file_, &info) != 0) return errno;
  return info.st_dev == address.device && info.st_ino == address.inode ? 0 : ENOENT;
}

void Region::unlink(const ObjectAddress &address) {
  if (address.name[0] != '\0') shm_unlink(address.name);
}

/// Where promises are not possible all parts are reserved here, in the memory of this core.
int Region::promise() {
  bool any = false;
  for (Member member = 0; member + 1 < static_cast<Member>(offsets_.size()); ++member) any = any || part_bytes(member) > kReservedAtOnce;
  if (!any) return 0;
  const int error = promise_.make(file_, bytes());
  return error == 0 || error == ENOSPC ? error : allocate_pages(file_, 0, bytes());
}

int Region::map(Member me, Pages pages) {
  const bool is_late = pages == Pages::untouched || (pages == Pages::promised && part_bytes(me) > kReservedAtOnce);
  // Nothing keeps room for an untouched part, nor gives a promise for a large reserved one.
  const bool needs_room = file_ >= 0 && pages != Pages::promised && (is_late || part_bytes(me) > kReservedAtOnce);
  if (const int error = needs_room ? look_for_room(file_, part_bytes(me)) : 0) return error;
  base_ = pages != Pages::reserved && bytes() >= kHugePage ? map_for_huge_pages(bytes(), file_) : map_shared(bytes(), file_);
  if (!base_) return errno;
  if (is_late && pages == Pages::promised) place_pages_here(part(me), part_bytes(me));
  return is_late ? 0 : reserve_part(me, pages);
}

/// Reserving my own part places its pages in this core's memory, and turns a full /dev/shm into an error here.
int Region::reserve_part(Member me, Pages pages) {
  if (pages == Pages::huge) join_pages(part(me), part_bytes(me));
  const int error = file_ >= 0 ? allocate_pages(file_, offsets_[static_cast<std::size_t>(me)], part_bytes(me)) : 0;
  if (!error) provide_pages(part(me), part_bytes(me));
  return error;
}

int Region::map_from(std::int64_t place) {
  void *memory = mmap(nullptr, static_cast<std::size_t>(bytes()), PROT_READ | PROT_WRITE, MAP_SHARED, file_, place);
  if (memory == MAP_FAILED) return errno;
  base_ = static_cast<char *>(memory);
  return 0;
}

void Region::abandon() {
  late_.end();
  close_file();
  constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  if (!base_) return;
  void *memory = mmap(base_, static_cast<std::size_t>(bytes()), PROT_READ | PROT_WRITE, kind, -1, 0);
  if (memory != MAP_FAILED) base_ = static_cast<char *>(memory);  // else the mapping stays as it is
}

void Region::close() {
  if (!promise_.is_made()) close_file();
}

void Region::close_file() {
  promise_.withdraw();
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

}  // namespace halocline::core::transport::shm
