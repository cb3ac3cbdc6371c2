// Chooses provider and interface: providers in libfabric's order, which is that of speed, those with immediate data first (choose); of several
// interfaces the one on rank 0's network (find_default_interface); of several devices there the nearest (find_nearest).
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/provider.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "transport/ofi/nearest_device.hpp"
#include "transport/ofi/traits.hpp"
#include "transport/survey.hpp"

namespace halocline::core::transport::ofi {
namespace {

/// Providers that are used only if the user names them.
struct NamedOnly {
  const char *name, *reason;
};
constexpr NamedOnly kByNameOnly[] = {
    {"shm", "reaches no other node"},
    {"sm2", "reaches no other node"},
    {"lnx", "joins other providers, and is experimental"},
    {"sockets", "is superseded by tcp"},
    {"net", "is experimental"},
    // fi_opx_rma.c, fi_opx_writemsg_internal: older versions pass no flags on.
    {"opx", "may report a write as arrived too early, in older libfabrics"},
};

/// Why a provider is used only if the user names it; null if it is not so.
const char *reason_by_name_only(const std::string &provider) {
  for (const NamedOnly &row : kByNameOnly)
    if (provider == row.name || provider.rfind(std::string(row.name) + ";", 0) == 0) return row.reason;
  return nullptr;
}

bool is_by_name_only(const std::string &provider) { return reason_by_name_only(provider) != nullptr; }

/// Why a provider is not used even if the user names it; null if it may be. psm3 gives the ranks of a host what only they use together: a process
/// beside them lets them crash when they end. ofi_rxd makes reliable datagrams of unreliable ones (udp, verbs): programs with segments hang there,
/// or end by a signal.
const char *reason_refused(const std::string &provider, const Wish &wish) {
  if (provider.find(";ofi_rxd") != std::string::npos) return "has the layer ofi_rxd, over which programs hang";
  return wish.has_helper && provider.rfind("psm3", 0) == 0 ? "does not work with HALOCLINE_PROGRESS=helper" : nullptr;
}

const char *text(const char *name) { return name ? name : ""; }

/// The IP address of an endpoint, "" if it has none.
std::string ip_of(const sockaddr *address) {
  char written[INET6_ADDRSTRLEN] = "";
  if (address && address->sa_family == AF_INET)
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in *>(address)->sin_addr, written, sizeof written);
  if (address && address->sa_family == AF_INET6)
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6 *>(address)->sin6_addr, written, sizeof written);
  return written;
}

std::string ip_of(const fi_info &info) {
  const bool ip = info.addr_format == FI_SOCKADDR || info.addr_format == FI_SOCKADDR_IN || info.addr_format == FI_SOCKADDR_IN6;
  return ip ? ip_of(static_cast<const sockaddr *>(info.src_addr)) : "";
}

/// The interface of this host with this IP address, "" if none has it.
std::string interface_with(const std::string &ip) {
  std::string name;
  ifaddrs *all = nullptr;
  if (ip.empty() || getifaddrs(&all) != 0) return name;
  for (const ifaddrs *one = all; one && name.empty(); one = one->ifa_next)
    if (ip_of(one->ifa_addr) == ip) name = one->ifa_name;
  freeifaddrs(all);
  return name;
}

bool is_loopback(const std::string &ip) { return ip.rfind("127.", 0) == 0 || ip == "::1"; }
/// Such addresses are valid only together with an interface.
bool is_link_local(const std::string &ip) { return ip.rfind("fe80:", 0) == 0; }

/// How many bytes of immediate data the writes must carry, at least. Without any, tagged messages take their place (announcements.hpp).
enum class Immediate : std::size_t { none = 0, some = 4 };

/// The capabilities that the endpoint needs. Memory modes that are supported: see state.cpp and region.cpp.
Info make_hints(const Library &library, Immediate immediate) {
  Info hints(library.dup_info(nullptr), {&library});
  if (!hints) return hints;
  hints->caps = FI_RMA | FI_MSG | (immediate == Immediate::none ? FI_TAGGED : 0);
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  // The endpoint admits one thread at a time, and waiting threads drive progress: a provider needs neither locks nor threads of its own.
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->control_progress = hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->cq_data_size = static_cast<std::size_t>(immediate);
  return hints;
}

/// What libfabric offers with these capabilities; empty if that is nothing, with the reason in *code.
Info ask(const Library &library, Immediate immediate, int *code) {
  fi_info *offered = nullptr;
  const Info hints = make_hints(library, immediate);
  *code = hints ? library.get_info(kInterface, nullptr, nullptr, 0, hints.get(), &offered) : -FI_ENOMEM;
  return Info(*code == 0 ? offered : nullptr, {&library});
}

