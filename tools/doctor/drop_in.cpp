// SPDX-License-Identifier: BSD-3-Clause
#include "drop_in.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "probe.hpp"
#include "runner.hpp"

namespace doctor {
namespace {

namespace fs = std::filesystem;

/// Where it is installed, or has been built. A distribution has the name without a version in the package for those who compile.
std::string find_library() {
  const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path();
  for (const char *folder : {HALOCLINE_TO_LIBRARIES, "../lib"})
    for (const char *name : {"libhalocline_mpi.so", "libhalocline_mpi.so." HALOCLINE_SOVERSION})
      if (const fs::path path = (programs / folder / name).lexically_normal(); fs::exists(path)) return path;
  return "";
}

Options with_drop_in(const Options &options) {
  Options second = options;
  second.preload = options.drop_in.empty() ? find_library() : fs::absolute(options.drop_in).string();
  return second;
}

bool chooses_any(const Options &options) {
  return std::any_of(all_probes().begin(), all_probes().end(), [&](const Probe &probe) { return options.chooses(probe.name); });
}

}  // namespace

DropInReport try_drop_in(const Options &options, const LaunchCommand &launch, int ranks) {
  const Options second = with_drop_in(options);
  if (options.no_drop_in || second.preload.empty() || !chooses_any(second)) return {};
  DropInReport report{second.preload, "", "", 0, {}};
  if (!fs::exists(report.library)) return report.trouble = "no such file", report;
  if (report.library.find_first_of(" :") != std::string::npos)
    return report.trouble = "LD_PRELOAD cannot name it: a space or a colon separates its files; --drop-in names it by a link", report;
  const auto began = std::chrono::steady_clock::now();
  try {
    Ran ran = run_batches(second, launch, ranks);
    report.results = std::move(ran.results);
    report.windows = std::move(ran.windows);
  } catch (const LaunchFailed &failure) {
    report.trouble = failure.what();
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return report;
}

}  // namespace doctor
