// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <nlohmann/json.hpp>

#include <sys/utsname.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <stdexcept>

namespace ghost {
namespace {

std::string printed(const char *format, ...) __attribute__((format(printf, 1, 2)));
std::string printed(const char *format, ...) {
  char text[400];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n == 0 ? 0 : (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/// One number of each sample, turned into a rate by what was done in that time.
std::vector<double> rates(const Result &result, double Sample::*part, double work) {
  std::vector<double> found;
  for (const Sample &sample : result.samples) found.push_back(sample.*part > 0 ? work / (sample.*part) : 0);
  return found;
}

/// Cells times variables times steps of a rank, on average, in millions.
double mega_elements(const Grid &grid, const Options &options) {
  return static_cast<double>(volume(grid.global)) / grid.info.size * options.variables * options.steps / 1e6;
}

/// 6 N^2 x 8 bytes for each exchange, N^3 being the cells of this block, in millions: figure 14 takes it for all variants.
double mega_bytes(const Grid &grid, const Options &options) {
  const Index &n = grid.cells;
  return 2.0 * static_cast<double>(n[0] * n[1] + n[1] * n[2] + n[0] * n[2]) * 8 * options.variables * options.steps / 1e6;
}

std::string spread(const std::vector<double> &values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return printed("%9.2f (%.2f - %.2f)", median(values), *least, *most);
}

std::vector<double> column(const std::vector<Limits> &limits, double Limits::*part) {
  std::vector<double> values;
  for (const Limits &limit : limits) values.push_back(limit.*part);
  return values;
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text, static_cast<std::size_t>(length));
  return all.substr(0, all.find('\n'));
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

nlohmann::json environment(const Report &report, const Grid &grid) {
  utsname system{};
  uname(&system);
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return {{"cpu", processor()},
          {"kernel", system.release},
          {"mpi", mpi_library()},
          {"date", date},
          {"ranks", grid.info.size},
          {"nodes", grid.info.nodes},
          {"cores", grid.info.cores},
          {"node_ranks", grid.info.node_size},
          {"arguments", report.arguments},
          {"version", hlc_version()}};
}

nlohmann::json samples(const Result &result) {
  nlohmann::json list = nlohmann::json::array();
  for (const Sample &s : result.samples)
    list.push_back({{"total_s", s.total}, {"computation_s", s.computation}, {"communication_s", s.communication}});
  return list;
}

}  // namespace

std::string table_of(const Report &report, const Grid &grid, const Options &options) {
  if (options.repeats == 0) return "";
  std::string text = printed("%-32s %-30s %-30s %-30s\n", "variant", "all, Melements/s", "computation, Melements/s", "exchanges, MB/s");
  const double elements = mega_elements(grid, options), bytes = mega_bytes(grid, options);
  for (const Result &result : report.variants)
    text += printed("%-32s %-30s %-30s %-30s\n", result.name.c_str(), spread(rates(result, &Sample::total, elements)).c_str(),
                    spread(rates(result, &Sample::computation, elements)).c_str(),
                    spread(rates(result, &Sample::communication, bytes)).c_str());
  const double faces = median(column(report.limits, &Limits::faces_s)), turn = median(column(report.limits, &Limits::handover_s));
  const double once = static_cast<double>(options.variables) * options.steps;
  text += printed("%-32s %-30s %9.2f %20s %9.2f\n", "(a plain copy)", "", elements / once / median(column(report.limits, &Limits::cells_s)),
                  "", bytes / once / (faces + turn));
  return text + printed(
                    "The last line: all cells copied once; the bytes of all faces copied out of a neighbour's memory, and one cache line "
                    "handed over "
                    "(%.2f us).\n",
                    turn * 1e6);
}

void write_json(const Report &report, const Grid &grid, const Options &options) {
  nlohmann::json variants = nlohmann::json::object(), limits = nlohmann::json::array();
  nlohmann::json order = nlohmann::json::array();
  for (const Result &result : report.variants) {
    order.push_back(result.name);
    variants[result.name] = {{"fingerprint", printed("%016llx", static_cast<unsigned long long>(result.fingerprint))},
                             {"samples", samples(result)}};
  }
  for (const Limits &limit : report.limits)
    limits.push_back({{"cells_s", limit.cells_s}, {"faces_s", limit.faces_s}, {"handover_s", limit.handover_s}});
  const nlohmann::json problem = {{"global", grid.global},          {"local", grid.cells},        {"ranks", grid.ranks},
                                  {"variables", options.variables}, {"stencil", options.stencil}, {"periodic", options.periodic},
                                  {"steps", options.steps},         {"skew", options.skew}};
  const nlohmann::json all = {
      {"problem", problem}, {"environment", environment(report, grid)}, {"order", order}, {"variants", variants}, {"limits", limits}};
  std::ofstream file(options.json);
  file << all.dump(1) << "\n";
  if (!file.flush()) throw std::runtime_error("cannot write " + options.json);
}

}  // namespace ghost
