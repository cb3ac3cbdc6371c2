// SPDX-License-Identifier: BSD-3-Clause
#include "bench/latency/pair_report.hpp"

#include <stdexcept>

namespace bench {

namespace {

/// The timing of a carrier by the beginning of its name, the faster if there are several; NULL if there is none.
const Sampled *find(const std::vector<Sampled> &timings, const std::string &name) {
  const Sampled *best = nullptr;
  for (const Sampled &timing : timings)
    if (timing.name.rfind(name, 0) == 0 && (!best || timing.median < best->median)) best = &timing;
  return best;
}

const Sampled &get(const std::vector<Sampled> &timings, const std::string &name) {
  const Sampled *timing = find(timings, name);
  if (!timing) throw std::runtime_error("nothing was measured of " + name);
  return *timing;
}

double ratio(double a, double b) { return b > 0 ? a / b : 0; }
double gb_per_s(const Sampled &timing, std::int64_t bytes) { return ratio(static_cast<double>(bytes) * 1e-3, timing.median); }
double per_s(const Sampled &timing) { return ratio(1e6, timing.median); }

// ---- table

/// "limit" is shared memory, which only the ranks of one node have.
bool has_limit(const PairReport &r) { return find(r.rows.front().half_round_trip, "shared memory") != nullptr; }

std::string latencies(const PairReport &r) {
  std::vector<Cells> rows{{"bytes", "put_notify us", "spread", "raw TCP", "MPI", "to raw TCP", "to MPI"}};
  if (has_limit(r)) rows.front().insert(rows.front().end(), {"limit", "to limit"});
  if (find(r.rows.front().half_round_trip, "GASPI")) rows.front().push_back("GASPI us");
  for (const PairRow &row : r.rows) {
    const Sampled &put = get(row.half_round_trip, "put"), &tcp = get(row.half_round_trip, "raw TCP"),
                  &mpi = get(row.half_round_trip, "MPI");
    rows.push_back({std::to_string(row.bytes), significant(put.median), spread_of(put), significant(tcp.median), significant(mpi.median),
                    number(ratio(put.median, tcp.median), 2), number(ratio(put.median, mpi.median), 2)});
    if (const Sampled *limit = find(row.half_round_trip, "shared memory"))
      rows.back().insert(rows.back().end(), {significant(limit->median), number(ratio(put.median, limit->median), 2)});
    if (const Sampled *gaspi = find(row.half_round_trip, "GASPI")) rows.back().push_back(significant(gaspi->median));
  }
  return "Half a round trip, microseconds; a ratio below 1: the put is faster\n" + drawn(rows);
}

std::string streams(const PairReport &r) {
  std::vector<Cells> rows{{"bytes", "put GB/s", "raw TCP", "MPI", "to raw TCP", "to MPI", "puts/s", "MPI/s"}};
  if (has_limit(r)) rows.front().insert(rows.front().end(), {"limit GB/s", "to limit"});
  for (const PairRow &row : r.rows) {
    const Sampled &put = get(row.stream, "put"), &tcp = get(row.stream, "raw TCP"), &mpi = get(row.stream, "MPI");
    rows.push_back({std::to_string(row.bytes), number(gb_per_s(put, row.bytes), 3), number(gb_per_s(tcp, row.bytes), 3),
                    number(gb_per_s(mpi, row.bytes), 3), number(ratio(tcp.median, put.median), 2), number(ratio(mpi.median, put.median), 2),
                    significant(per_s(put)), significant(per_s(mpi))});
    if (const Sampled *limit = find(row.stream, "shared memory"))
      rows.back().insert(rows.back().end(), {number(gb_per_s(*limit, row.bytes), 3), number(ratio(limit->median, put.median), 2)});
  }
  return "Streams from rank 0 to rank 1; a ratio above 1: the put is faster\n" + drawn(rows);
}

std::string title(const PairReport &r) {
  const hlc_context_info_t &context = r.environment.context;
  std::string text = head_of(r.benchmark == "notify" ? "Notified put" : "Bandwidth and message rate of puts", r.environment);
  text += (context.nodes == 1 ? std::string("puts in shared memory") : "network: " + r.network) + "; raw TCP: " + r.raw_tcp + "\n";
  if (r.one_host && context.nodes > 1)
    text += "Both ranks run on one host: MPI carries its messages in shared memory, not over the network.\n";
  return text;
}

// ---- JSON

Json json_of(const std::vector<Sampled> &timings) {
  Json all = Json::object();
  for (const Sampled &timing : timings) all[timing.name] = json_of(timing);
  return all;
}

void add_streams(Json &json, const PairRow &row) {
  const Sampled &put = get(row.stream, "put"), &tcp = get(row.stream, "raw TCP"), &mpi = get(row.stream, "MPI");
  json["put_gb_per_s"] = gb_per_s(put, row.bytes);
  json["raw_tcp_gb_per_s"] = gb_per_s(tcp, row.bytes);
  json["mpi_gb_per_s"] = gb_per_s(mpi, row.bytes);
  json["bandwidth_to_raw_tcp"] = ratio(tcp.median, put.median);
  json["bandwidth_to_mpi"] = ratio(mpi.median, put.median);
  json["put_messages_per_s"] = per_s(put);
  json["mpi_messages_per_s"] = per_s(mpi);
  if (const Sampled *limit = find(row.stream, "shared memory")) json["limit_gb_per_s"] = gb_per_s(*limit, row.bytes);
  json["stream"] = json_of(row.stream);
}

Json size_of(const PairRow &row) {
  const Sampled &put = get(row.half_round_trip, "put"), &tcp = get(row.half_round_trip, "raw TCP"), &mpi = get(row.half_round_trip, "MPI");
  Json json = {{"bytes", row.bytes},
               {"half_round_trip_us", put.median},
               {"raw_tcp_us", tcp.median},
               {"mpi_p2p_us", mpi.median},
               {"ratio_to_raw_tcp", ratio(put.median, tcp.median)},
               {"ratio_to_mpi", ratio(put.median, mpi.median)}};
  if (const Sampled *limit = find(row.half_round_trip, "shared memory")) json["limit_us"] = limit->median;
  if (const Sampled *gaspi = find(row.half_round_trip, "GASPI")) json["gaspi_us"] = gaspi->median;
  json["half_round_trip"] = json_of(row.half_round_trip);
  if (!row.stream.empty()) add_streams(json, row);
  return json;
}

// ---- rows

std::string way_of(const Sampled &timing) { return timing.name == "put" ? "engine" : timing.name == "MPI" ? "messages" : timing.name; }

void add_rows(const std::string &operation, const PairRow &row, const std::vector<Sampled> &timings, std::vector<ResultRow> &rows) {
  const Sampled *limit = find(timings, "shared memory");
  for (const Sampled &timing : timings)
    if (&timing != limit) rows.push_back({operation, way_of(timing), row.bytes, timing.samples, limit ? limit->median : 0});
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
