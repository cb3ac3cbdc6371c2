// OpenSHMEM 1.5, sections 9.1 and 9.2: setup, exit, thread levels. shmem_init initialises MPI if the program has not (base/mpi_use.cpp), and takes
// the PEs from MPI_COMM_WORLD.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>

#include "faces/shmem/context.hpp"
#include "faces/shmem/hooks.hpp"
#include "faces/shmem/inline_forms.hpp"
#include "faces/shmem/job.hpp"
#include "faces/shmem/pause.hpp"

namespace halocline::core::shmem {
namespace {

constexpr const char *kFinalize = "shmem_finalize";

/// Of the last job; what shmem_query_thread tells.
int provided_level = SHMEM_THREAD_SINGLE;

/// What MPI permits: the library itself needs no more than the program does, but its collective calls go through MPI.
int most_level() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  switch (level) {
    case MPI_THREAD_MULTIPLE: return SHMEM_THREAD_MULTIPLE;
    case MPI_THREAD_SERIALIZED: return SHMEM_THREAD_SERIALIZED;
    case MPI_THREAD_FUNNELED: return SHMEM_THREAD_FUNNELED;
    default: return SHMEM_THREAD_SINGLE;
  }
}

void finish();

/// A program that ends by returning from main need not call shmem_finalize. One that ends with another status than 0 has failed, and waits for
/// no other PE.
void finish_at_exit(int status, void *) {
  if (the_job() && status == 0 && runtime.begun_here()) finish();
}

/// What SHMEM_VERSION and SHMEM_INFO ask for, on stdout, and SHMEM_DEBUG, of each PE on stderr.
void report_beginning(const Job &job) {
  if (job.rank() == 0 && job.settings.version)
    std::printf("OpenSHMEM %d.%d, %s\n", SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION, SHMEM_VENDOR_STRING);
  if (job.rank() == 0 && job.settings.info) print_settings(job.settings, job.heap.bytes());
  if (!job.settings.debug) return;
  std::fprintf(stderr, "halocline: PE %d of %d, %d of them on this node: a symmetric heap of %lld bytes at %p\n", job.rank(), job.size(),
               job.context.members(), static_cast<long long>(job.heap.bytes()), static_cast<void *>(job.heap_begin()));
  for (const StaticPages &pages : job.static_data.all())
    std::fprintf(stderr, "halocline: PE %d: %lld bytes of static data of %s are symmetric\n", job.rank(),
                 static_cast<long long>(pages.bytes), pages.name.c_str());
}

void report_end(const Job &job) {
  if (job.settings.debug && job.heap.blocks() > 0)
    std::fprintf(stderr, "halocline: PE %d: shmem_finalize frees %zu blocks of symmetric memory, %lld bytes\n", job.rank(),
                 job.heap.blocks(), static_cast<long long>(job.heap.taken_bytes()));
}

void begin(int level) {
  const std::unique_lock opening = runtime.change();
  if (the_job()) return;
  if (!opening) stop("shmem_init: another thread is in shmem_init or shmem_finalize");
  must(runtime.start("shmem_init"));
  Settings settings;
  const Status read = settings.read();
  must(read);
  must(runtime.begin(std::make_unique<Job>(settings)));
  Job &job = need_job("shmem_init");
  default_context.pes = {0, 1, job.size()};
  must(open_teams(job));
  open_inline_forms();
  provided_level = level < most_level() ? level : most_level();
  static const int registered = on_exit(finish_at_exit, nullptr);
  static_cast<void>(registered);
  report_beginning(job);
}

/// Waits for all PEs, and ends the job.
void finish() {
  const std::unique_lock ending = runtime.change();
  if (!ending) stop("%s: another thread is in shmem_init or shmem_finalize", kFinalize);
  Job &job = need_job(kFinalize);
  close_inline_forms();
  if (mpi_has_ended()) return runtime.abandon();
  report_end(job);
  quiet(kFinalize, default_context);
  end_contexts_of(kFinalize, nullptr);
  close_teams(job);
  wait_while_again(kFinalize, "the other PEs",
                   [&] { return job.watch.knows_any() ? job.watch.send_notice(kFinalize, 0) : job.meet_to_end(); });
  must(runtime.end(Status::ok));
}

}  // namespace
}  // namespace halocline::core::shmem

using namespace halocline::core::shmem;

extern "C" {

void pshmem_init() { begin(SHMEM_THREAD_SINGLE); }

int pshmem_init_thread(int requested, int *provided) {
  if (requested < SHMEM_THREAD_SINGLE || requested > SHMEM_THREAD_MULTIPLE)
    stop("shmem_init_thread: requested is %d but must be SHMEM_THREAD_SINGLE, _FUNNELED, _SERIALIZED or _MULTIPLE", requested);
  begin(requested);
  if (provided) *provided = provided_level;
  return 0;
}

void pshmem_query_thread(int *provided) {
  const Job &job = need_job("shmem_query_thread");
  if (!provided) stop("shmem_query_thread on PE %d: provided is NULL", job.rank());
  *provided = provided_level;
}

void pshmem_finalize() {
  if (the_job()) finish();
}

void pshmem_global_exit(int status) {
  need_job("shmem_global_exit");
  end_all(status);
}

int pshmem_my_pe() { return need_job("shmem_my_pe").rank(); }

int pshmem_n_pes() { return need_job("shmem_n_pes").size(); }

HLC_SHMEM_ALIAS(init);
HLC_SHMEM_ALIAS(init_thread);
HLC_SHMEM_ALIAS(query_thread);
HLC_SHMEM_ALIAS(finalize);
HLC_SHMEM_ALIAS(global_exit);
HLC_SHMEM_ALIAS(my_pe);
HLC_SHMEM_ALIAS(n_pes);

}  // extern "C"
