// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/contender.hpp"

#include "bench/halo/excluded_modes.hpp"
#include "bench/halo/hand_typed.hpp"
#include "bench/halo/hand_written.hpp"

#include <utility>

namespace bench {

namespace {

/// A contender that swaps the problem's own fields.
class FieldsContender : public Contender {
 public:
  FieldsContender(std::string name, Problem &problem) : Contender(std::move(name)), problem_(problem) {}
  void change_edge(Edge edge, std::uint32_t step) override { problem_.change_edge(edge, problem_.fields(), step); }

 private:
  Problem &problem_;
};

std::string joined(std::initializer_list<std::pair<const char *, int>> parts) {
  std::string text;
  for (const auto &[name, count] : parts)
    if (count > 0) text += (text.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(count);
  return text;
}

class LibraryMode : public FieldsContender {
 public:
  LibraryMode(std::string name, Problem &problem, halocline::Halo halo)
      : FieldsContender(std::move(name), problem), halo_(std::move(halo)) {}
  void swap() override { halo_.swap(); }
  std::string mode() const override { return halocline::mode_name(static_cast<halocline::Mode>(halo_.info().mode)); }
  std::string route() const override {
    const hlc_plan_info plan = halo_.info();
    return joined({{"direct", plan.via_direct},
                   {"notify", plan.via_notify},
                   {"network", plan.via_network},
                   {"mpi", plan.via_mpi},
                   {"self", plan.self_copies}});
  }

 private:
  halocline::Halo halo_;
};

class HandTyped : public FieldsContender {
 public:
  HandTyped(Problem &problem, MPI_Comm comm)
      : FieldsContender("hand_types", problem), swap_(comm, problem.block(), problem.box(), problem.neighbours(), problem.fields()) {}
  void swap() override { swap_.run(); }
  std::string route() const override { return joined({{"mpi", swap_.messages()}, {"self", swap_.self_copies()}}); }

 private:
  HandTypedSwap swap_;
};

class HandWritten : public FieldsContender {
 public:
  HandWritten(Problem &problem, MPI_Comm comm)
      : FieldsContender("hand_p2p", problem), swap_(comm, problem.block(), problem.box(), problem.neighbours(), problem.fields()) {}
  void swap() override { swap_.run(); }
  std::string route() const override { return joined({{"mpi", swap_.messages()}, {"self", swap_.self_copies()}}); }

 private:
  HandWrittenSwap swap_;
};

/// The halo of a mode that is ready to be measured: auto has found its winner, and has compared it with the runner-up once more. Neither is timed.
halocline::Halo make_ready(const halocline::Context &context, const Problem &problem, halocline::Mode mode, halocline::Epoch epoch,
                           halocline::Drive drive) {
  constexpr int kTrial = 192;  // swaps
  halocline::Halo halo = problem.make_halo(context, mode, epoch, drive);
  for (int i = 0; mode == halocline::Mode::automatic && i < kTrial; ++i) halo.swap();
  return halo;
}

/// A mode of the library, by the name of its row in the table.
struct Entrant {
  std::string name;
  halocline::Mode mode;
  halocline::Epoch epoch = halocline::Epoch::standard;
  halocline::Drive drive = halocline::Drive::standard;
};

std::vector<Entrant> entrants_of(const HaloOptions &options) {
  using halocline::Drive, halocline::Epoch, halocline::Mode;
  std::vector<Entrant> entrants;
  for (Mode mode : options.selected()) {
    const std::string name = halocline::mode_name(mode);
    entrants.push_back({name, mode});
    if (options.epochs && (mode == Mode::fence || mode == Mode::pscw)) entrants.push_back({name + "_late", mode, Epoch::late});
    if (options.drives && mode == Mode::fence) entrants.push_back({name + "_get", mode, Epoch::late, Drive::get});
  }
  return entrants;
}

}  // namespace

Contenders make_contenders(const halocline::Context &context, Problem &problem, const HaloOptions &options, MPI_Comm comm,
                           std::map<std::string, std::string> &skipped) {
  Contenders contenders;
  contenders.push_back(std::make_unique<HandWritten>(problem, comm));
  contenders.push_back(std::make_unique<HandTyped>(problem, comm));
  const auto excluded = excluded_modes(options.doctor, comm);
  for (const Entrant &entrant : entrants_of(options)) {
    if (const auto found = excluded.find(halocline::mode_name(entrant.mode)); found != excluded.end()) {
      skipped[entrant.name] = found->second;
      continue;
    }
    try {
      contenders.push_back(
          std::make_unique<LibraryMode>(entrant.name, problem, make_ready(context, problem, entrant.mode, entrant.epoch, entrant.drive)));
    } catch (const halocline::Error &error) {
      if (error.status() != HLC_ERR_UNSUPPORTED) throw;
      skipped[entrant.name] = error.what();
    }
  }
  return contenders;
}

}  // namespace bench
