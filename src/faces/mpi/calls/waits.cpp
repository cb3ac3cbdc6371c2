// Starts, waits and tests: those of the host, with the requests of collectives that the engine carries among others. A program without such
// requests pays one look at a flag.
// SPDX-License-Identifier: BSD-3-Clause
#include <sched.h>

#include <algorithm>
#include <new>
#include <vector>

#include "base/atomics.hpp"
#include "faces/mpi/collective/neighbor_comm.hpp"
#include "faces/mpi/collective/own_request.hpp"
#include "faces/mpi/interpose/error_text.hpp"
#include "faces/mpi/interpose/host_table.hpp"

namespace halocline::core::mpi {
namespace {

/// That of an inactive request, and of a collective that is over.
void set_empty(MPI_Status *status) {
  if (status == MPI_STATUS_IGNORE) return;
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  status->MPI_ERROR = MPI_SUCCESS;
}

MPI_Status *status_at(MPI_Status *statuses, std::size_t i) { return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i; }

/// By the error handler of its communicator, if the program still has that.
int report_failure_of(MPI_Comm comm, int code) {
  if (code == MPI_SUCCESS) return code;
  const MPI_Comm known = known_neighbor_comm(comm) ? comm : MPI_COMM_WORLD;
  explain_call(known, code);
  return PMPI_Comm_call_errhandler(known, code), code;
}

/// The request is over: it is inactive, or gone.
int finish(OwnRequest &own, MPI_Request *request, MPI_Status *status) {
  const int code = own.is_active ? own.end() : MPI_SUCCESS;
  const MPI_Comm comm = own.comm;
  own.is_active = false;
  set_empty(status);
  if (!own.is_persistent) delete &own, *request = MPI_REQUEST_NULL;
  return report_failure_of(comm, code);
}

int wait_own(OwnRequest &own, MPI_Request *request, MPI_Status *status) {
  if (own.is_active) own.wait();
  return finish(own, request, status);
}

bool any_own(int count, const MPI_Request *requests) {
  if (!has_own_requests.load(std::memory_order_relaxed)) return false;
  return std::any_of(requests, requests + std::max(count, 0), [](MPI_Request request) { return find_own(request) != nullptr; });
}

/// The requests of a call: those of this library by their place, those of the host in a row.
struct Mixture {
  std::vector<OwnRequest *> own;  // null where the request is the host's
  std::vector<MPI_Request> host;
  std::vector<int> places, which;  // of those of the host; which of these a call has ended
  std::vector<MPI_Status> statuses;
  MPI_Request *requests;

  Mixture(int count, MPI_Request *all) : requests(all) {
    for (int i = 0; i < count; ++i) {
      own.push_back(find_own(all[i]));
      if (own.back()) continue;
      host.push_back(all[i]);
      places.push_back(i);
    }
    statuses.resize(host.size());
    which.resize(host.size() + 1);  // never null
  }

