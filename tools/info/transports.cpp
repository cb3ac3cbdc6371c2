// SPDX-License-Identifier: BSD-3-Clause
#include "transports.hpp"

#include "base/environment.hpp"
#include "transport/shm/xpmem.hpp"
#include "transport/survey.hpp"

#include <common/comm.hpp>

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace info {
namespace {

namespace core = halocline::core;
using common::Json;

/// What carries data, and for whom. An empty refusal: it can be used.
Json entry(const char *name, const char *reach, const std::string &refusal) {
  return {{"name", name}, {"reach", reach}, {"used", refusal.empty()}, {"refusal", refusal.empty() ? Json() : Json(refusal)}};
}

/// Why this rank cannot read the memory of the first rank of its machine; empty if it can, or is that rank itself.
std::string trouble_of_kernel_copy(MPI_Comm machine) {
  struct Source {
    long process;
    void *word;
  };
  static long word = 0x5EA;
  Source source{getpid(), &word};
  MPI_Bcast(&source, sizeof source, MPI_BYTE, 0, machine);
  long copy = 0;
  iovec here{&copy, sizeof copy}, there{source.word, sizeof copy};
  const ssize_t copied = process_vm_readv(static_cast<pid_t>(source.process), &here, 1, &there, 1, 0);
  const std::string trouble = copied == sizeof copy ? "" : std::strerror(errno);
  MPI_Barrier(machine);
  return trouble;
}

Json kernel_copy() {
  const common::Comm machine = common::machine_of(MPI_COMM_WORLD);
  const std::string mine = trouble_of_kernel_copy(machine);
  const auto first = common::first_said(mine.empty() ? std::optional<std::string>() : mine, MPI_COMM_WORLD);
  return entry("cross-memory attach", "other ranks of the node: arrays of the program's own", first.value_or(""));
}

std::string trouble_of_xpmem() {
  if (std::strcmp(core::environment("XPMEM"), "none") == 0) return "HALOCLINE_XPMEM is none";
  if (const char *trouble = core::transport::shm::xpmem_trouble(); *trouble) return trouble;
  if (access("/dev/xpmem", R_OK | W_OK) != 0 && !*core::environment("XPMEM"))
    return std::string("/dev/xpmem: ") + std::strerror(errno) + " (kernel module XPMEM)";
  static std::array<char, 4096> memory;
  const core::transport::shm::Exposed exposed(memory.data(), static_cast<std::int64_t>(memory.size()));
  return exposed.address().segment < 0 ? "XPMEM exposes no memory" : "";
}

/// One host as the engine sees it: emulated nodes are on one, too.
bool is_one_host() {
  const common::Comm machine = common::machine_of(MPI_COMM_WORLD);
  return common::size_of(machine) == common::size_of(MPI_COMM_WORLD);
}

/// The providers of rank 0's host.
Json network(bool one_host) {
  core::transport::Wish wish;
  wish.network = core::environment("NETWORK");
  wish.provider = core::environment("PROVIDER");
  wish.interface = core::environment("INTERFACE");
  wish.only_library = core::environment("LIBFABRIC");
  wish.one_host = one_host;
  core::transport::Survey found;
  if (wish.provider == "none") return {{"library", nullptr}, {"refusal", "HALOCLINE_PROVIDER is none"}, {"providers", Json::array()}};
  if (core::transport::survey(wish, &found) != core::Status::ok)
    return {{"library", nullptr}, {"refusal", core::error_message()}, {"providers", Json::array()}};
  Json providers = Json::array();
  for (const auto &[provider, interface, refusal] : found.offers) {
    Json one = entry(provider.c_str(), "other nodes", refusal);
    one["interface"] = interface;
    providers.push_back(one);
  }
  return {{"library", found.library}, {"refusal", nullptr}, {"providers", providers}};
}

/// Opens the network where there are several nodes, as the first segment does. Its line then says what carries data.
std::string line_of(const halocline::Context &context) {
  if (context.info().nodes == 1) return "not needed: all ranks are on one node";
  try {
    const halocline::Segment segment(context, 64);
    return context.network();
  } catch (const halocline::Error &error) {
    return error.what();
  }
}

/// The lines of all ranks, each with its ranks: of several devices a rank uses the nearest to its cores. Complete on rank 0.
Json ranks_by_line(const std::string &mine) {
  using Line = std::array<char, 512>;
  Line line{};
  std::snprintf(line.data(), line.size(), "%s", mine.c_str());
  std::vector<Line> lines(static_cast<std::size_t>(common::size_of(MPI_COMM_WORLD)));
  MPI_Gather(line.data(), sizeof line, MPI_BYTE, lines.data(), sizeof line, MPI_BYTE, 0, MPI_COMM_WORLD);
  Json found = Json::array();
  for (std::size_t rank = 0; rank < lines.size(); ++rank) {
    const std::string text = lines[rank].data();
    std::size_t known = 0;
    while (known < found.size() && found[known]["line"] != text) ++known;
    if (known == found.size()) found.push_back({{"line", text}, {"ranks", Json::array()}});
    found[known]["ranks"].push_back(rank);
  }
  return found;
}

}  // namespace

Json transports(const halocline::Context &context) {
  const bool one_host = is_one_host();
  const Json node = {entry("shared memory", "other ranks of the node", ""), kernel_copy(),
                     entry("XPMEM", "other ranks of the node: arrays of the program's own", trouble_of_xpmem())};
  const std::string line = line_of(context);
  return {{"node", node}, {"between_nodes", line}, {"between_nodes_by_rank", ranks_by_line(line)}, {"network", network(one_host)}};
}

}  // namespace info
