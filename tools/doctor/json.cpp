// The report as JSON.
// SPDX-License-Identifier: BSD-3-Clause
#include <common/replace_file.hpp>
#include <nlohmann/json.hpp>

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
  common::replace_file(path, [&](const std::string &name) {
    std::ofstream file(name);
    file << all.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
    file.close();
    if (!file) throw std::runtime_error("can't write " + path);
  });
}

}  // namespace doctor
