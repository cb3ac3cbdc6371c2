// What an MPI may choose, told as facts: thread level, memory model, progress without the target's help. And what is often forgotten:
// attributes of windows, windows and transfers of no bytes, displacements beyond 2 GiB, counts of more than 31 bits.
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/mman.h>

#include <chrono>
#include <optional>
#include <thread>

#include "../errors.hpp"
#include "../memory.hpp"
#include "../probe.hpp"
#include "../watchdog.hpp"
#include "../window.hpp"

namespace doctor {
namespace {

using Clock = std::chrono::steady_clock;

void probe_threads(Bench &bench) {
  constexpr const char *names[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
  const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  int provided = 0;
  CALL(MPI_Query_thread, &provided);
  for (std::size_t i = 0; i < 4; ++i)
    if (levels[i] == provided) bench.fact(std::string(names[i]) + " (asked for: MPI_THREAD_MULTIPLE)");
}

void probe_model(Bench &bench) {
  std::string text;
  for (const Kind kind : kKinds) {
    Window window(kind, bench.comm(), {64, 0, 1});
    int *model = nullptr, flag = 0;
    CALL(MPI_Win_get_attr, window, MPI_WIN_MODEL, &model, &flag);
    bench.expect(flag != 0, std::string(maker_of(kind)) + ": no attribute MPI_WIN_MODEL");
    if (flag) text += std::string(text.empty() ? "" : ", ") + name_of(kind) + " " + (*model == MPI_WIN_UNIFIED ? "unified" : "separate");
    window.free();
  }
  bench.fact(text);
}

void probe_attributes(Bench &bench) {
  for (const Kind kind : {Kind::create, Kind::allocate, Kind::shared}) {
    Window window(kind, bench.comm(), {64, 0, 8});
    void *base = nullptr;
    MPI_Aint *size = nullptr;
    int *unit = nullptr, flags[3] = {0, 0, 0};
    CALL(MPI_Win_get_attr, window, MPI_WIN_BASE, &base, &flags[0]);
    CALL(MPI_Win_get_attr, window, MPI_WIN_SIZE, &size, &flags[1]);
    CALL(MPI_Win_get_attr, window, MPI_WIN_DISP_UNIT, &unit, &flags[2]);
    const bool all = flags[0] && flags[1] && flags[2];
    bench.expect(all, std::string(maker_of(kind)) + ": an attribute is missing");
    if (all)
      bench.expect(base == window.base() && *size == 64 && *unit == 8,
                   std::string(maker_of(kind)) + ": base, size or unit is not what was asked for");
    window.free();
  }
}

/// Odd ranks expose nothing; puts of no bytes reach everybody, and must change nothing.
void probe_empty(Bench &bench) {
  for (const Kind kind : {Kind::create, Kind::allocate}) {
    const std::size_t bytes = bench.rank() % 2 == 0 ? 64 : 0;
    Window window(kind, bench.comm(), {bytes, 0, 1});
    const unsigned round = bench.next_round();
    const Image before(bytes, bench.rank(), round);
    std::copy(before.bytes().begin(), before.bytes().end(), window.base());
    CALL(MPI_Win_fence, 0, window);
    for (int target = 0; target < bench.size(); ++target) CALL(MPI_Put, &bytes, 0, MPI_BYTE, target, 0, 0, MPI_BYTE, window);
    CALL(MPI_Win_fence, 0, window);
    if (const auto wrong = before.difference(window.base(), bench.size()))
      bench.wrong("", "puts of no bytes changed the window: " + wrong->text);
    window.free();
  }
}

/// Memory that takes no room until it is touched.
class SparseMemory {
 public:
  explicit SparseMemory(std::size_t bytes) : bytes_(bytes) {
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw Lacks("this machine does not give " + std::to_string(bytes) + " bytes of address space");
    base_ = static_cast<unsigned char *>(memory);
  }
  ~SparseMemory() { munmap(base_, bytes_); }
  SparseMemory(const SparseMemory &) = delete;
  SparseMemory &operator=(const SparseMemory &) = delete;
  unsigned char *base() const { return base_; }

 private:
  std::size_t bytes_;
  unsigned char *base_ = nullptr;
};

/// Puts behind the first 2 and 4 GiB of a window. Only rank 0 exposes that much: an MPI may pin all of it.
void probe_far(Bench &bench) {
  constexpr std::size_t far[] = {(std::size_t{1} << 31) + 64, (std::size_t{1} << 32) + 64}, bytes = 200, room = far[1] + 4096;
  const int origin = bench.size() - 1;
  std::optional<SparseMemory> memory;
  if (bench.rank() == 0) memory.emplace(room);
  MPI_Win window = MPI_WIN_NULL;
  CALL(MPI_Win_create, memory ? memory->base() : nullptr, memory ? static_cast<MPI_Aint>(room) : 0, 1, MPI_INFO_NULL, bench.comm(),
       &window);
  return_window_errors(window);
  unsigned char out[2][bytes];
  const unsigned round = bench.next_round();
  CALL(MPI_Win_fence, 0, window);
  for (unsigned i = 0; bench.rank() == origin && i < 2; ++i) {
    write_stream(out[i], bytes, {static_cast<unsigned>(origin), 0, i, round});
    CALL(MPI_Put, out[i], bytes, MPI_BYTE, 0, static_cast<MPI_Aint>(far[i]), bytes, MPI_BYTE, window);
  }
  CALL(MPI_Win_fence, 0, window);
  for (unsigned i = 0; memory && i < 2; ++i)
    for (std::size_t b = 0; b < bytes; ++b)
      bench.expect(memory->base()[far[i] + b] == byte_of({static_cast<unsigned>(origin), 0, i, round}, b),
                   "byte " + std::to_string(b) + " of a put at displacement " + std::to_string(far[i]) + " is wrong");
  CALL(MPI_Win_free, &window);
}

void probe_large_counts(Bench &bench) {
#if MPI_VERSION >= 4
  Window window(Kind::allocate, bench.comm(), {128, 0, 1});
  unsigned char out[128];
  const unsigned round = bench.next_round();
  write_stream(out, sizeof out, {static_cast<unsigned>(bench.rank()), static_cast<unsigned>(bench.next()), 0, round});
  const MPI_Count bytes = sizeof out;
  CALL(MPI_Win_fence, 0, window);
  CALL(MPI_Put_c, out, bytes, MPI_BYTE, bench.next(), 0, bytes, MPI_BYTE, window);
  CALL(MPI_Win_fence, 0, window);
  const Stream expected{static_cast<unsigned>(bench.previous()), static_cast<unsigned>(bench.rank()), 0, round};
  for (std::size_t i = 0; i < sizeof out; ++i)
    bench.expect(window.base()[i] == byte_of(expected, i), "byte " + std::to_string(i) + " of MPI_Put_c is wrong");
  window.free();
#else
  static_cast<void>(bench);
  throw Lacks("MPI_Put_c needs MPI 4; this is MPI " + std::to_string(MPI_VERSION) + "." + std::to_string(MPI_SUBVERSION));
#endif
}

/// Rank 0 sleeps outside MPI while rank 1 puts and flushes.
void probe_progress(Bench &bench) {
  constexpr auto kPause = std::chrono::milliseconds(60);
  if (bench.size() == 1) return bench.fact("not measurable on one rank");
  std::string text;
  for (const Kind kind : kKinds) {
    Window window(kind, bench.comm(), {64, 0, 1});
    CALL(MPI_Win_lock_all, 0, window);
    CALL(MPI_Barrier, bench.comm());
    const auto began = Clock::now();
    int waited = 0;
    if (bench.rank() == 0) std::this_thread::sleep_for(kPause);
    if (bench.rank() == 1) {
      CALL(MPI_Put, &text, 8, MPI_BYTE, 0, window.displacement(0, 0), 8, MPI_BYTE, window);
      CALL(MPI_Win_flush, 0, window);
      waited = Clock::now() - began > kPause * 3 / 4;
    }
    CALL(MPI_Bcast, &waited, 1, MPI_INT, 1, bench.comm());
    CALL(MPI_Win_unlock_all, window);
    text += std::string(text.empty() ? "" : ", ") + name_of(kind) + (waited ? " waits for the target" : " does not wait");
    window.free();
  }
  bench.fact("a put to a rank that is busy outside MPI: " + text);
}

}  // namespace

std::vector<Probe> property_probes() {
  return {{"properties/threads", "MPI_Init_thread", probe_threads},
          {"properties/memory_model", "MPI_WIN_MODEL", probe_model},
          {"properties/attributes", "MPI_WIN_BASE, MPI_WIN_SIZE, MPI_WIN_DISP_UNIT", probe_attributes},
          {"properties/empty", "windows and transfers of no bytes", probe_empty},
          {"properties/far_displacement", "MPI_Put beyond 2 and 4 GiB", probe_far},
          {"properties/large_counts", "MPI_Put_c", probe_large_counts},
          {"properties/progress", "MPI_Put, MPI_Win_flush to a busy target", probe_progress}};
}

}  // namespace doctor
