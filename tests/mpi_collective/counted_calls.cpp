// Whether the library has carried a program's calls: its own functions of these names count them by form, and at MPI_Finalize the library has to say that it has
// carried all of them, or with HALOCLINE_MPI_COLLECTIVES=host that it has left all to the host. Part of programs in which nothing else is left.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <halocline/mpi4.h>

#include "mpi_collective/counted_calls.hpp"

namespace halocline::test {
namespace {

/// In the order of the library's report.
enum Form {
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
  ineighbor_alltoall,
  ineighbor_alltoallv,
  ineighbor_alltoallw,
  neighbor_alltoall_init,
  neighbor_alltoallv_init,
  neighbor_alltoallw_init,
  alltoallv_init,
  alltoallw_init,
  allgatherv_init,
  forms
};
constexpr const char *kNames[forms] = {"MPI_Neighbor_alltoall",      "MPI_Neighbor_alltoallv",      "MPI_Neighbor_alltoallw",
                                       "MPI_Ineighbor_alltoall",     "MPI_Ineighbor_alltoallv",     "MPI_Ineighbor_alltoallw",
                                       "MPI_Neighbor_alltoall_init", "MPI_Neighbor_alltoallv_init", "MPI_Neighbor_alltoallw_init",
                                       "MPI_Alltoallv_init",         "MPI_Alltoallw_init",          "MPI_Allgatherv_init"};

struct Numbers {
  std::atomic<long> of[forms];

  std::string text() const {
    std::string all;
    for (int form = 0; form < forms; ++form)
      if (const long number = of[form]) all += (all.empty() ? "" : ", ") + std::to_string(number) + " by " + kNames[form];
    return all.empty() ? "none" : all;
  }
};
Numbers calls, left;
std::atomic<bool> for_host{false};

/// A call that was refused is no one's.
int count(Form form, int code) {
  if (code == MPI_SUCCESS) (for_host ? left : calls).of[form] += 1;
  return code;
}

/// The library's summary is wanted.
[[gnu::constructor]] void ask_for_summary() {
  setenv("HALOCLINE_LOG", "info", 1);
  const char *const who = std::getenv("HALOCLINE_MPI_COLLECTIVES");
  for_host = who && std::strcmp(who, "host") == 0;
}

template <class Function>
Function *next_of(Function *, const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

/// What is written to stderr from the construction to the call of end(), which writes it there.
class Written {
 public:
  Written() : before_(dup(STDERR_FILENO)), file_(memfd_create("stderr", 0)) {
    std::fflush(stderr);
    dup2(file_, STDERR_FILENO);
  }
  Written(const Written &) = delete;
  Written &operator=(const Written &) = delete;
  ~Written() { close(before_), close(file_); }
  std::string end() {
    std::fflush(stderr);
    dup2(before_, STDERR_FILENO);
    std::string text(static_cast<std::size_t>(lseek(file_, 0, SEEK_END)), ' ');
    const ssize_t length = pread(file_, text.data(), text.size(), 0);
    text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    std::fputs(text.c_str(), stderr);
    return text;
  }

 private:
  int before_, file_;
};

/// The line of the library's report without what stands before it.
std::string summary_in(const std::string &text) {
  const std::size_t begin = text.find("collectives carried: ");
  return begin == std::string::npos ? "nothing" : text.substr(begin, text.find('\n', begin) - begin);
}

std::string expected_summary() {
  const std::string carried = calls.text(), by_host = left.text();
  return carried == "none" && by_host == "none" ? "nothing" : "collectives carried: " + carried + "; left to the host MPI: " + by_host;
}

}  // namespace

LeftToHost::LeftToHost() { for_host = true; }
LeftToHost::~LeftToHost() { for_host = false; }

// NOLINTBEGIN: in place of the functions of MPI
#define COUNTED(form, name, parameters, arguments)     \
  int name parameters {                                \
    static auto *const next = next_of(&(name), #name); \
    return count(form, next arguments);                \
  }
#define ONE_TYPE const void *from, int n, MPI_Datatype type, void *to, int m, MPI_Datatype other, MPI_Comm comm
#define EQUAL from, n, type, to, m, other, comm
#define UNEQUAL_TYPE                                                                                                                       \
  const void *from, const int n[], const int places[], MPI_Datatype type, void *to, const int m[], const int others[], MPI_Datatype other, \
      MPI_Comm comm
#define MANY_TYPES(Place)                                                                                                          \
  const void *from, const int n[], const Place places[], const MPI_Datatype type[], void *to, const int m[], const Place others[], \
      const MPI_Datatype other[], MPI_Comm comm
#define UNEQUAL from, n, places, type, to, m, others, other, comm

extern "C" {

COUNTED(neighbor_alltoall, MPI_Neighbor_alltoall, (ONE_TYPE), (EQUAL))
COUNTED(neighbor_alltoallv, MPI_Neighbor_alltoallv, (UNEQUAL_TYPE), (UNEQUAL))
COUNTED(neighbor_alltoallw, MPI_Neighbor_alltoallw, (MANY_TYPES(MPI_Aint)), (UNEQUAL))
COUNTED(ineighbor_alltoall, MPI_Ineighbor_alltoall, (ONE_TYPE, MPI_Request *request), (EQUAL, request))
COUNTED(ineighbor_alltoallv, MPI_Ineighbor_alltoallv, (UNEQUAL_TYPE, MPI_Request *request), (UNEQUAL, request))
COUNTED(ineighbor_alltoallw, MPI_Ineighbor_alltoallw, (MANY_TYPES(MPI_Aint), MPI_Request *request), (UNEQUAL, request))
COUNTED(neighbor_alltoall_init, MPI_Neighbor_alltoall_init, (ONE_TYPE, MPI_Info info, MPI_Request *request), (EQUAL, info, request))
COUNTED(neighbor_alltoallv_init, MPI_Neighbor_alltoallv_init, (UNEQUAL_TYPE, MPI_Info info, MPI_Request *request), (UNEQUAL, info, request))
COUNTED(neighbor_alltoallw_init, MPI_Neighbor_alltoallw_init, (MANY_TYPES(MPI_Aint), MPI_Info info, MPI_Request *request),
        (UNEQUAL, info, request))
COUNTED(alltoallv_init, MPI_Alltoallv_init, (UNEQUAL_TYPE, MPI_Info info, MPI_Request *request), (UNEQUAL, info, request))
COUNTED(alltoallw_init, MPI_Alltoallw_init, (MANY_TYPES(int), MPI_Info info, MPI_Request *request), (UNEQUAL, info, request))
COUNTED(allgatherv_init, MPI_Allgatherv_init,
        (const void *from, int n, MPI_Datatype type, void *to, const int m[], const int others[], MPI_Datatype other, MPI_Comm comm,
         MPI_Info info, MPI_Request *request),
        (from, n, type, to, m, others, other, comm, info, request))

int MPI_Finalize() {
  static auto *const next = next_of(&MPI_Finalize, "MPI_Finalize");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Written written;
  const int code = next();
  const std::string said = summary_in(written.end()), expected = expected_summary();
  if (said == expected) return code;
  std::fprintf(stderr, "rank %d: the library says\n  %s\nand must say\n  %s\n", rank, said.c_str(), expected.c_str());
  std::exit(1);
}

}  // extern "C"
// NOLINTEND

}  // namespace halocline::test
