// SPDX-License-Identifier: BSD-3-Clause
#include "topology.hpp"

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace info {
namespace {

namespace fs = std::filesystem;
using common::Json;

/// A rank's place. Plain bytes, to be sent as they are.
struct Place {
  hlc_context_info_t context;
  char host[128], cores[256];
};

/// The cores that this rank may run on, as "0-3,8".
std::string allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return "";
  std::string text;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &set)) continue;
    int last = core;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(core) + (last > core ? "-" + std::to_string(last) : "");
    core = last;
  }
  return text;
}

std::vector<Place> gather_places(const hlc_context_info_t &context) {
  Place mine{context, "", ""};
  gethostname(mine.host, sizeof mine.host - 1);
  std::snprintf(mine.cores, sizeof mine.cores, "%s", allowed_cores().c_str());
  std::vector<Place> all(static_cast<std::size_t>(context.size));
  MPI_Gather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
  return all;
}

/// Counts the entries of a folder that begin with `prefix` and go on with a digit.
int count_numbered(const fs::path &folder, const std::string &prefix) {
  int count = 0;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (name.size() > prefix.size() && name.rfind(prefix, 0) == 0 && name[prefix.size()] >= '0' && name[prefix.size()] <= '9') ++count;
  }
  return count;
}

int sockets() {
  std::set<std::string> packages;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator("/sys/devices/system/cpu", error)) {
    std::ifstream file(entry.path() / "topology" / "physical_package_id");
    if (std::string id; file >> id) packages.insert(id);
  }
  return static_cast<int>(packages.size());
}

/// A number that the system does not tell is null.
Json known(int count) { return count > 0 ? Json(count) : Json(); }

}  // namespace

Json topology(const hlc_context_info_t &context) {
  const std::vector<Place> places = gather_places(context);
  Json ranks = Json::array();
  for (const Place &place : places)
    ranks.push_back({{"rank", place.context.rank},
                     {"host", place.host},
                     {"node", place.context.node},
                     {"node_rank", place.context.node_rank},
                     {"cores", place.cores}});
  return {{"ranks", context.size},
          {"nodes", context.nodes},
          {"cores_of_node", context.cores},
          {"sockets", known(sockets())},
          {"numa_domains", known(count_numbered("/sys/devices/system/node", "node"))},
          {"places", ranks}};
}

}  // namespace info
