// What is known of each mode before it is tried: whether it may be used here, and what the machine card predicts for it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "exchange/swap.hpp"

namespace halocline::core {

class Communicator;
class Topology;
struct Machine;

/// Whether a mode may become a candidate. Ranks agree on the worst that one of them knows.
enum class Eligibility : std::int64_t {
  predicted,    ///< with a cost
  unpredicted,  ///< the machine card has no curve
  slow,         ///< predicted to be much slower than the best
  same,         ///< it would move the data of this plan exactly as another candidate
  unexamined,   ///< it calls MPI RMA, and halocline-doctor has not examined this MPI
  untestable,   ///< a program that tests until the data are there would never end
  wrong,        ///< halocline-doctor found it wrong
  forbidden,    ///< HALOCLINE_AUTO_MODES does not list it
  failed,       ///< its plan could not be made
};

/// One mode. Direct stands for view as well: a plan in mode view acts as one in mode direct until it is finished by views.
struct Prediction {
  hlc_mode mode = HLC_MODE_DEFAULT;
  Eligibility standing = Eligibility::unpredicted;
  std::int64_t cost_ns = 0;
  std::int64_t far_ns = 0;  // what neighbours on other nodes add to it, on this rank
  double typical_error = -1;  ///< -1: not tested
  bool beyond_measured = false;
  std::string reason;  // where this rank knows more than the standing says
  bool of_others = false;  // another rank reported the standing
  int candidate = -1;  // its number among the candidates of the trial
};

/// Swaps between two looks at the winner, as HALOCLINE_AUTO_PERIOD says. The message of a failure begins with `who`.
Status read_period(const std::string &who, std::int64_t *period);

/// What a plan does that decides which modes can be candidates.
struct PlanTraits {
  bool reads = false;  // it may read fields of neighbours in place
  bool late_stages = false;  // its swaps have stages, and late epochs, so that a stage of mode pscw cannot be started by a test
};

class Predictions {
 public:
  /// Each rank's own standing of each mode; the message of a failure begins with `who`.
  Status classify(const std::string &who, const Machine &machine, const Topology &topology, const PlanTraits &plan);
  /// Adds what the machine's card says of a plan that moves this.
  void predict(const Machine &machine, const Topology &topology, const Work &work);
  /// All ranks take the worst standing of each mode. Collective; allocates nothing.
  Status agree(Communicator &communicator);

  /// The modes that are worth a trial, the most promising first; at most `most`, and one at least, if any may be used.
  std::vector<hlc_mode> choose(int most);
  /// The mode with which a plan begins, before anything is predicted; HLC_MODE_DEFAULT: none may be used.
  hlc_mode first() const;
  /// A mode is not a candidate, for this reason.
  void leave_out(hlc_mode mode, Eligibility why, const std::string &reason = {});
  void make_candidate(hlc_mode mode, int number) { of(mode).candidate = number; }
  bool shows_views() const { return shows_views_; }
  void show_no_views() { shows_views_ = false; }

  const std::vector<Prediction> &all() const { return all_; }
  const std::string &card_source() const { return card_source_; }
  const std::string &doctor_source() const { return doctor_source_; }

 private:
  Prediction &of(hlc_mode mode);
  void replace_last(hlc_mode mode, std::vector<hlc_mode> &chosen);
  Status read_list(const std::string &who, std::vector<hlc_mode> *listed);

  std::vector<Prediction> all_;
  bool shows_views_ = true, several_nodes_ = false;
  std::string card_source_, doctor_source_;
};

}  // namespace halocline::core
