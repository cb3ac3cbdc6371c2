// Events wait in memory of a fixed size. The thread that fills it writes them to the file, which is complete JSON after each write.
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/recorder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <new>
#include <vector>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "trace/format.hpp"

namespace halocline::core::trace {

std::atomic<unsigned> uses{0};

namespace {

constexpr std::size_t kMaxEvents = 1 << 15;  // 3 MB
constexpr std::size_t kMaxTexts = 1 << 12;
constexpr char kEnd[] = "\n]\n";

struct Recorded {
  Event event;
  int thread;
};

/// Never destroyed: threads of the library may record until the process ends.
struct Recorder {
  Mutex mutex;
  int file HLC_GUARDED_BY(mutex) = -1;
  bool ended HLC_GUARDED_BY(mutex) = false;  // the file could not be written on
  pid_t process HLC_GUARDED_BY(mutex) = 0;   // that records, not a child of it
  std::string path HLC_GUARDED_BY(mutex);
  off_t written HLC_GUARDED_BY(mutex) = 0;  // without what ends the file
  std::vector<Recorded> events HLC_GUARDED_BY(mutex);
  std::vector<int> ranks HLC_GUARDED_BY(mutex);  // that the file has named
  std::vector<std::string> texts HLC_GUARDED_BY(mutex){""};  // escaped
  std::vector<std::string> lines HLC_GUARDED_BY(mutex);
};

Recorder &recorder() {
  static auto *const one = new Recorder;
  return *one;
}

thread_local std::int64_t waited_ns = 0;

int thread_number() {
  static std::atomic<int> threads{0};
  thread_local const int mine = threads.fetch_add(1, std::memory_order_relaxed);
  return mine;
}

bool write_all(int file, const std::string &text, off_t at) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t more = pwrite(file, text.data() + done, text.size() - done, at + static_cast<off_t>(done));
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return false;
    done += static_cast<std::size_t>(more);
  }
  return true;
}

/// The trace ends here: what was written so far remains.
void give_up(Recorder &all) HLC_REQUIRES(all.mutex) {
  report_once("trace", "write", "HALOCLINE_TRACE: %s cannot be written: %s; the trace of this rank ends here", all.path.c_str(),
              std::strerror(errno));
  uses.fetch_and(~static_cast<unsigned>(kTrace), std::memory_order_relaxed);
  static_cast<void>(ftruncate(all.file, all.written));
  static_cast<void>(write_all(all.file, kEnd, all.written));
  close(all.file);
  all.file = -1;
  all.ended = true;
}

/// Adds lines to the file.
void append(Recorder &all, const std::string &lines) HLC_REQUIRES(all.mutex) {
  if (all.file < 0 || lines.empty()) return;
  const std::string text = (all.written == 0 ? "[\n" : ",\n") + lines;
  if (!write_all(all.file, text + kEnd, all.written)) return give_up(all);
  all.written += static_cast<off_t>(text.size());
}

void write_events(Recorder &all) HLC_REQUIRES(all.mutex) {
  // A child of the process has the events of its parent.
  if (all.events.empty() || all.process != getpid()) return all.events.clear();
  const std::int64_t begin_ns = now_ns();
  const int rank = all.events.front().event.rank;
  std::string lines;
  for (const Recorded &each : all.events) {
    const Texts texts{all.texts[each.event.label], all.texts[each.event.detail]};
    if (!lines.empty()) lines += ",\n";
    append_event(lines, each.event, each.thread, texts);
  }
  all.events.clear();
  append(all, lines);
  Event writing{"write the trace", "trace"};
  writing.begin_ns = begin_ns;
  writing.end_ns = now_ns();
  writing.rank = rank;
  all.events.push_back({writing, thread_number()});
}

/// Swaps may not fail for want of memory: the events are dropped then.
void write_if_room(Recorder &all) HLC_REQUIRES(all.mutex) {
  try {
    write_events(all);
  } catch (const std::bad_alloc &) {
    report_once("trace", "memory", "HALOCLINE_TRACE: out of memory for the events of %s; %zu of them are lost", all.path.c_str(),
                all.events.size());
    all.events.clear();
  }
}

Status refuse(const std::string &path) {
  return fail(Status::argument, "HALOCLINE_TRACE: %s cannot be written: %s; nothing is traced", path.c_str(), std::strerror(errno));
}

