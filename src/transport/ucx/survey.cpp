// What UCX offers on this host.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/survey.hpp"

#include <algorithm>

#include "transport/ucx/state.hpp"

namespace halocline::core::transport::ucx {
namespace {

bool has(const std::vector<std::string> &resources, const std::string &resource) {
  return std::find(resources.begin(), resources.end(), resource) != resources.end();
}

}  // namespace

/// First those that are used, of which UCX takes the fastest for each peer.
Status survey(const Wish &wish, Survey *found) {
  State chosen, all;
  HLC_TRY(find_library(wish, &chosen.library));
  found->library = chosen.library->name();
  all.library = chosen.library;
  const Status opened = chosen.open_context(wish);
  Wish any;
  any.provider = "all";
  HLC_TRY(all.open_context(any));
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
