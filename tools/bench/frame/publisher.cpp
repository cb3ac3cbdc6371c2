// SPDX-License-Identifier: BSD-3-Clause
#include "bench/frame/publisher.hpp"

#include "bench/frame/refusal.hpp"

namespace bench {

Publisher::Publisher(const CommonOptions &options) : options_(options) {
  if (options.json.empty()) return;
  const std::string why = broadcast(rank_of(MPI_COMM_WORLD) == 0 ? why_not_writable(options.json) : "", 0, MPI_COMM_WORLD);
  if (!why.empty()) throw Refusal("can't write " + options.json + ": " + why + "; give --json another file");
}

std::string Publisher::write() const {
  if (documents_.empty() || options_.json.empty()) return "";
  const Json &first = documents_.front();
  try {
    write_file(documents_.size() == 1 ? first : Json{{"schema", first.at("schema")}, {"runs", documents_}}, options_.json);
  } catch (const std::exception &error) {
    return error.what();
  }
  if (options_.format == Format::table) std::printf("written: %s\n", options_.json.c_str());
  return "";
}

}  // namespace bench