/// The same endpoint, with tagged messages.
Status add_tagged(const Library &library, Info &info) {
  const Info hints(library.dup_info(info.get()), {&library});
  if (!hints) return fail(Status::memory, "out of memory for libfabric's hints");
  hints->caps = FI_RMA | FI_MSG | FI_TAGGED;
  hints->tx_attr->caps = hints->rx_attr->caps = 0;
  fi_info *offered = nullptr;
  const int code = library.get_info(kInterface, nullptr, nullptr, 0, hints.get(), &offered);
  const Info all(code == 0 ? offered : nullptr, {&library});
  if (all) info = Info(library.dup_info(all.get()), {&library});
  if (all && info) return Status::ok;
  return fail(Status::unsupported, "%s, %s: writes carry no immediate data, and there are no tagged messages to replace it: %s",
              describe(*hints).c_str(), library.name().c_str(), library.text_of(-code));
}

/// The addresses that this host's name resolves to, by which the launcher reaches it.
std::vector<std::string> addresses_of_host() {
  char name[256] = "";
  addrinfo hints{}, *all = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  std::vector<std::string> addresses;
  if (gethostname(name, sizeof name - 1) != 0 || getaddrinfo(name, nullptr, &hints, &all) != 0) return addresses;
  for (const addrinfo *one = all; one; one = one->ai_next) addresses.push_back(ip_of(one->ai_addr));
  freeaddrinfo(all);
  return addresses;
}

/// The wish with the whole name of its provider. Else it may be the first part of one: "verbs" is "verbs;ofi_rxm" then.
Wish with_whole_name(Wish wish, const fi_info *offered) {
  std::string found;
  for (const fi_info *info = offered; info; info = info->next) {
    const std::string provider = text(info->fabric_attr->prov_name);
    if (provider == wish.provider) return wish;
    if (found.empty() && provider.rfind(wish.provider + ";", 0) == 0) found = provider;
  }
  if (!found.empty()) wish.provider = found;
  return wish;
}

/// True if the provider is the wished and agreed one. Without a wish it must not be one that is used only by name.
bool has_provider(const fi_info &info, const Wish &wish, const Choice *agreed) {
  const std::string provider = text(info.fabric_attr->prov_name);
  if (reason_refused(provider, wish)) return false;
  if (wish.provider.empty() ? is_by_name_only(provider) : provider != wish.provider) return false;
  return !agreed || (provider == agreed->provider && info.addr_format == agreed->address_format);
}

bool has_interface(const fi_info &info, const Wish &wish) {
  const std::string ip = ip_of(info);
  if (is_link_local(ip)) return false;
  if (wish.interface.empty()) return is_loopback(ip) == (wish.one_host && !ip.empty());
  return text(info.domain_attr->name) == wish.interface || ip == wish.interface || interface_with(ip) == wish.interface;
}

/// The endpoints that fit, in libfabric's order, which is that of speed.
std::vector<const fi_info *> find_fitting(const fi_info *offered, const Wish &wish, const Choice *agreed) {
  std::vector<const fi_info *> fitting;
  for (const fi_info *info = offered; info; info = info->next)
    if (has_provider(*info, wish, agreed) && has_interface(*info, wish)) fitting.push_back(info);
  return fitting;
}

/// The folder that Linux has for an endpoint's device, "" if it is none of hardware.
std::string folder_of_device(const fi_info &info) {
  const fid_nic *const nic = info.nic;
  if (nic && nic->bus_attr && nic->bus_attr->bus_type == FI_BUS_PCI) {
    const fi_pci_attr &pci = nic->bus_attr->attr.pci;
    char path[64];
    std::snprintf(path, sizeof path, "/sys/bus/pci/devices/%04x:%02x:%02x.%x", pci.domain_id, pci.bus_id, pci.device_id, pci.function_id);
    return path;
  }
  const std::string path = std::string("/sys/class/infiniband/") + text(info.domain_attr->name) + "/device";
  return access(path.c_str(), F_OK) == 0 ? path : "";
}

