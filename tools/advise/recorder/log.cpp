// SPDX-License-Identifier: BSD-3-Clause
#include "log.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "host.hpp"

namespace advise {
namespace {

constexpr std::size_t kMapped = kHeadBytes + kLatestBytes;
constexpr std::size_t kMostRecords = 400'000;  // per thread: as many as are looked at

struct Job {
  int rank = 0, ranks = 1;
  int text = -1;
  std::mutex mutex;
  std::vector<Log *> logs;
};

/// It is never destroyed: threads may record until the process has ended.
Job &job() {
  static Job &the_job = *new Job;
  return the_job;
}

std::size_t find_limit() {
  const char *const text = std::getenv("HLC_ADVISE_EVENTS");
  const long long number = text ? std::atoll(text) : 0;
  return number > 0 ? static_cast<std::size_t>(number) : kMostRecords;
}

void complain(const std::string &path) {
  std::fprintf(stderr, "halocline: can't write %s on rank %d: %s; this rank is not recorded\n", path.c_str(), job().rank,
               std::strerror(errno));
}

/// Takes room on the disk: to touch a page of a sparse file on a full disk is SIGBUS. Sets errno if there is none.
bool reserve(int file, off_t bytes) {
  int error = 0;
  do error = posix_fallocate(file, 0, bytes);
  while (error == EINTR);
  if (error != 0) errno = error;
  return error == 0;
}

std::string path_of(const char *kind, std::size_t thread) {
  std::string path = folder();
  path.append("/rank-").append(std::to_string(job().rank));
  if (thread > 0) path.append("-").append(std::to_string(thread));
  return path.append(kind);
}

}  // namespace

const std::string &folder() {
  static const std::string &name = *new std::string(std::getenv("HLC_ADVISE") ? std::getenv("HLC_ADVISE") : "");
  return name;
}

void begin_logs(int rank, int ranks) {
  job().rank = rank;
  job().ranks = ranks;
  const std::string path = path_of(".text", 0);
  job().text = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (job().text < 0) complain(path);
}

void for_each_head(void (*change)(Head &)) {
  const std::lock_guard lock(job().mutex);
  for (Log *const log : job().logs) change(log->head());
}

void write_line(const std::string &line) {
  std::string whole = line;
  whole.append("\n");
  if (job().text >= 0 && write(job().text, whole.data(), whole.size()) < 0) complain(path_of(".text", 0));
}

Log *open_log() {
  const std::lock_guard lock(job().mutex);
  const std::string path = path_of(".events", job().logs.size());
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  void *const place =
      file >= 0 && reserve(file, kMapped) ? mmap(nullptr, kMapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (place == MAP_FAILED) {
    complain(path);
    if (file >= 0) close(file), unlink(path.c_str());  // an empty file is no recording
    return nullptr;
  }
  Log *const log = new Log;
  log->file_ = file;
  log->head_ = static_cast<Head *>(place);
  log->latest_ = reinterpret_cast<Event *>(static_cast<char *>(place) + kHeadBytes);
  std::memset(log->latest_, 0, kLatestBytes);  // its pages fault here, not at their first events
  log->room_ = std::min(kLatest, find_limit());
  std::memcpy(log->head_->magic, kMagic, sizeof log->head_->magic);
  log->head_->rank = static_cast<std::uint32_t>(job().rank);
  log->head_->ranks = static_cast<std::uint32_t>(job().ranks);
  log->head_->thread = static_cast<std::uint32_t>(job().logs.size());
  log->note_clock();
  job().logs.push_back(log);
  return log;
}

/// The clock of a run that does not reach MPI_Finalize.
void Log::note_clock() {
  head_->ticks[1] = ticks();
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  head_->nanoseconds[1] = time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

/// The latest records become earlier ones. They are copied by the system into pages of its own, which takes a third of the time of mapping
/// new pages of the file; and the same lines of the cache are filled again.
bool Log::write_out() {
  const std::size_t bytes = used_ * sizeof(Event);
  const auto place = static_cast<off_t>(kMapped + head_->earlier * sizeof(Event));
  if (pwrite(file_, latest_, bytes, place) != static_cast<ssize_t>(bytes)) return false;
  head_->earlier += used_;
  used_ = 0;
  return true;
}

bool Log::make_room() {
  static const std::size_t limit = find_limit();
  if (file_ < 0 || head_->count >= limit) return false;
  note_clock();
  if (!write_out()) {
    complain("its events");
    file_ = -1;
    return false;
  }
  room_ = std::min(kLatest, limit - head_->earlier);
  return true;
}

/// Its later calls take no time, as if they were inside calls of MPI.
Event *Log::end_thread() {
  ++head_->dropped;
  if (this_thread.depth < kEnded) this_thread.depth += kEnded;
  return nullptr;
}

void Log::add_words(Kind kind, const std::uint64_t *words, std::size_t count) {
  for (std::size_t first = 0; first < count; first += Items::kWords) {
    auto *const record = reinterpret_cast<Items *>(add());
    if (!record) return;
    const std::size_t used = std::min(count - first, Items::kWords);
    std::memcpy(record->words, words + first, used * sizeof *words);
    record->kind = kind;
    record->used = static_cast<std::uint8_t>(used);
  }
}

}  // namespace advise
