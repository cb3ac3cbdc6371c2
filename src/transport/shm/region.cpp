// Making and mapping the node's shared memory object.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/region.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/atomics.hpp"

namespace halocline::transport::shm {
namespace {

constexpr int kNameBytes = 64;

/// Opens a new object under a name that nobody can guess, readable by this user only.
int open_new(char *name) {
  std::uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random) return -1;
  std::snprintf(name, kNameBytes, "/halocline-%d-%016llx", static_cast<int>(getpid()), static_cast<unsigned long long>(random));
  return shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

/// Opens the object on all ranks: member 0 makes it, the others open it by the name that it sends.
int open_everywhere(MPI_Comm node, Member me, char *name) {
  int file = -1;
  if (me == 0) {
    file = open_new(name);
    if (file < 0) name[0] = '\0';
  }
  MPI_Bcast(name, kNameBytes, MPI_CHAR, 0, node);
  if (me != 0 && name[0] != '\0') file = shm_open(name, O_RDWR | O_CLOEXEC, 0600);
  return file;
}

Status shortage(std::int64_t bytes, int error) {
  return fail(Status::memory, "shared memory for %lld bytes on this node cannot be had: %s (see 'df /dev/shm')",
              static_cast<long long>(bytes), std::strerror(error));
}

/// All ranks of the node leave with the same answer; a rank that did not fail itself says whose fault it was.
Status agree_on_node(MPI_Comm node, Status mine) {
  int worst[2] = {static_cast<int>(mine), 0};
  MPI_Comm_rank(node, &worst[1]);
  int all[2];
  MPI_Allreduce(worst, all, 1, MPI_2INT, MPI_MAXLOC, node);
  if (all[0] == 0 || failed(mine)) return mine;
  return fail(static_cast<Status>(all[0]), "shared memory cannot be had by rank %d of this node (see 'df /dev/shm')", all[1]);
}

}  // namespace

Region::Region(Region &&other) noexcept { *this = std::move(other); }

Region &Region::operator=(Region &&other) noexcept {
  std::swap(base_, other.base_);
  std::swap(offsets_, other.offsets_);
  return *this;
}

Region::~Region() {
  if (base_) munmap(base_, static_cast<std::size_t>(offsets_.back()));
}

Status Region::map(int file, Member me) {
  const auto total = offsets_.back();
  // Reserving my own part places its pages on my memory, and turns a full /dev/shm into an error here.
  int error = 0;
  if (file >= 0 && part_bytes(me) > 0) {
    do {
      error = posix_fallocate(file, offsets_[static_cast<std::size_t>(me)], part_bytes(me));
    } while (error == EINTR);
  }
  if (error) return shortage(total, error);
  const int sharing = file < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
  void *memory = mmap(nullptr, static_cast<std::size_t>(total), PROT_READ | PROT_WRITE, sharing, file, 0);
  if (memory == MAP_FAILED) return shortage(total, errno);
  base_ = static_cast<char *>(memory);
  return Status::ok;
}

Status Region::create(MPI_Comm node, std::int64_t my_bytes, Region &region) {
  int me = 0, members = 1;
  MPI_Comm_rank(node, &me);
  MPI_Comm_size(node, &members);

  // Lay out the parts; one byte at least, so that there is something to map.
  region = Region();
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(members));
  const std::int64_t mine = round_up(my_bytes > 0 ? my_bytes : 1, sysconf(_SC_PAGESIZE));
  MPI_Allgather(&mine, 1, MPI_INT64_T, bytes.data(), 1, MPI_INT64_T, node);
  region.offsets_.assign(1, 0);
  for (const auto part : bytes) region.offsets_.push_back(region.offsets_.back() + part);

  // A rank alone on its node needs no object with a name.
  if (members == 1) return region.map(-1, 0);

  char name[kNameBytes] = "";
  const int file = open_everywhere(node, me, name);
  Status status = file < 0 ? shortage(region.offsets_.back(), errno) : Status::ok;
  if (!failed(status) && me == 0 && ftruncate(file, region.offsets_.back()) != 0) status = shortage(region.offsets_.back(), errno);
  status = agree_on_node(node, status);

  // All have opened it, or given up: the name can go, and a crash from here on leaves nothing behind.
  if (me == 0 && name[0] != '\0') shm_unlink(name);
  if (!failed(status)) status = agree_on_node(node, region.map(file, me));
  if (file >= 0) close(file);
  return status;
}

}  // namespace halocline::transport::shm
