// Operations from PE 0 to the last PE, and a put with a signal to and fro.
//
// SPDX-License-Identifier: BSD-3-Clause
#define SHMEM_NO_OVERLOADS
#include <shmem.h>
// After shmem.h, which has the inline forms then.
#include <pshmem.h>

#include "bench/frame/shared.hpp"
#include "bench/rma/backends.hpp"
#include "bench/shmem/operations.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>

namespace bench {

ShmemStage::ShmemStage(MPI_Comm all) : comm(all), rank(rank_of(all)), ranks(size_of(all)), target(ranks - 1) {
  shmem_init();
  here = static_cast<char *>(shmem_malloc(kBytes));
  source = static_cast<char *>(shmem_malloc(kBytes));
  signal = static_cast<std::uint64_t *>(shmem_calloc(2, sizeof *signal));
  if (!here || !source || !signal) throw std::runtime_error("the symmetric heap has no room for the benchmark (SHMEM_SYMMETRIC_SIZE)");
  std::memset(here, 0, kBytes);
  std::memset(source, 0, kBytes);
  there = static_cast<char *>(shmem_ptr(here, target));
  // The target reaches itself: all ranks have to measure the same, so the limit only where all reach it.
  int reached = there ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &reached, 1, MPI_INT, MPI_MIN, comm);
  if (reached == 0) there = nullptr;
  shmem_barrier_all();
}

ShmemStage::~ShmemStage() { shmem_finalize(); }

double ShmemStage::ended(double us, bool right, const std::string &operation) const {
  int wrong = right ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, comm);
  if (wrong > 0) throw std::runtime_error("wrong values after " + operation);
  return slowest(us, comm);
}

namespace {

std::int64_t first_of(const char *memory) {
  std::int64_t value = 0;
  std::memcpy(&value, memory, sizeof value);
  return value;
}

/// PE 0 calls `call` so many times; the others serve it in the barrier.
template <class Call>
double by_first(const ShmemStage &stage, int count, Call call) {
  shmem_barrier_all();
  double us = 0;
  if (stage.works()) us = time_calls(count, call);
  shmem_barrier_all();
  return us;
}

/// What PE 0 writes is a number of its own for each sample.
template <class Put>
double sample_put(ShmemStage &stage, int count, Put put) {
  const std::int64_t stamp = ++stage.stamp;
  std::memcpy(stage.source, &stamp, sizeof stamp);
  const double us = by_first(stage, count, [&] { put(stamp); });
  return stage.ended(us, stage.rank != stage.target || first_of(stage.here) == stamp, "put");
}

void fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }

Operation one_word(ShmemStage &stage) {
  auto *const here = reinterpret_cast<std::int64_t *>(stage.here);
  auto *const there = reinterpret_cast<volatile std::int64_t *>(stage.there);
  Operation operation{"put of a word, quiet", 8};
  operation.backends = {{kShmem,
                         [&stage, here](int count) {
                           return sample_put(stage, count, [here, pe = stage.target](std::int64_t value) {
                             shmem_int64_p(here, value, pe);
                             shmem_quiet();
                           });
                         }},
                        {kCalledShmem, [&stage, here](int count) {
                           return sample_put(stage, count, [here, pe = stage.target](std::int64_t value) {
                             pshmem_int64_p(here, value, pe);
                             pshmem_quiet();
                           });
                         }}};
  if (there)
    operation.backends.push_back({kLimitBackend, [&stage, there](int count) {
                                    return sample_put(stage, count, [there](std::int64_t value) {
                                      *there = value;
                                      fence();
                                    });
                                  }});
  return operation;
}

