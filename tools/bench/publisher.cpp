// SPDX-License-Identifier: BSD-3-Clause
#include "publisher.hpp"

namespace bench {

void Publisher::write() const {
  if (documents_.empty() || options_.json.empty()) return;
  const Json &first = documents_.front();
  write_file(documents_.size() == 1 ? first : Json{{"schema", first.at("schema")}, {"runs", documents_}}, options_.json);
  if (options_.format == Format::table) std::printf("written: %s\n", options_.json.c_str());
}

}  // namespace bench