/// Of several devices of hardware on the network of `one`, with its provider: the nearest to this rank's cores.
const fi_info *find_nearest(const std::vector<const fi_info *> &fitting, const fi_info *one) {
  const auto is_like_it = [&](const fi_info *info) {
    return std::strcmp(text(info->fabric_attr->prov_name), text(one->fabric_attr->prov_name)) == 0 &&
           info->addr_format == one->addr_format && std::strcmp(text(info->fabric_attr->name), text(one->fabric_attr->name)) == 0;
  };
  if (folder_of_device(*one).empty()) return one;
  std::vector<const fi_info *> devices;
  std::vector<int> nodes;
  std::string known = ",";
  for (const fi_info *info : fitting) {
    const std::string name = std::string(text(info->domain_attr->name)) + ",";
    if (!is_like_it(info) || folder_of_device(*info).empty() || known.find("," + name) != std::string::npos) continue;
    known += name;
    devices.push_back(info);
    nodes.push_back(numa_node_in(folder_of_device(*info)));
  }
  return devices[nearest_device(nodes, numa_node_of_cores(), turn_on_host())];
}

/// Of several interfaces of the fastest provider: the one on rank 0's network, else the one to which this host's name resolves.
const fi_info *find_default_interface(const std::vector<const fi_info *> &fitting, const Choice *agreed) {
  const auto same_provider = [&](const fi_info *info) {
    return std::strcmp(text(info->fabric_attr->prov_name), text(fitting[0]->fabric_attr->prov_name)) == 0;
  };
  for (const fi_info *info : fitting)
    if (agreed && std::strcmp(text(info->fabric_attr->name), agreed->network) == 0) return info;
  if (std::all_of(fitting.begin(), fitting.end(), [&](const fi_info *info) { return ip_of(*info) == ip_of(*fitting[0]); }))
    return fitting[0];
  const std::vector<std::string> addresses = addresses_of_host();
  for (const fi_info *info : fitting)
    if (same_provider(info) && std::find(addresses.begin(), addresses.end(), ip_of(*info)) != addresses.end()) return info;
  return fitting[0];
}

/// The same; a device of hardware is the nearest of its kind.
const fi_info *find_best(const std::vector<const fi_info *> &fitting, const Choice *agreed) {
  return find_nearest(fitting, find_default_interface(fitting, agreed));
}

/// The names of the endpoints, each once.
template <class Name>
std::string list(const fi_info *offered, Name name_of) {
  std::string names;
  for (const fi_info *info = offered; info; info = info->next)
    if (const std::string name = name_of(*info); !name.empty() && (", " + names + ", ").find(", " + name + ", ") == std::string::npos)
      names += (names.empty() ? "" : ", ") + name;
  return names;
}

std::string interface_of(const fi_info &info) {
  const std::string ip = ip_of(info), interface = interface_with(ip);
  return (interface.empty() ? text(info.domain_attr->name) : interface) + (ip.empty() ? "" : " (" + ip + ")");
}

/// Reports the first requirement that no endpoint meets, and what is available instead.
Status nothing_fits(const Library &library, const Wish &wish, const Choice *agreed, const fi_info *offered) {
  const auto provider_of = [](const fi_info &info) { return std::string(text(info.fabric_attr->prov_name)); };
  const auto usable_interface_of = [&](const fi_info &info) {
    return has_provider(info, wish, agreed) && !is_link_local(ip_of(info)) ? interface_of(info) : std::string();
  };
  const std::string providers = list(offered, provider_of), interfaces = list(offered, usable_interface_of), from = library.name();
  if (!interfaces.empty() && !wish.interface.empty())
    return fail(Status::unsupported, "HALOCLINE_INTERFACE is '%s', not usable by %s; available: %s", wish.interface.c_str(),
                agreed ? agreed->provider : "a provider", interfaces.c_str());
  if (!interfaces.empty())
    return fail(Status::unsupported, "only interfaces that reach no other host (HALOCLINE_INTERFACE can select one): %s",
                interfaces.c_str());
  if (const char *reason = reason_refused(wish.provider, wish))
    return fail(Status::unsupported, "HALOCLINE_PROVIDER is '%s', which %s; available: %s", wish.provider.c_str(), reason,
                providers.c_str());
  if (!wish.provider.empty())
    return fail(Status::unsupported, "HALOCLINE_PROVIDER is '%s', which %s does not offer here; available: %s", wish.provider.c_str(),
                from.c_str(), providers.c_str());
  if (agreed)
    return fail(Status::unsupported, "%s does not offer '%s' here, which rank 0 chose; available: %s", from.c_str(), agreed->provider,
                providers.c_str());
  return fail(Status::unsupported, "%s has only providers that must be selected by name (HALOCLINE_PROVIDER): %s", from.c_str(),
              providers.c_str());
}