  int hosts() const { return static_cast<int>(host.size()); }
  MPI_Status *host_statuses(const MPI_Status *wanted) { return wanted == MPI_STATUSES_IGNORE ? MPI_STATUSES_IGNORE : statuses.data(); }
  /// After a call of the host.
  void give_back() const {
    for (std::size_t i = 0; i < host.size(); ++i) requests[places[i]] = host[i];
  }
  void give_back_statuses(MPI_Status *wanted) const {
    for (std::size_t i = 0; i < host.size() && wanted != MPI_STATUSES_IGNORE; ++i) wanted[places[i]] = statuses[i];
  }
  bool any_active() const {
    return std::any_of(own.begin(), own.end(), [](const OwnRequest *one) { return one && one->is_active; });
  }
};

/// A code for one of several requests.
void note_code(int code, MPI_Status *status, int *all) {
  if (code == MPI_SUCCESS) return;
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = code;
  *all = MPI_ERR_IN_STATUS;
}

int wait_all(Mixture &mixture, MPI_Status *statuses) {
  int all = MPI_SUCCESS;
  for (std::size_t i = 0; i < mixture.own.size(); ++i)
    if (mixture.own[i]) note_code(wait_own(*mixture.own[i], &mixture.requests[i], status_at(statuses, i)), status_at(statuses, i), &all);
  if (mixture.host.empty()) return all;
  const int code = host::Waitall(mixture.hosts(), mixture.host.data(), mixture.host_statuses(statuses));
  mixture.give_back();
  mixture.give_back_statuses(statuses);
  return code == MPI_SUCCESS ? all : code;
}

/// All or none end.
int test_all(Mixture &mixture, int *flag, MPI_Status *statuses) {
  *flag = 0;
  for (OwnRequest *own : mixture.own)
    if (own && own->is_active && !own->test()) return MPI_SUCCESS;
  int all = MPI_SUCCESS, done = 1;
  if (!mixture.host.empty()) {
    const int code = host::Testall(mixture.hosts(), mixture.host.data(), &done, mixture.host_statuses(statuses));
    mixture.give_back();
    if (code != MPI_SUCCESS || !done) return code;
    mixture.give_back_statuses(statuses);
  }
  for (std::size_t i = 0; i < mixture.own.size(); ++i)
    if (mixture.own[i]) note_code(finish(*mixture.own[i], &mixture.requests[i], status_at(statuses, i)), status_at(statuses, i), &all);
  *flag = 1;
  return all;
}

/// MPI_UNDEFINED as index and a true flag if no request is active.
int test_any(Mixture &mixture, int *index, int *flag, MPI_Status *status) {
  *flag = 1;
  *index = MPI_UNDEFINED;
  for (std::size_t i = 0; i < mixture.own.size(); ++i) {
    OwnRequest *const own = mixture.own[i];
    if (!own || !own->is_active || !own->test()) continue;
    *index = static_cast<int>(i);
    return finish(*own, &mixture.requests[i], status);
  }
  if (!mixture.host.empty()) {
    int which = MPI_UNDEFINED;
    const int code = host::Testany(mixture.hosts(), mixture.host.data(), &which, flag, status);
    mixture.give_back();
    if (which != MPI_UNDEFINED) *index = mixture.places[static_cast<std::size_t>(which)];
    if (code != MPI_SUCCESS || *index != MPI_UNDEFINED || !*flag) return code;
  }
  *flag = mixture.any_active() ? 0 : 1;
  set_empty(status);
  return MPI_SUCCESS;
}

/// MPI_UNDEFINED as number if no request is active.
int test_some(Mixture &mixture, int *number, int *indices, MPI_Status *statuses) {
  int all = MPI_SUCCESS, found = 0, hosts = MPI_UNDEFINED;
  const bool was_active = mixture.any_active();
  for (std::size_t i = 0; i < mixture.own.size(); ++i) {
    OwnRequest *const own = mixture.own[i];
    if (!own || !own->is_active || !own->test()) continue;
    const auto at = static_cast<std::size_t>(found);
    indices[found++] = static_cast<int>(i);
    note_code(finish(*own, &mixture.requests[i], status_at(statuses, at)), status_at(statuses, at), &all);
  }
  if (!mixture.host.empty()) {
    std::vector<int> &which = mixture.which;
    const int code = host::Testsome(mixture.hosts(), mixture.host.data(), &hosts, which.data(), mixture.host_statuses(statuses));
    mixture.give_back();
    if (code != MPI_SUCCESS) all = code;
    for (int i = 0; hosts != MPI_UNDEFINED && i < hosts; ++i) {
      if (statuses != MPI_STATUSES_IGNORE) statuses[found] = mixture.statuses[static_cast<std::size_t>(i)];
      indices[found++] = mixture.places[static_cast<std::size_t>(which[static_cast<std::size_t>(i)])];
    }
  }
  *number = !was_active && hosts == MPI_UNDEFINED ? MPI_UNDEFINED : found;
  return all;
}

/// A call with requests of both kinds, whose lists need memory.
template <class Call>
int call_with_lists(Call call) {
  try {
    return call();
  } catch (const std::bad_alloc &) {
    return report_failure_of(MPI_COMM_NULL, refuse(MPI_ERR_NO_MEM, "this rank is out of memory"));
  }
}

/// Between two tests that have found nothing.
void pass_between_tests(unsigned tests) {
  constexpr unsigned kTestsPerYield = 64;
  if (tests % kTestsPerYield == 0)
    sched_yield();
  else
    cpu_pause();
}

int start_own(OwnRequest &own) {
  if (!own.is_persistent || own.is_active)
    return report_failure_of(own.comm, refuse(MPI_ERR_REQUEST, "the request is active; wait for it before it is started again"));
  const int code = own.start();
  own.is_active = code == MPI_SUCCESS;
  return report_failure_of(own.comm, code);
}

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

extern "C" {

int MPI_Start(MPI_Request *request) {
  OwnRequest *const own = find_own(*request);
  return own ? start_own(*own) : host::Start(request);
}

int MPI_Startall(int count, MPI_Request requests[]) {
  if (!any_own(count, requests)) return host::Startall(count, requests);
  for (int i = 0; i < count; ++i)
    if (const int code = MPI_Start(&requests[i])) return code;
  return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  OwnRequest *const own = find_own(*request);
  return own ? wait_own(*own, request, status) : host::Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  if (!any_own(count, requests)) return host::Waitall(count, requests, statuses);
  return call_with_lists([&]() -> int {
    Mixture mixture(count, requests);
    return wait_all(mixture, statuses);
  });
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
  if (!any_own(count, requests)) return host::Waitany(count, requests, index, status);
  return call_with_lists([&]() -> int {
    Mixture mixture(count, requests);
    for (unsigned tests = 1;; ++tests) {
      int flag = 0;
      const int code = test_any(mixture, index, &flag, status);
      if (flag || code != MPI_SUCCESS) return code;
      pass_between_tests(tests);
    }
  });
}

int MPI_Waitsome(int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
  if (!any_own(count, requests)) return host::Waitsome(count, requests, outcount, indices, statuses);
  return call_with_lists([&]() -> int {
    Mixture mixture(count, requests);
    for (unsigned tests = 1;; ++tests) {
      const int code = test_some(mixture, outcount, indices, statuses);
      if (*outcount != 0 || code != MPI_SUCCESS) return code;
      pass_between_tests(tests);
    }
  });
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  OwnRequest *const own = find_own(*request);
  if (!own) return host::Test(request, flag, status);
  *flag = !own->is_active || own->test() ? 1 : 0;
  return *flag ? finish(*own, request, status) : MPI_SUCCESS;
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]) {
  if (!any_own(count, requests)) return host::Testall(count, requests, flag, statuses);
  return call_with_lists([&]() -> int {
    Mixture mixture(count, requests);
    return test_all(mixture, flag, statuses);
  });
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
  if (!any_own(count, requests)) return host::Testany(count, requests, index, flag, status);
  return call_with_lists([&]() -> int {
    Mixture mixture(count, requests);
    return test_any(mixture, index, flag, status);
  });
}

int MPI_Testsome(int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
  if (!any_own(count, requests)) return host::Testsome(count, requests, outcount, indices, statuses);
  return call_with_lists([&]() -> int {
    Mixture mixture(count, requests);
    return test_some(mixture, outcount, indices, statuses);
  });
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
  OwnRequest *const own = find_own(request);
  if (!own) return host::Request_get_status(request, flag, status);
  *flag = !own->is_active || own->test() ? 1 : 0;
  if (*flag) set_empty(status);
  return MPI_SUCCESS;
}

// MPI 4.1 looks at several requests without ending them.
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
int MPI_Request_get_status_all(int count, const MPI_Request requests[], int *flag, MPI_Status statuses[]) {
  if (!any_own(count, requests)) return host::Request_get_status_all(count, requests, flag, statuses);
  *flag = 1;
  for (int i = 0; i < count && *flag; ++i)
    if (const int code = MPI_Request_get_status(requests[i], flag, status_at(statuses, static_cast<std::size_t>(i)))) return code;
  return MPI_SUCCESS;
}

int MPI_Request_get_status_any(int count, const MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
  if (!any_own(count, requests)) return host::Request_get_status_any(count, requests, index, flag, status);
  return call_with_lists([&]() -> int {
    std::vector<MPI_Request> copies(requests, requests + count);
    Mixture mixture(count, copies.data());
    *flag = 1;
    for (std::size_t i = 0; i < mixture.own.size(); ++i)
      if (mixture.own[i] && mixture.own[i]->is_active && mixture.own[i]->test())
        return *index = static_cast<int>(i), set_empty(status), MPI_SUCCESS;
    int which = MPI_UNDEFINED;
    const int code = host::Request_get_status_any(mixture.hosts(), mixture.host.data(), &which, flag, status);
    *index = which == MPI_UNDEFINED ? which : mixture.places[static_cast<std::size_t>(which)];
    if (which == MPI_UNDEFINED && mixture.any_active()) *flag = 0;
    return code;
  });
}

int MPI_Request_get_status_some(int count, const MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
  if (!any_own(count, requests)) return host::Request_get_status_some(count, requests, outcount, indices, statuses);
  return call_with_lists([&]() -> int {
    std::vector<MPI_Request> copies(requests, requests + count);
    Mixture mixture(count, copies.data());
    int hosts = MPI_UNDEFINED, found = 0;
    const int code =
        host::Request_get_status_some(mixture.hosts(), mixture.host.data(), &hosts, mixture.which.data(), mixture.host_statuses(statuses));
    for (std::size_t i = 0; i < mixture.own.size(); ++i) {
      if (!mixture.own[i] || !mixture.own[i]->is_active || !mixture.own[i]->test()) continue;
      set_empty(status_at(statuses, static_cast<std::size_t>(found)));
      indices[found++] = static_cast<int>(i);
    }
    for (int i = 0; hosts != MPI_UNDEFINED && i < hosts; ++i) {
      if (statuses != MPI_STATUSES_IGNORE) statuses[found] = mixture.statuses[static_cast<std::size_t>(i)];
      indices[found++] = mixture.places[static_cast<std::size_t>(mixture.which[static_cast<std::size_t>(i)])];
    }
    *outcount = found == 0 && hosts == MPI_UNDEFINED && !mixture.any_active() ? MPI_UNDEFINED : found;
    return code;
  });
}
#endif

int MPI_Request_free(MPI_Request *request) {
  OwnRequest *const own = find_own(*request);
  if (!own) return host::Request_free(request);
  if (own->is_active)
    return report_failure_of(own->comm, refuse(MPI_ERR_REQUEST, "the request of a collective is active; wait for it before it is freed"));
  delete own;
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int MPI_Cancel(MPI_Request *request) {
  OwnRequest *const own = find_own(*request);
  if (!own) return host::Cancel(request);
  return report_failure_of(own->comm, refuse(MPI_ERR_REQUEST, "the request of a collective cannot be cancelled"));
}

HLC_MPI_PROFILED(MPI_Start)
HLC_MPI_PROFILED(MPI_Startall)
HLC_MPI_PROFILED(MPI_Wait)
HLC_MPI_PROFILED(MPI_Waitall)
HLC_MPI_PROFILED(MPI_Waitany)
HLC_MPI_PROFILED(MPI_Waitsome)
HLC_MPI_PROFILED(MPI_Test)
HLC_MPI_PROFILED(MPI_Testall)
HLC_MPI_PROFILED(MPI_Testany)
HLC_MPI_PROFILED(MPI_Testsome)
HLC_MPI_PROFILED(MPI_Request_get_status)
HLC_MPI_PROFILED(MPI_Request_free)
HLC_MPI_PROFILED(MPI_Cancel)
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
HLC_MPI_PROFILED(MPI_Request_get_status_all)
HLC_MPI_PROFILED(MPI_Request_get_status_any)
HLC_MPI_PROFILED(MPI_Request_get_status_some)
#endif

}  // extern "C"
