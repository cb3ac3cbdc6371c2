// What UCX offers on this host.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/survey.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/environment.hpp"
#include "transport/ucx/state.hpp"

namespace halocline::core::transport::ucx {
namespace {

bool has(const std::vector<std::string> &resources, const std::string &resource) {
  return std::find(resources.begin(), resources.end(), resource) != resources.end();
}

/// True if the system has an RDMA device that is not made of a network card by the kernel (Soft-RoCE, soft-iWARP).
bool system_has_device() {
  std::error_code none;
  for (const auto &device : std::filesystem::directory_iterator("/sys/class/infiniband", none)) {
    const std::string name = device.path().filename();
    if (name.rfind("rxe", 0) != 0 && name.rfind("siw", 0) != 0) return true;
  }
  return false;
}

/// A device keeps what is registered in memory. With a limit the worker may open, and a segment fail.
bool may_pin() {
  rlimit limit{};
  return geteuid() == 0 || (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY);
}

/// A test may want a device emulated.
bool can_use_device() { return std::strcmp(environment("UCX_PUTS"), "1") == 0 || (system_has_device() && may_pin()); }

}  // namespace

/// The address of a worker on all devices may be too long.
bool has_device(const Wish &wish) {
  State state;
  Address address;
  return can_use_device() && find_library(wish, &state.library) == Status::ok && state.open_context(wish) == Status::ok &&
         state.one_sided && state.open_worker(false) == Status::ok && state.name(&address) == Status::ok;
}

/// First those that are used, of which UCX takes the fastest for each peer.
Status survey(const Wish &wish, Survey *found) {
  State chosen, all;
  HLC_TRY(find_library(wish, &chosen.library));
  found->library = chosen.library->name();
  all.library = chosen.library;
  const Status opened = chosen.open_context(wish);
  Wish any;
  any.provider = "all";
  HLC_TRY(all.open_any_context(any));
  const auto offer = [&](const std::string &resource, const char *refusal) {
    const auto stroke = resource.find('/');
    found->offers.push_back({resource.substr(0, stroke), resource.substr(stroke + 1), refusal});
  };
  if (opened == Status::ok)
    for (const std::string &resource : chosen.resources) offer(resource, "");
  for (const std::string &resource : all.resources)
    if (!has(chosen.resources, resource))
      offer(resource, wish.provider.empty() ? "it reaches no other node" : "HALOCLINE_PROVIDER or HALOCLINE_INTERFACE leaves it out");
  return Status::ok;
}

}  // namespace halocline::core::transport::ucx
