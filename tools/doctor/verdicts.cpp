// SPDX-License-Identifier: BSD-3-Clause
#include "verdicts.hpp"

#include <nlohmann/json.hpp>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace doctor {
namespace {

/// FNV-1a, 64 bits.
std::uint64_t hash_of(const std::string &text) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return hash;
}

std::string cache_folder() {
  const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  if (cache && *cache) return std::string(cache) + "/halocline";
  return home && *home ? std::string(home) + "/.cache/halocline" : "";
}

}  // namespace

std::string report_path(const std::string &mpi_version, const std::string &host) {
  const std::string folder = cache_folder();
  if (folder.empty()) return "";
  char name[48];
  std::snprintf(name, sizeof name, "/doctor-%016" PRIx64 ".json", hash_of(mpi_version + "\n" + host));
  return folder + name;
}

std::optional<ModeVerdicts> read_verdicts(const std::string &path, const std::string &mpi_version) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  try {
    const auto report = nlohmann::json::parse(file);
    if (report.at("doctor") != 1 || report.at("mpi") != mpi_version) return std::nullopt;
    ModeVerdicts verdicts;
    for (const auto &[mode, verdict] : report.at("modes").items()) verdicts[mode] = {verdict.at("verdict"), verdict.value("reason", "")};
    return verdicts;
  } catch (const nlohmann::json::exception &) {
    return std::nullopt;
  }
}

}  // namespace doctor