/// A file of that name, empty; -1 with errno if there is none. Others may be able to write to the folder. A link of theirs would let
/// this rank write elsewhere, and a pipe would let it wait for a reader.
int open_regular(const char *path) {
  const int file = ::open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  struct stat what {};
  if (file < 0 || fstat(file, &what) != 0) return file;
  if (S_ISREG(what.st_mode) && what.st_nlink == 1 && ftruncate(file, 0) == 0) return file;
  close(file);
  errno = EEXIST;
  return -1;
}

Status open_file(Recorder &all, const std::string &folder, int rank) HLC_REQUIRES(all.mutex) {
  all.path = folder + "/rank-" + std::to_string(rank) + ".json";
  mkdir(folder.c_str(), 0777);
  all.file = open_regular(all.path.c_str());
  if (all.file < 0) return refuse(all.path);
  all.process = getpid();
  all.events.reserve(kMaxEvents);
  return Status::ok;
}

[[gnu::destructor]] void write_the_rest() {
  if (uses.load(std::memory_order_relaxed) == 0) return;
  flush();
  print_lines();
}

}  // namespace

unsigned wanted(std::string *folder) {
  *folder = environment("TRACE");
  return (folder->empty() ? 0U : kTrace) | (std::strcmp(environment("SUMMARY"), "1") == 0 ? kSummary : 0U);
}

std::uint64_t clock_of_process() {
  char boot[64] = "", space[64] = "";
  if (std::FILE *const file = std::fopen("/proc/sys/kernel/random/boot_id", "re")) {
    if (!std::fgets(boot, sizeof boot, file)) boot[0] = '\0';
    std::fclose(file);
  }
  const ssize_t length = readlink("/proc/self/ns/time", space, sizeof space - 1);
  if (length < 0) space[0] = '\0';
  char host[HOST_NAME_MAX + 1] = "";
  if (boot[0] == '\0') gethostname(host, sizeof host - 1);
  return std::hash<std::string>{}(std::string(boot) + space + host);
}

Status open(const std::string &folder, const Place &place) {
  Recorder &all = recorder();
  const Lock lock(all.mutex);
  if (all.ended) return Status::again;
  if (all.file < 0) HLC_TRY(open_file(all, folder, place.rank));
  for (const int known : all.ranks)
    if (known == place.rank) return Status::ok;
  all.ranks.push_back(place.rank);
  char host[HOST_NAME_MAX + 1] = "";
  gethostname(host, sizeof host - 1);
  append(all, about_rank(place, escaped(host)));
  return all.ended ? Status::again : Status::ok;
}

void begin(unsigned wanted_uses) {
  Recorder &all = recorder();
  const Lock lock(all.mutex);
  all.process = getpid();
  uses.fetch_or(wanted_uses, std::memory_order_relaxed);
}

void add_clock(int rank, const ClockSample &sample) {
  Recorder &all = recorder();
  const Lock lock(all.mutex);
  append(all, about_clock(rank, sample));
}

void record(const Event &event) {
  if (!traces() || !event.name) return;
  Recorder &all = recorder();
  const Lock lock(all.mutex);
  if (all.file < 0) return;
  if (all.events.size() >= kMaxEvents) write_if_room(all);
  all.events.push_back({event, thread_number()});
}

void flush() {
  Recorder &all = recorder();
  const Lock lock(all.mutex);
  if (all.file >= 0) write_if_room(all);
}

Text keep_text(const std::string &text) {
  Recorder &all = recorder();
  const Lock lock(all.mutex);
  const std::string safe = escaped(text);
  for (std::size_t i = 0; i < all.texts.size(); ++i)
    if (all.texts[i] == safe) return static_cast<Text>(i);
  if (all.texts.size() == kMaxTexts) return 0;
  all.texts.push_back(safe);
  return static_cast<Text>(all.texts.size() - 1);
}

void add_line(const std::string &line) {
  Recorder &all = recorder();
  const Lock lock(all.mutex);
  all.lines.push_back(line);
}

void print_lines() {
  Recorder &all = recorder();
  const Lock lock(all.mutex);
  if (all.process == getpid())
    for (const std::string &line : all.lines) std::fprintf(stderr, "%s\n", line.c_str());
  all.lines.clear();
}

Waited waited() { return {thread_number(), waited_ns}; }

WaitBegin begin_wait() { return {now_ns(), waited_ns}; }

void count_wait(const WaitBegin &begun, std::int64_t end_ns) { waited_ns = begun.waited_ns + end_ns - begun.ns; }

}  // namespace halocline::core::trace
