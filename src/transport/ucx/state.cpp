// Opening and closing UCX's context and worker.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ucx/state.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/environment.hpp"
#include "transport/pinned_memory.hpp"

namespace halocline::core::transport::ucx {
namespace {

/// Those of the node alone, which shared memory of ours serves.
constexpr char kNetworks[] = "^self,sm";

/// Sets a variable of UCX for this context alone. The environment is for the application's MPI.
Status modify(const Library &library, ucp_config_t *config, const char *name, const std::string &value) {
  if (library.config_modify(config, name, value.c_str()) == UCS_OK) return Status::ok;
  return fail(Status::unsupported, "%s does not accept %s=%s", library.name().c_str(), name, value.c_str());
}

Status set_up(const Library &library, ucp_config_t *config, const Wish &wish) {
  HLC_TRY(modify(library, config, "TLS", wish.provider.empty() ? kNetworks : wish.provider));
  return modify(library, config, "NET_DEVICES", wish.interface.empty() ? "all" : wish.interface);
}

/// The resources that UCX prints, as "tcp/eth0".
std::vector<std::string> find_resources(const Library &library, ucp_context_h context) {
  char *text = nullptr;
  std::size_t bytes = 0;
  std::vector<std::string> resources;
  FILE *const stream = open_memstream(&text, &bytes);
  if (!stream) return resources;
  library.print_info(context, stream);
  std::fclose(stream);
  std::istringstream lines(text ? text : "");
  for (std::string line; std::getline(lines, line);)
    if (const auto at = line.rfind(" -- "); line.find("resource") != std::string::npos && at != std::string::npos)
      resources.push_back(line.substr(at + 4));
  std::free(text);
  return resources;
}

/// False for shared memory and the process itself, whose device is called memory.
bool is_network(const std::string &resource) { return resource.find("/memory") == std::string::npos; }

/// Soft-RoCE retries forever where the number of retries is 7, as is UCX's own: nothing sent to a peer that has ended would fail. The user's
/// number stays. A UCX that cannot change it here keeps its own.
void bound_retries(const Library &library, ucp_config_t *config, const std::vector<std::string> &resources) {
  const auto retries = [](const std::string &resource) { return resource.rfind("rc_verbs/", 0) == 0; };
  const bool is_set = std::getenv("UCX_RC_RETRY_COUNT") || std::getenv("UCX_RC_VERBS_RETRY_COUNT");
  if (!is_set && std::any_of(resources.begin(), resources.end(), retries)) library.config_modify(config, "RC_VERBS_RETRY_COUNT", "6");
}

/// True if a device writes and reads memory of peers, or if a test wants that emulated.
bool is_one_sided(const std::vector<std::string> &resources) {
  const std::string_view emulated = environment("UCX_PUTS");
  const auto writes = [](const std::string &resource) { return resource.rfind("rc_", 0) == 0 || resource.rfind("dc_", 0) == 0; };
  return emulated == "1" || (emulated != "0" && std::any_of(resources.begin(), resources.end(), writes));
}

/// The parts of the resources before or behind the stroke, each once.
std::string list(const std::vector<std::string> &resources, bool behind) {
  std::vector<std::string> names;
  std::string text;
  for (const std::string &resource : resources) {
    const auto stroke = resource.find('/');
    const std::string name = behind ? resource.substr(stroke + 1) : resource.substr(0, stroke);
    if (stroke == std::string::npos || std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(name);
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace

/// Memory that was leaked after a failed swap stays registered with its context.
State::~State() {
  close_worker();
  if (context) library->cleanup(context);
}

Status State::check(ucs_status_t status, const char *call) const {
  if (status == UCS_OK) return Status::ok;
  return fail(Status::unsupported, "%s: %s: %s", library->name().c_str(), call, library->text_of(status));
}

Status State::open_context(const Wish &wish) {
  HLC_TRY(open_any_context(wish));
  if (std::any_of(resources.begin(), resources.end(), is_network)) return Status::ok;
  return has_no_network(wish, "only transports within a node");
}

/// Puts and gets are asked for only where a device carries them out: elsewhere UCX emulates them, and its target checks no keys.
Status State::open_any_context(const Wish &wish) {
  ucp_config_t *config = nullptr;
  HLC_TRY(check(library->config_read(nullptr, nullptr, &config), "ucp_config_read"));
  Status status = set_up(*library, config, wish);
  if (status == Status::ok) status = init(config, wish);
  if (status == Status::ok && is_one_sided(resources)) {
    one_sided = true;
    library->cleanup(std::exchange(context, nullptr));
    bound_retries(*library, config, resources);
    status = init(config, wish);
  }
  library->config_release(config);
  return status;
}

Status State::init(const ucp_config_t *config, const Wish &wish) {
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME;
  params.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  if (one_sided) params.features |= UCP_FEATURE_RMA;
  params.name = "halocline";
  const ucs_status_t code = library->init(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &context);
  if (code != UCS_OK) return has_no_network(wish, library->text_of(code));
  resources = find_resources(*library, context);
  return Status::ok;
}

/// Says what there is instead.
Status State::has_no_network(const Wish &wish, const char *reason) const {
  State all;
  all.library = library;
  const bool is_named = !wish.provider.empty() || !wish.interface.empty();
  const bool is_any = is_named && all.open_any_context(Wish()) == Status::ok;
  const std::string there = is_any ? "; available: " + list(all.resources, false) + " on " + list(all.resources, true) : "";
  return fail(Status::unsupported, "%s has no network%s%s%s%s: %s%s", library->name().c_str(),
              wish.provider.empty() ? "" : " for HALOCLINE_PROVIDER=", wish.provider.c_str(),
              wish.interface.empty() ? "" : " on HALOCLINE_INTERFACE=", wish.interface.c_str(), reason, there.c_str());
}

Status State::open_worker(bool sleeps) {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = UCS_THREAD_MODE_SERIALIZED;  // the endpoint admits one thread at a time
  HLC_TRY(check(library->worker_create(context, &params, &worker), "ucp_worker_create"));
  return sleeps ? check(library->get_efd(worker, &wait_object), "ucp_worker_get_efd") : Status::ok;
}

void State::close_worker() {
  if (worker) library->worker_destroy(worker);
  worker = nullptr;
  wait_object = -1;
}

Status State::name(Address *address) const {
  ucp_worker_attr_t attributes{};
  attributes.field_mask = UCP_WORKER_ATTR_FIELD_ADDRESS | UCP_WORKER_ATTR_FIELD_ADDRESS_FLAGS;
  attributes.address_flags = UCP_WORKER_ADDRESS_FLAG_NET_ONLY;
  HLC_TRY(check(library->worker_query(worker, &attributes), "ucp_worker_query"));
  const std::size_t bytes = attributes.address_length;
  const bool fits = bytes <= sizeof address->text;
  if (fits) std::memcpy(address->text, attributes.address, bytes);
  address->bytes = static_cast<std::uint32_t>(bytes);
  library->release_address(worker, attributes.address);
  if (fits) return Status::ok;
  return fail(Status::unsupported, "%s: an address takes %zu bytes, but at most %zu fit; set HALOCLINE_INTERFACE to fewer devices",
              describe().c_str(), bytes, sizeof address->text);
}

Status State::map(char *base, std::int64_t bytes, void **mapped, std::vector<char> *key) const {
  ucp_mem_map_params_t params{};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
  params.address = base;
  params.length = static_cast<std::size_t>(bytes);
  ucp_mem_h handle = nullptr;
  void *packed = nullptr;
  std::size_t length = 0;
  ucs_status_t status = library->mem_map(context, &params, &handle);
  if (status == UCS_OK) status = library->rkey_pack(context, handle, &packed, &length);
  if (status != UCS_OK) {
    if (handle) library->mem_unmap(context, handle);
    return fail(Status::memory, "%s cannot register %lld bytes: %s%s", describe().c_str(), static_cast<long long>(bytes),
                library->text_of(status), one_sided ? limit_of_pinned_memory().c_str() : "");
  }
  key->assign(static_cast<char *>(packed), static_cast<char *>(packed) + length);
  library->rkey_release(packed);
  *mapped = handle;
  return Status::ok;
}

std::string State::describe() const { return list(resources, false) + " on " + list(resources, true) + ", " + library->name(); }

}  // namespace halocline::core::transport::ucx
