// The report as JSON.
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "probe.hpp"
#include "report.hpp"

namespace doctor {
namespace {

using Json = nlohmann::ordered_json;

std::string calls_of(const std::string &name) {
  for (const Probe &probe : all_probes())
    if (probe.name == name) return probe.calls;
  return "";
}

Json json_of(const Result &result) {
  Json findings = Json::array();
  for (const Finding &f : result.findings)
    findings.push_back({{"outcome", name_of(f.outcome)}, {"rank", f.rank}, {"operation", f.operation}, {"text", f.text}});
  return {{"name", result.probe},
          {"calls", calls_of(result.probe)},
          {"outcome", name_of(result.outcome == Outcome::fact ? Outcome::right : result.outcome)},
          {"seconds", result.seconds},
          {"findings", findings}};
}

Json json_of(const ModeVerdicts &modes) {
  Json all = Json::object();
  for (const std::string &name : mode_names()) {
    const ModeVerdict &verdict = modes.at(name);
    all[name] = {{"verdict", verdict.word}};
    if (!verdict.reason.empty()) all[name]["reason"] = verdict.reason;
  }
  return all;
}

Json json_of(const DropInReport &drop_in) {
  Json probes = Json::array();
  for (const Result &result : drop_in.results) probes.push_back(json_of(result));
  return {{"library", drop_in.library},
          {"trouble", drop_in.trouble},
          {"windows", drop_in.windows},
          {"seconds", drop_in.seconds},
          {"probes", probes}};
}

/// A file is replaced as a whole: who reads it meanwhile finds the old one or the new one. A link, a pipe or a device is written as it is.
std::string first_written(const std::string &path) {
  std::error_code none;
  const std::filesystem::file_status there = std::filesystem::symlink_status(path, none);
  const bool is_replaced = !std::filesystem::exists(there) || std::filesystem::is_regular_file(there);
  return is_replaced ? path + "." + std::to_string(getpid()) : path;
}

}  // namespace

void write_json(const Report &report, const std::string &path) {
  Json probes = Json::array();
  for (const Result &result : report.results) probes.push_back(json_of(result));
  Json all{{"doctor", 1},
           {"mpi", report.mpi},
           {"host", report.host},
           {"ranks", report.ranks},
           {"date", report.date},
           {"launch", report.launch},
           {"complete", report.complete},
           {"seconds", report.seconds},
           {"modes", json_of(report.modes)},
           {"probes", probes}};
  if (!report.drop_in.library.empty()) all["drop_in"] = json_of(report.drop_in);
  const std::string part = first_written(path);
  std::ofstream file(part);
  file << all.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  file.close();
  std::error_code error, ignored;
  if (file && part != path) std::filesystem::rename(part, path, error);
  if (file && !error) return;
  if (part != path) std::filesystem::remove(part, ignored);
  throw std::runtime_error("can't write " + path);
}

}  // namespace doctor
