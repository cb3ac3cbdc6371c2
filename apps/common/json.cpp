// SPDX-License-Identifier: BSD-3-Clause
#include "json.hpp"

#include <fstream>
#include <stdexcept>

namespace common {

Json environment_of(const Environment &e) {
  return {{"host", e.host},
          {"cpu", e.cpu},
          {"cores", e.context.cores},
          {"kernel", e.kernel},
          {"mpi", e.mpi},
          {"compiler", e.compiler},
          {"flags", e.flags},
          {"halocline", e.version},
          {"revision", e.revision},
          {"date", e.date},
          {"arguments", e.arguments},
          {"ranks", e.context.size},
          {"nodes", e.context.nodes},
          {"ranks_per_node", e.context.node_size},
          {"oversubscribed", e.oversubscribed()}};
}

void write_file(const Json &json, const std::string &path) {
  std::ofstream file(path);
  file << json.dump(2) << "\n";
  file.close();
  if (!file) throw std::runtime_error("can't write " + path);
}

}  // namespace common