Operation some_bytes(ShmemStage &stage, std::int64_t size) {
  const auto bytes = static_cast<std::size_t>(size);
  Operation operation{"put, quiet", size};
  operation.backends = {{kShmem,
                         [&stage, bytes](int count) {
                           return sample_put(stage, count, [&](std::int64_t) {
                             shmem_putmem(stage.here, stage.source, bytes, stage.target);
                             shmem_quiet();
                           });
                         }},
                        {kCalledShmem, [&stage, bytes](int count) {
                           return sample_put(stage, count, [&](std::int64_t) {
                             pshmem_putmem(stage.here, stage.source, bytes, stage.target);
                             pshmem_quiet();
                           });
                         }}};
  if (stage.there)
    operation.backends.push_back({kLimitBackend, [&stage, bytes](int count) {
                                    return sample_put(stage, count, [&](std::int64_t) {
                                      std::memcpy(stage.there, stage.source, bytes);
                                      fence();
                                    });
                                  }});
  return operation;
}

template <class Get>
double sample_get(ShmemStage &stage, int count, Get get) {
  const std::int64_t stamp = ++stage.stamp;
  if (stage.rank == stage.target) std::memcpy(stage.here, &stamp, sizeof stamp);
  const double us = by_first(stage, count, get);
  return stage.ended(us, !stage.works() || first_of(stage.source) == stamp, "get");
}

/// Atomics on a word that is 0 at first, and count after it if each adds 1.
template <class Change>
double sample_atomic(ShmemStage &stage, int count, bool adds, Change change) {
  auto *const word = reinterpret_cast<std::int64_t *>(stage.here);
  if (stage.rank == stage.target) *word = 0;
  const double us = by_first(stage, count, change);
  return stage.ended(us, stage.rank != stage.target || !adds || *word == count, "an atomic operation");
}

template <class Program, class Function, class Instruction>
Operation atomic_of(ShmemStage &stage, const std::string &name, bool adds, Program program, Function function, Instruction instruction) {
  Operation operation{name, 8};
  operation.backends = {{kShmem, [&stage, adds, program](int count) { return sample_atomic(stage, count, adds, program); }},
                        {kCalledShmem, [&stage, adds, function](int count) { return sample_atomic(stage, count, adds, function); }}};
  if (stage.there)
    operation.backends.push_back(
        {kLimitBackend, [&stage, adds, instruction](int count) { return sample_atomic(stage, count, adds, instruction); }});
  return operation;
}

/// Half a round trip between PE 0 and the last one.
template <class Send, class Receive>
double to_and_fro(const ShmemStage &stage, int count, Send send, Receive receive) {
  meet(stage.comm);
  if (stage.rank != 0 && stage.rank != stage.target) return 0;
  return time_calls(count,
                    [&] {
                      if (stage.rank == 0) send();
                      receive();
                      if (stage.rank == stage.target) send();
                    }) /
         2;
}

using PutWithSignal = decltype(&shmem_putmem_signal);

double sample_signals(ShmemStage &stage, int count, std::size_t bytes, PutWithSignal put) {
  const int other = stage.rank == 0 ? stage.target : 0;
  const std::int64_t stamp = ++stage.stamp;
  std::memcpy(stage.source, &stamp, sizeof stamp);
  *stage.signal = 0;
  shmem_barrier_all();
  std::uint64_t sent = 0, received = 0;
  const double us = to_and_fro(
      stage, count, [&] { put(stage.here, stage.source, bytes, stage.signal, ++sent, SHMEM_SIGNAL_SET, other); },
      [&] { shmem_signal_wait_until(stage.signal, SHMEM_CMP_GE, ++received); });
  shmem_barrier_all();
  const bool takes_part = stage.rank == 0 || stage.rank == stage.target;
  return stage.ended(us, !takes_part || first_of(stage.here) == stamp, "put with signal");
}

double sample_notified(ShmemStage &stage, halocline::Segment &segment, int count, std::int64_t bytes) {
  const int other = stage.rank == 0 ? stage.target : 0;
  const std::int64_t stamp = ++stage.stamp;
  std::memcpy(stage.source, &stamp, sizeof stamp);
  const double us = to_and_fro(
      stage, count, [&] { segment.put_notify({other, 0}, stage.source, bytes, {0, 1}); }, [&] { segment.reset(segment.wait({0, 1})); });
  segment.flush();
  segment.barrier();
  const bool takes_part = stage.rank == 0 || stage.rank == stage.target;
  return stage.ended(us, !takes_part || first_of(segment.data<char>()) == stamp, "hlc_put_notify");
}

}  // namespace

