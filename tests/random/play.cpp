// See play.hpp. Between planning the players and releasing them the ranks do not synchronize. They drift apart as far as the library lets
// them.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "random/play.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace halocline::test {
namespace {

std::string said(hlc_status status) {
  return std::string(hlc_status_name(status)) + (status > HLC_AGAIN ? std::string(": ") + hlc_error_message() : std::string());
}

class Play {
 public:
  Play(const Stage &stage, MPI_Comm comm, const Json &scenario) : stage_(stage), comm_(comm), scenario_(scenario) {}

  Outcome run() {
    for (const Json &halo : scenario_.at("halos")) add(make_halo_player(stage_, halo));
    for (const Json &exchange : scenario_.at("exchanges")) add(make_exchange_player(stage_, exchange));
    int step = 0;
    for (const Json &round : scenario_.at("rounds"))
      for (int times = round.value("times", 1); times > 0 && outcome_.usable; --times) play_round(++step, round);
    release();
    return std::move(outcome_);
  }

 private:
  void complain(const std::string &text) { outcome_.complaints.push_back(text); }

  /// After a failed call nothing is known of the other ranks' calls: this rank stops playing.
  bool went_well(hlc_status status, const std::string &call) {
    if (status == HLC_OK) return true;
    complain(call + ": " + said(status));
    outcome_.usable = false;
    return false;
  }

  void add(std::unique_ptr<Player> player) {
    const Json wrong = scenario_.value("wrong", Json());
    const bool spoilt = !wrong.is_null() && wrong.at("player") == players_.size();
    const hlc_status status = player->plan(spoilt ? wrong : Json());
    int range[2] = {static_cast<int>(status), -static_cast<int>(status)}, all[2];
    MPI_Allreduce(range, all, 2, MPI_INT, MPI_MAX, comm_);
    const std::string who = "player " + std::to_string(players_.size());
    if (all[0] != -all[1]) {
      complain("planning " + who + " came to another status on another rank; here " + said(status));
      outcome_.usable = false;
    } else if (spoilt && status == HLC_OK) {
      complain("the wrong spec of " + who + " was taken");
    } else if (!spoilt && status != HLC_OK) {
      complain("planning " + who + ": " + said(status));
    }
    playing_.push_back(status == HLC_OK);
    players_.push_back(std::move(player));
  }

  void play_round(int step, const Json &round) {
    std::vector<std::size_t> running;
    for (const Json &swap : round.at("swaps")) {
      const auto i = swap.at("player").get<std::size_t>();
      if (outcome_.usable && playing_[i] && begin(i, step, swap)) running.push_back(i);
    }
    linger(round);
    for (const Json &i : round.at("finish"))
      if (std::find(running.begin(), running.end(), i.get<std::size_t>()) != running.end()) end(i);
  }

  /// True if a swap is in progress afterwards.
  bool begin(std::size_t i, int step, const Json &swap) {
    Player &player = *players_[i];
    const bool misuse = swap.value("misuse", false);
    if (misuse) expect_refusals(player, false);
    player.prepare(step, swap);
    const hlc_status status = player.start();
    if (!player.refused()) {
      if (!went_well(status, "start of player " + std::to_string(i) + " in step " + std::to_string(step))) return false;
      if (misuse) expect_refusals(player, true);
      return true;
    }
    if (status <= HLC_AGAIN) {
      complain("a wrong swap of player " + std::to_string(i) + " was taken in step " + std::to_string(step));
      outcome_.usable = false;
    } else if (const std::string text = player.complaint(); !text.empty()) {
      complain("a swap that was refused wrote something: " + text);
    }
    return false;
  }

  void expect_refusals(Player &player, bool in_flight) {
    const std::string text = player.misuse(in_flight);
    if (text.empty()) return;
    complain(text);
    outcome_.usable = false;
  }

  /// This rank's delay in microseconds and its number of tests before the round is finished.
  void linger(const Json &round) {
    const auto me = static_cast<std::size_t>(stage_.rank);
    const int late_us = round.at("late").at(me), tests = round.at("tests").at(me);
    if (late_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(late_us));
    for (int t = 0; t < tests; ++t)
      for (const Json &swap : round.at("swaps")) look(swap.at("player"));
  }

  void look(std::size_t i) {
    if (!outcome_.usable || !playing_[i] || players_[i]->refused()) return;
    const hlc_status status = players_[i]->test();
    if (status != HLC_AGAIN) went_well(status, "test of player " + std::to_string(i));
  }

  void end(std::size_t i) {
    if (!outcome_.usable || !went_well(players_[i]->finish(), "finish of player " + std::to_string(i))) return;
    if (const std::string text = players_[i]->complaint(); !text.empty()) complain("player " + std::to_string(i) + ": " + text);
  }

  void release() {
    int usable = outcome_.usable ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &usable, 1, MPI_INT, MPI_MIN, comm_);
    outcome_.usable = usable == 1;
    for (std::size_t i = players_.size(); outcome_.usable && i-- > 0;)
      if (playing_[i]) went_well(players_[i]->release(), "release of player " + std::to_string(i));
  }

  Stage stage_;
  MPI_Comm comm_;
  const Json &scenario_;
  Outcome outcome_;
  std::vector<std::unique_ptr<Player>> players_;
  std::vector<bool> playing_;  // planned without error
};

}  // namespace

Outcome play(const Stage &stage, MPI_Comm comm, const Json &scenario) { return Play(stage, comm, scenario).run(); }

}  // namespace halocline::test