/// Why an endpoint that libfabric offers is not the one that is chosen; empty: it is.
std::string refusal_of(const fi_info &info, const Wish &wish, const fi_info *best) {
  const std::string provider = text(info.fabric_attr->prov_name), ip = ip_of(info);
  if (!wish.provider.empty() && provider != wish.provider) return "HALOCLINE_PROVIDER is " + wish.provider;
  if (const char *reason = reason_refused(provider, wish)) return std::string("it ") + reason;
  if (const char *reason = reason_by_name_only(provider); reason && wish.provider.empty())
    return std::string("it ") + reason + "; HALOCLINE_PROVIDER selects it by name";
  if (is_link_local(ip)) return "its address is valid only together with an interface";
  if (!has_interface(info, wish)) {
    if (!wish.interface.empty()) return "HALOCLINE_INTERFACE is " + wish.interface;
    return is_loopback(ip) ? "it reaches no other host" : "all ranks are on this host: loopback reaches them";
  }
  if (!best || best == &info) return "";
  const std::string chosen = text(best->fabric_attr->prov_name);
  return chosen == provider ? interface_of(*best) + " is preferred" : chosen + " is faster, by libfabric's own order";
}

void add_offer(std::vector<Offer> &offers, Offer offer) {
  const auto is_same = [&](const Offer &one) { return one.provider == offer.provider && one.interface == offer.interface; };
  if (const auto known = std::find_if(offers.begin(), offers.end(), is_same); known == offers.end())
    offers.push_back(std::move(offer));
  else if (offer.refusal.empty())
    known->refusal.clear();
}

/// Providers whose endpoints have not the capabilities that are needed.
void add_incapable(const Library &library, std::vector<Offer> &offers) {
  fi_info *all = nullptr;
  if (library.get_info(kInterface, nullptr, nullptr, 0, nullptr, &all) != 0) return;
  const Info owner(all, {&library});
  std::vector<Offer> incapable;
  for (const fi_info *info = all; info; info = info->next) {
    const std::string provider = text(info->fabric_attr->prov_name);
    const auto is_same = [&](const Offer &one) { return one.provider == provider; };
    if (std::none_of(offers.begin(), offers.end(), is_same))
      add_offer(incapable, {provider, "", "it has no reliable datagrams with remote writes (FI_EP_RDM, FI_RMA, FI_MSG)"});
  }
  offers.insert(offers.end(), incapable.begin(), incapable.end());
}

}  // namespace

/// Those whose writes carry immediate data are preferred.
Status choose(const Library &library, const Wish &asked, const Choice *agreed, Info &chosen) {
  int code = 0;
  Info first;
  for (const Immediate immediate : {Immediate::some, Immediate::none}) {
    Info all = ask(library, immediate, &code);
    const Wish wish = with_whole_name(asked, all.get());
    if (const std::vector<const fi_info *> fitting = find_fitting(all.get(), wish, agreed); !fitting.empty()) {
      chosen = Info(library.dup_info(find_best(fitting, agreed)), {&library});
      if (!chosen) return fail(Status::memory, "out of memory for libfabric's providers");
      return traits_of(*chosen, agreed ? agreed->fake : Fake::no).announces ? add_tagged(library, chosen) : Status::ok;
    }
    if (!first) first = std::move(all);
  }
  if (first) return nothing_fits(library, with_whole_name(asked, first.get()), agreed, first.get());
  return fail(Status::unsupported, "%s has no provider that can write to other nodes: %s", library.name().c_str(), library.text_of(-code));
}

Choice choice_of(const fi_info &info) {
  Choice choice;
  std::snprintf(choice.provider, sizeof choice.provider, "%s", text(info.fabric_attr->prov_name));
  std::snprintf(choice.network, sizeof choice.network, "%s", text(info.fabric_attr->name));
  choice.address_format = info.addr_format;
  return choice;
}

std::string describe(const fi_info &info) { return std::string(text(info.fabric_attr->prov_name)) + " on " + interface_of(info); }

Status survey(const Wish &asked, Survey *found) {
  const Library *library = nullptr;
  HLC_TRY(find_library(asked, &library));
  found->library = library->name();
  bool is_found = false;
  for (const Immediate immediate : {Immediate::some, Immediate::none}) {
    int code = 0;
    const Info all = ask(*library, immediate, &code);
    const Wish wish = with_whole_name(asked, all.get());
    const std::vector<const fi_info *> fitting = find_fitting(all.get(), wish, nullptr);
    const fi_info *best = fitting.empty() ? nullptr : find_best(fitting, nullptr);
    for (const fi_info *info = all.get(); info && !is_found; info = info->next)
      add_offer(found->offers, {text(info->fabric_attr->prov_name), interface_of(*info), refusal_of(*info, wish, best)});
    is_found = is_found || best;
  }
  add_incapable(*library, found->offers);
  return Status::ok;
}

}  // namespace halocline::core::transport::ofi
