// Reasons of refusals, and the name of the call that is refused.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/interpose/error_text.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "faces/mpi/interpose/fallback_report.hpp"

namespace halocline::core::mpi {
namespace {

struct Reason {
  int code = MPI_SUCCESS;
  char text[256] = "";
};
thread_local Reason last_reason;

/// Where the library of an address is loaded. The symbol is null if the address is not inside a function of MPI.
const void *library_of(const void *address, const char **symbol) {
  Dl_info info{};
  void *entry = nullptr;
  if (dladdr1(address, &info, &entry, RTLD_DL_SYMENT) == 0) return nullptr;
  const auto *found = static_cast<const ElfW(Sym) *>(entry);
  const auto offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(info.dli_saddr);
  const bool is_mpi =
      found && info.dli_sname && offset < found->st_size && (std::strstr(info.dli_sname, "MPI_") || std::strstr(info.dli_sname, "MPIX_"));
  *symbol = is_mpi ? info.dli_sname : nullptr;
  return info.dli_fbase;
}

/// The outermost frame of this library is the function that the program has called. Below it a sanitizer may have a frame.
std::string name_of_call() {
  const char *symbol = nullptr, *found = nullptr;
  const void *const ours = library_of(reinterpret_cast<const void *>(&explain), &symbol);
  void *frames[24];
  const int count = backtrace(frames, 24);
  int i = 0;
  while (i < count && library_of(frames[i], &symbol) != ours) ++i;
  for (; i < count && library_of(frames[i], &symbol) == ours; ++i)
    if (symbol) found = symbol;
  if (!found) return "MPI call";
  return found[0] == 'P' ? found + 1 : found;
}

/// Whether a handler that this library has got ends the program. It is released.
bool ends_program(MPI_Errhandler handler) {
  bool ends = handler == MPI_ERRORS_ARE_FATAL;
#ifdef MPI_ERRORS_ABORT
  ends = ends || handler == MPI_ERRORS_ABORT;
#endif
  if (!ends && handler != MPI_ERRORS_RETURN) PMPI_Errhandler_free(&handler);
  return ends;
}

/// The reason that this thread has kept for a code, and the MPI's text of the code.
std::string text_of(int code) {
  char words[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(code, words, &length);
  const std::string why = last_reason.code == code && *last_reason.text ? std::string(last_reason.text) + ": " : "";
  last_reason = {};
  return why + words;
}

/// On stderr, or if HALOCLINE_LOG=info. Without memory for a longer line, the reason alone.
void explain_on(int rank, const char *of, int code, bool to_stderr) {
  std::string text;
  try {
    text = name_of_call() + " on rank " + std::to_string(rank) + " of " + of + ": " + text_of(code);
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "halocline: %s\n", last_reason.text);
    return;
  }
  if (to_stderr)
    std::fprintf(stderr, "halocline: %s\n", text.c_str());
  else
    inform("%s", text.c_str());
}

}  // namespace

int refuse(int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(last_reason.text, sizeof last_reason.text, format, arguments);
  va_end(arguments);
  last_reason.code = code;
  return code;
}

void explain(MPI_Win win, int rank, int code) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  const bool has_handler = PMPI_Win_get_errhandler(win, &handler) == MPI_SUCCESS;
  explain_on(rank, "its window", code, has_handler && ends_program(handler));
}

void explain_call(MPI_Comm comm, int code) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  const bool has_handler = PMPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS;
  explain_on(rank, "its communicator", code, has_handler && ends_program(handler));
}

int check_assertion(int assertion) {
  constexpr int kAll = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
  return (assertion & ~kAll) == 0 ? MPI_SUCCESS : refuse(MPI_ERR_ASSERT, "invalid assertion %d", assertion);
}

int class_of_dead_peer() {
#if defined(MPI_ERR_PROC_FAILED)
  return MPI_ERR_PROC_FAILED;
#elif defined(MPIX_ERR_PROC_FAILED)
  return MPIX_ERR_PROC_FAILED;
#else
  return MPI_ERR_OTHER;
#endif
}

}  // namespace halocline::core::mpi
