// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shmem/shmem.hpp"

#include "bench/frame/refusal.hpp"
#include "bench/shmem/operations.hpp"

#include <optional>

namespace bench {

namespace {

std::vector<Operation> operations_of(ShmemStage &stage, halocline::Segment &segment, const std::string &part, const ShmemOptions &options) {
  if (part == "put") return shmem_puts(stage, options.sizes);
  if (part == "get") return shmem_gets(stage, options.sizes);
  if (part == "atomics") return shmem_atomics(stage);
  if (part == "signal") return shmem_signals(stage, segment, options.sizes);
  return shmem_collectives(stage, options.sizes);
}

/// What is aimed at: 8 bytes on a node within 1.3 of instructions, a signal within 1.2 of a notified put, collective calls as fast as the host's.
std::optional<double> aim_of(const Operation &operation, const std::string &beside) {
  if (beside == kLimitBackend && operation.bytes == 8 && operation.name != "get") return 1.3;
  if (beside == kNotifiedPut) return 1.2;
  if (beside == kHostMpi) return 1.0;
  return std::nullopt;
}

void add_aim(const Operation &operation, const std::vector<std::vector<double>> &samples, std::vector<ShmemAim> &aims) {
  for (std::size_t k = 1; k < samples.size(); ++k) {
    const std::string &beside = operation.backends[k].by;
    const std::optional<double> aim = aim_of(operation, beside);
    if (!aim) continue;
    ShmemAim one{operation.name, operation.bytes, operation.backends[0].by, beside, {}, *aim};
    for (std::size_t round = 0; round < samples[k].size(); ++round) one.ratio.samples.push_back(samples[0][round] / samples[k][round]);
    one.ratio.conclude();
    aims.push_back(one);
  }
}

/// Many of these operations take nanoseconds.
Results in_readable_units(Results results) {
  for (ResultRow &row : results.rows) {
    if (spread_of(row.samples).median >= 1) continue;
    for (double &sample : row.samples) sample *= 1e3;
    row.limit *= 1e3;
    row.unit = "ns";
  }
  return results;
}

bool is_reached(const ShmemAim &aim) { return aim.ratio.median <= aim.aim; }

}  // namespace

std::vector<std::string> shmem_parts() { return {"put", "get", "atomics", "signal", "collectives"}; }

std::string table_of(const ShmemReport &report) {
  std::vector<Cells> rows{{"operation", "bytes", "beside", "ratio", "spread", "aim", "verdict"}};
  for (const ShmemAim &aim : report.aims)
    rows.push_back({aim.operation, std::to_string(aim.bytes), aim.beside, number(aim.ratio.median, 2),
                    number(aim.ratio.p10, 2) + " - " + number(aim.ratio.p90, 2), number(aim.aim, 1),
                    is_reached(aim) ? "reached" : "missed"});
  return table_of(in_readable_units(report.results)) +
         "\nTimes of halocline divided by others of the same round (below 1: faster), and the aims:\n" + drawn(rows);
}

Document document_of(const ShmemReport &report) {
  Json aims = Json::array();
  for (const ShmemAim &aim : report.aims)
    aims.push_back({{"operation", aim.operation},
                    {"bytes", aim.bytes},
                    {"by", aim.by},
                    {"beside", aim.beside},
                    {"aim", aim.aim},
                    {"reached", is_reached(aim)},
                    {"ratio", json_of(aim.ratio, "")}});
  return {report.results, {{"aims", aims}}};
}

ShmemReport run_shmem(MPI_Comm comm, const ShmemOptions &options, int argc, char **argv) {
  if (size_of(comm) < 2) throw Refusal("the command shmem is for 2 ranks or more");
  const halocline::Context context(comm);
  std::mt19937_64 random(options.seed);
  ShmemReport report{{"shmem", find_environment(context, argc, argv), {}}, {}};
  halocline::Segment segment(context, ShmemStage::kBytes, 1);
  ShmemStage stage(comm);
  for (const std::string &part : options.parts)
    for (const Operation &operation : operations_of(stage, segment, part, options)) {
      const auto samples = race(operation, options, random);
      add_aim(operation, samples, report.aims);
      for (ResultRow &row : rows_of(operation, samples)) report.results.rows.push_back(std::move(row));
    }
  return report;
}

}  // namespace bench
