// SPDX-License-Identifier: BSD-3-Clause
#include "worker.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <utility>

#include "errors.hpp"
#include "probe.hpp"
#include "scratch.hpp"
#include "watchdog.hpp"

namespace doctor {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

/// Appends lines to the result file; a rank that cannot reach it writes nothing, and is heard through rank 0.
class ResultFile {
 public:
  explicit ResultFile(const std::string &path) : file_(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)) {}
  ~ResultFile() {
    if (file_ >= 0) close(file_);
  }
  ResultFile(const ResultFile &) = delete;
  ResultFile &operator=(const ResultFile &) = delete;
  void append(const Json &line) const {
    const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    if (file_ >= 0 && write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) return;
  }

 private:
  int file_;
};

Json line_of(const std::string &probe, const Finding &f) {
  return {{"probe", probe}, {"rank", f.rank}, {"outcome", name_of(f.outcome)}, {"operation", f.operation}, {"text", f.text}};
}

/// Findings of all ranks arrive at rank 0 as text. Nobody leaves before all have come: a rank whose call was refused must not begin the next
/// probe alone while the others still stand in this one.
std::vector<std::string> gather(const std::string &mine, MPI_Comm comm) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int bytes = static_cast<int>(mine.size());
  std::vector<int> counts(static_cast<std::size_t>(size)), places(static_cast<std::size_t>(size));
  CALL(MPI_Gather, &bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm);
  int total = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) places[r] = std::exchange(total, total + counts[r]);
  std::string all(static_cast<std::size_t>(total), ' ');
  CALL(MPI_Gatherv, mine.data(), bytes, MPI_CHAR, all.data(), counts.data(), places.data(), MPI_CHAR, 0, comm);
  CALL(MPI_Barrier, comm);
  std::vector<std::string> texts;
  for (std::size_t r = 0; rank == 0 && r < counts.size(); ++r)
    texts.push_back(all.substr(static_cast<std::size_t>(places[r]), static_cast<std::size_t>(counts[r])));
  return texts;
}

/// Runs a probe on this rank. A call that MPI refused is told at once: the other ranks may wait for this one for ever.
std::vector<Finding> ask(const Probe &probe, Bench &bench, const ResultFile &file) {
  try {
    probe.run(bench);
    return bench.take_findings();
  } catch (const Lacks &what) {
    bench.add(Outcome::lacks, "", what.what());
    return bench.take_findings();
  } catch (const Refused &what) {
    bench.add(what.is_lack() ? Outcome::lacks : Outcome::wrong, "",
              std::string(what.what()) + (*watched_phase() ? std::string(", ") + watched_phase() : ""));
  }
  const std::vector<Finding> findings = bench.take_findings();
  for (const Finding &finding : findings) file.append(line_of(probe.name, finding));
  return {};
}

void run_probe(const Probe &probe, const Options &options, Bench &bench, MPI_Comm telling, const ResultFile &file) {
  const auto began = Clock::now();
  if (bench.rank() == 0) file.append({{kBegin, probe.name}});
  watch_probe(probe.name.c_str(), options.limit_s);
  const std::vector<Finding> findings = ask(probe, bench, file);
  watch_phase("reporting the results");
  Json mine = Json::array();
  for (const Finding &finding : findings) mine.push_back(line_of(probe.name, finding));
  const auto texts = gather(mine.empty() ? "" : mine.dump(-1, ' ', false, Json::error_handler_t::replace), telling);
  watch_probe(nullptr, 0);
  if (bench.rank() != 0) return;
  for (const std::string &text : texts)
    if (!text.empty())
      for (const Json &line : Json::parse(text)) file.append(line);
  file.append({{kEnd, probe.name}, {"seconds", std::chrono::duration<double>(Clock::now() - began).count()}});
}

}  // namespace

void run_probes(const Options &options, const std::string &folder, MPI_Comm world, std::function<void()> last_words) {
  // Results have a communicator of their own: a probe that was cut short on one rank must not meet them in its collectives.
  MPI_Comm comm = MPI_COMM_NULL, telling = MPI_COMM_NULL;
  for (const MPI_Comm known : {MPI_COMM_WORLD, MPI_COMM_SELF}) return_comm_errors(known);
  CALL(MPI_Comm_dup, world, &comm);
  CALL(MPI_Comm_dup, world, &telling);
  return_comm_errors(comm);
  Bench bench(comm);
  const ResultFile file(Scratch::results(folder));
  watch({Scratch::results(folder), Scratch::progress(folder), bench.rank(), bench.size(), std::move(last_words)});
  if (bench.rank() == 0) file.append({{kStarted, bench.size()}});
  const auto &probes = all_probes();
  for (std::size_t i = options.first; i < probes.size(); ++i)
    if (options.runs(probes[i])) run_probe(probes[i], options, bench, telling, file);
  watch_probe("MPI_Finalize", options.limit_s);
  if (bench.rank() == 0) file.append({{kFinished, true}});
  CALL(MPI_Comm_free, &comm);
  CALL(MPI_Comm_free, &telling);
}

namespace {

/// Starts this process anew with the drop-in loaded, if it is not.
void load(const std::string &library, char **argv) {
  const char *before = std::getenv("LD_PRELOAD");
  const std::string loaded = before ? before : "";
  if (loaded.find(library) != std::string::npos) return;
  setenv("LD_PRELOAD", (loaded.empty() ? library : loaded + ":" + library).c_str(), 1);
  setenv("HALOCLINE_LOG", "info", 1);
  execv("/proc/self/exe", argv);
}

}  // namespace

int worker_main(const Options &options, int *argc, char ***argv) {
  if (!options.preload.empty()) load(options.preload, *argv);
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
  run_probes(options, options.results, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}

}  // namespace doctor
