// SPDX-License-Identifier: BSD-3-Clause
#include "bench/latency/pair_report.hpp"

#include "bench/frame/json.hpp"

#include <stdexcept>

namespace bench {

namespace {

/// The timing of a carrier by the beginning of its name, the faster if there are several; NULL if there is none.
const Timing *find(const std::vector<Timing> &timings, const std::string &name) {
  const Timing *best = nullptr;
  for (const Timing &timing : timings)
    if (timing.name.rfind(name, 0) == 0 && (!best || timing.median_us < best->median_us)) best = &timing;
  return best;
}

const Timing &get(const std::vector<Timing> &timings, const std::string &name) {
  const Timing *timing = find(timings, name);
  if (!timing) throw std::runtime_error("nothing was measured of " + name);
  return *timing;
}

double ratio(double a, double b) { return b > 0 ? a / b : 0; }
double gb_per_s(const Timing &timing, std::int64_t bytes) { return ratio(static_cast<double>(bytes) * 1e-3, timing.median_us); }
double per_s(const Timing &timing) { return ratio(1e6, timing.median_us); }

// ---- table

std::string spread(const Timing &timing) { return significant(timing.p10_us) + " - " + significant(timing.p90_us); }

/// "limit" is shared memory, which only the ranks of one node have.
bool has_limit(const PairReport &r) { return find(r.rows.front().half_round_trip, "shared memory") != nullptr; }

std::string latencies(const PairReport &r) {
  std::vector<Cells> rows{{"bytes", "put_notify us", "spread", "raw TCP", "MPI", "to raw TCP", "to MPI"}};
  if (has_limit(r)) rows.front().insert(rows.front().end(), {"limit", "to limit"});
  if (find(r.rows.front().half_round_trip, "GASPI")) rows.front().push_back("GASPI us");
  for (const PairRow &row : r.rows) {
    const Timing &put = get(row.half_round_trip, "put"), &tcp = get(row.half_round_trip, "raw TCP"), &mpi = get(row.half_round_trip, "MPI");
    rows.push_back({std::to_string(row.bytes), significant(put.median_us), spread(put), significant(tcp.median_us),
                    significant(mpi.median_us), number(ratio(put.median_us, tcp.median_us), 2),
                    number(ratio(put.median_us, mpi.median_us), 2)});
    if (const Timing *limit = find(row.half_round_trip, "shared memory"))
      rows.back().insert(rows.back().end(), {significant(limit->median_us), number(ratio(put.median_us, limit->median_us), 2)});
    if (const Timing *gaspi = find(row.half_round_trip, "GASPI")) rows.back().push_back(significant(gaspi->median_us));
  }
  return "Half a round trip, microseconds; a ratio below 1: the put is faster\n" + drawn(rows);
}

std::string streams(const PairReport &r) {
  std::vector<Cells> rows{{"bytes", "put GB/s", "raw TCP", "MPI", "to raw TCP", "to MPI", "puts/s", "MPI/s"}};
  if (has_limit(r)) rows.front().insert(rows.front().end(), {"limit GB/s", "to limit"});
  for (const PairRow &row : r.rows) {
    const Timing &put = get(row.stream, "put"), &tcp = get(row.stream, "raw TCP"), &mpi = get(row.stream, "MPI");
    rows.push_back({std::to_string(row.bytes), number(gb_per_s(put, row.bytes), 3), number(gb_per_s(tcp, row.bytes), 3),
                    number(gb_per_s(mpi, row.bytes), 3), number(ratio(tcp.median_us, put.median_us), 2),
                    number(ratio(mpi.median_us, put.median_us), 2), significant(per_s(put)), significant(per_s(mpi))});
    if (const Timing *limit = find(row.stream, "shared memory"))
      rows.back().insert(rows.back().end(), {number(gb_per_s(*limit, row.bytes), 3), number(ratio(limit->median_us, put.median_us), 2)});
  }
  return "Streams from rank 0 to rank 1; a ratio above 1: the put is faster\n" + drawn(rows);
}

std::string title(const PairReport &r) {
  const hlc_context_info_t &context = r.environment.context;
  std::string text = title_of(r.benchmark == "notify" ? "Notified put" : "Bandwidth and message rate of puts", r.environment);
  text += (context.nodes == 1 ? std::string("puts in shared memory") : "network: " + r.network) + "; raw TCP: " + r.raw_tcp + "\n";
  if (r.one_host && context.nodes > 1)
    text += "Both ranks run on one host: MPI carries its messages in shared memory, not over the network.\n";
  if (r.environment.oversubscribed()) text += "The ranks share a core: all times hold their waiting for it.\n";
  return text;
}

// ---- JSON

Json spread_of(const std::vector<Timing> &timings) {
  Json all = Json::object();
  for (const Timing &timing : timings)
    all[timing.name] = {
        {"median_us", timing.median_us}, {"p10_us", timing.p10_us}, {"p90_us", timing.p90_us}, {"samples_us", timing.samples_us}};
  return all;
}

void add_streams(Json &json, const PairRow &row) {
  const Timing &put = get(row.stream, "put"), &tcp = get(row.stream, "raw TCP"), &mpi = get(row.stream, "MPI");
  json["put_gb_per_s"] = gb_per_s(put, row.bytes);
  json["raw_tcp_gb_per_s"] = gb_per_s(tcp, row.bytes);
  json["mpi_gb_per_s"] = gb_per_s(mpi, row.bytes);
  json["bandwidth_to_raw_tcp"] = ratio(tcp.median_us, put.median_us);
  json["bandwidth_to_mpi"] = ratio(mpi.median_us, put.median_us);
  json["put_messages_per_s"] = per_s(put);
  json["mpi_messages_per_s"] = per_s(mpi);
  if (const Timing *limit = find(row.stream, "shared memory")) json["limit_gb_per_s"] = gb_per_s(*limit, row.bytes);
  json["stream"] = spread_of(row.stream);
}

Json size_of(const PairRow &row) {
  const Timing &put = get(row.half_round_trip, "put"), &tcp = get(row.half_round_trip, "raw TCP"), &mpi = get(row.half_round_trip, "MPI");
  Json json = {{"bytes", row.bytes},
               {"half_round_trip_us", put.median_us},
               {"raw_tcp_us", tcp.median_us},
               {"mpi_p2p_us", mpi.median_us},
               {"ratio_to_raw_tcp", ratio(put.median_us, tcp.median_us)},
               {"ratio_to_mpi", ratio(put.median_us, mpi.median_us)}};
  if (const Timing *limit = find(row.half_round_trip, "shared memory")) json["limit_us"] = limit->median_us;
  if (const Timing *gaspi = find(row.half_round_trip, "GASPI")) json["gaspi_us"] = gaspi->median_us;
  json["half_round_trip"] = spread_of(row.half_round_trip);
  if (!row.stream.empty()) add_streams(json, row);
  return json;
}

// ---- rows

std::string way_of(const Timing &timing) { return timing.name == "put" ? "engine" : timing.name == "MPI" ? "messages" : timing.name; }

void add_rows(const std::string &operation, const PairRow &row, const std::vector<Timing> &timings, std::vector<ResultRow> &rows) {
  const Timing *limit = find(timings, "shared memory");
  for (const Timing &timing : timings)
    if (&timing != limit) rows.push_back({operation, way_of(timing), row.bytes, timing.samples_us, limit ? limit->median_us : 0});
}

}  // namespace

std::string table_of(const PairReport &report) {
  return title(report) + latencies(report) + (report.rows.front().stream.empty() ? "" : streams(report));
}

Document document_of(const PairReport &report) {
  Document document{{report.benchmark, report.environment, {}}, {}};
  Json sizes = Json::array();
  for (const PairRow &row : report.rows) {
    sizes.push_back(size_of(row));
    add_rows("half round trip", row, row.half_round_trip, document.results.rows);
    add_rows("stream", row, row.stream, document.results.rows);
  }
  document.details = {
      {"network", report.network}, {"raw_tcp", report.raw_tcp}, {"mpi_may_share_memory", report.one_host}, {"sizes", sizes}};
  return document;
}

}  // namespace bench
