// halocline-info: prints what the library finds here, as one JSON object. Run it under the launcher, with the ranks that a program will have.
// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"
#include "mpi_facts.hpp"
#include "topology.hpp"
#include "transports.hpp"
#include "variables.hpp"

#include <common/comm.hpp>
#include <common/parse.hpp>

#include <halocline/model.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace {

using common::Json;

constexpr const char *kDescription =
    "Prints what the library finds here, as one JSON object: library and build, the MPI, transports and why each was refused, topology, "
    "machine card, environment variables. `halocline info` shows the same as text.\n\n  mpiexec -n 2 halocline-info";

Json library(const common::Environment &environment) {
  std::error_code error;
  return {{"version", environment.version},
          {"revision", environment.revision},
          {"compiler", environment.compiler},
          {"flags", environment.flags},
          {"program", std::filesystem::read_symlink("/proc/self/exe", error).string()}};
}

Json machine(const common::Environment &environment) {
  return {{"host", environment.host}, {"cpu", environment.cpu}, {"kernel", environment.kernel}, {"date", environment.date}};
}

/// The machine card that predictions are taken from here, and where one of this host and MPI is kept.
Json card() {
  hlc_model *model = nullptr;
  if (hlc_model_open(nullptr, &model) != HLC_OK) return {{"source", nullptr}, {"kept_at", hlc_model_path()}};
  const std::string source = hlc_model_source(model);
  hlc_model_close(&model);
  return {{"source", source}, {"kept_at", hlc_model_path()}};
}

Json modes() {
  Json names = Json::array();
  for (int mode = HLC_MODE_DEFAULT + 1; std::string(hlc_mode_name(static_cast<hlc_mode>(mode))) != "unknown"; ++mode)
    names.push_back(hlc_mode_name(static_cast<hlc_mode>(mode)));
  return names;
}

void write(const Json &all, const std::string &file) {
  if (common::rank_of(MPI_COMM_WORLD) != 0) return;
  if (file.empty())
    std::printf("%s\n", all.dump(2).c_str());
  else
    common::write_file(all, file);
}

int run(int argc, char **argv) {
  CLI::App app(kDescription, "halocline-info");
  std::string file;
  app.set_version_flag("--version", std::string("halocline-info ") + hlc_version());
  app.add_option("--json", file, "Write it to this file, and print nothing");
  if (const auto answer = common::parse(app, argc, argv)) return common::say(*answer);
  const halocline::Context context(MPI_COMM_WORLD);
  const common::Environment environment = common::find_environment(context, argc, argv);
  const info::Held before = info::held();
  const Json transports = info::transports(context);
  const Json memory = info::memory(context.info(), before, info::held());
  write({{"schema", "halocline-info/1"},
         {"library", library(environment)},
         {"machine", machine(environment)},
         {"mpi", info::mpi_facts()},
         {"topology", info::topology(context.info())},
         {"transports", transports},
         {"memory", memory},
         {"card", card()},
         {"modes", modes()},
         {"variables", info::variables()}},
        file);
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  return common::run_program("halocline-info", [&] { return run(argc, argv); }, true);
}