std::vector<Operation> shmem_puts(ShmemStage &stage, const std::vector<std::int64_t> &sizes) {
  std::vector<Operation> operations{one_word(stage)};
  for (const std::int64_t bytes : sizes) operations.push_back(some_bytes(stage, bytes));
  return operations;
}

std::vector<Operation> shmem_gets(ShmemStage &stage, const std::vector<std::int64_t> &sizes) {
  std::vector<Operation> operations;
  for (const std::int64_t size : sizes) {
    const auto bytes = static_cast<std::size_t>(size);
    Operation operation{"get", size};
    operation.backends = {
        {kShmem, [&stage, bytes](
                     int count) { return sample_get(stage, count, [&] { shmem_getmem(stage.source, stage.here, bytes, stage.target); }); }},
        {kCalledShmem, [&stage, bytes](int count) {
           return sample_get(stage, count, [&] { pshmem_getmem(stage.source, stage.here, bytes, stage.target); });
         }}};
    if (stage.there)
      operation.backends.push_back({kLimitBackend, [&stage, bytes](int count) {
                                      return sample_get(stage, count, [&] { std::memcpy(stage.source, stage.there, bytes); });
                                    }});
    operations.push_back(operation);
  }
  return operations;
}

std::vector<Operation> shmem_atomics(ShmemStage &stage) {
  auto *const word = reinterpret_cast<std::int64_t *>(stage.here);
  auto *const there = reinterpret_cast<std::int64_t *>(stage.there);
  const int pe = stage.target;
  return {atomic_of(
              stage, "fetch-and-add", true, [=] { return shmem_int64_atomic_fetch_add(word, 1, pe); },
              [=] { return pshmem_int64_atomic_fetch_add(word, 1, pe); }, [=] { return __atomic_fetch_add(there, 1, __ATOMIC_SEQ_CST); }),
          atomic_of(
              stage, "swap", false, [=] { return shmem_int64_atomic_swap(word, 1, pe); },
              [=] { return pshmem_int64_atomic_swap(word, 1, pe); }, [=] { return __atomic_exchange_n(there, 1, __ATOMIC_SEQ_CST); }),
          atomic_of(
              stage, "compare-and-swap", false, [=] { return shmem_int64_atomic_compare_swap(word, 0, 1, pe); },
              [=] { return pshmem_int64_atomic_compare_swap(word, 0, 1, pe); },
              [=] {
                std::int64_t expected = 0;
                return __atomic_compare_exchange_n(there, &expected, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
              }),
          atomic_of(
              stage, "atomic add, quiet", true,
              [=] {
                shmem_int64_atomic_add(word, 1, pe);
                shmem_quiet();
              },
              [=] {
                pshmem_int64_atomic_add(word, 1, pe);
                pshmem_quiet();
              },
              [=] {
                __atomic_fetch_add(there, 1, __ATOMIC_SEQ_CST);
                fence();
              })};
}

std::vector<Operation> shmem_signals(ShmemStage &stage, halocline::Segment &segment, const std::vector<std::int64_t> &sizes) {
  std::vector<Operation> operations;
  const auto add = [&](const std::string &name, std::int64_t bytes, PutWithSignal put) {
    Operation operation{name, bytes};
    operation.backends = {
        {kShmem, [&stage, bytes, put](int count) { return sample_signals(stage, count, static_cast<std::size_t>(bytes), put); }},
        {kNotifiedPut, [&stage, &segment, bytes](int count) { return sample_notified(stage, segment, count, bytes); }}};
    operations.push_back(operation);
  };
  for (const std::int64_t bytes : sizes) add("put with signal", bytes, shmem_putmem_signal);
  for (const std::int64_t bytes : sizes) add("put with signal, nbi", bytes, shmem_putmem_signal_nbi);
  return operations;
}

}  // namespace bench
