// SPDX-License-Identifier: BSD-3-Clause
#include "model/verdicts.hpp"

#include "base/environment.hpp"
#include "base/log.hpp"
#include "model/json.hpp"

namespace halocline::core {
std::optional<Verdicts> Verdicts::parse(const std::string &text, const std::string &mpi_version, std::string &fault) {
  const auto json = read_json(text, fault);
  if (!json) return std::nullopt;
  const JsonValue *const modes = json->find("modes");
  if (json->number_at("doctor", 0) != 1 || !modes) {
    fault = "it is not a report of halocline-doctor";
    return std::nullopt;
  }
  if (json->text_at("mpi", "") != mpi_version) {
    fault = "it is for another MPI";
    return std::nullopt;
  }
  Verdicts found;
  found.examined_ = true;
  for (const JsonMember &mode : modes->members)
    found.modes_[mode.name] = {mode.value.text_at("verdict", "no verdict"), mode.value.text_at("reason", "")};
  return found;
}

Verdicts Verdicts::find(const std::string &kept, const std::string &mpi_version, bool reports) {
  const std::string asked = environment("DOCTOR"), path = asked.empty() ? kept : asked;
  Verdicts found;
  found.source_ = "no report of halocline-doctor";
  if (asked == "none" || path.empty()) return found;
  const auto text = text_of(path);
  if (!text && asked.empty()) return found;
  std::string fault = "it cannot be read";
  if (auto read = text ? parse(*text, mpi_version, fault) : std::nullopt) {
    read->source_ = path;
    return std::move(*read);
  }
  if (reports) report_once("doctor", "unusable", "the report of halocline-doctor %s cannot be used: %s", path.c_str(), fault.c_str());
  found.source_ = path + " cannot be used: " + fault;
  return found;
}

const ModeVerdict *Verdicts::of(const std::string &mode) const {
  const auto found = modes_.find(mode);
  return found == modes_.end() ? nullptr : &found->second;
}

}  // namespace halocline::core
