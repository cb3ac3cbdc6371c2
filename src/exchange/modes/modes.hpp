// The table of modes: one row each. Everything that depends on which modes there are reads it from here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "exchange/channel.hpp"

namespace halocline::core {

class Communicator;
struct Rule;

/// One mode. `make` carries the edges it can. Edges between ranks that share no memory are carried by `make_far` where that is not NULL, or
/// by `make_without_network` if no network can be opened.
struct ModeRow {
  hlc_mode mode;
  const char *name;
  MakeChannel make;
  MakeChannel make_far, make_without_network;  // NULL: `make` reaches every rank
  bool reads_fields;  // needs the neighbour's fields in shared memory; edges without use mode notify
  bool calls_rma = false;  // moves data by the MPI's one-sided functions
  bool sees_arrival = true;  // a test can tell that the data are there
};

/// All modes that move data, and auto, which has no channels of its own: it chooses one of them.
std::span<const ModeRow> mode_table();
/// The row of a mode, NULL for an invalid value.
const ModeRow *find_mode(hlc_mode mode);
/// The mode of a name; the error names the nearest one.
Status mode_from_name(const char *name, hlc_mode *mode);
/// Fills in what was left at its default: from HALOCLINE_MODE, HALOCLINE_EPOCH, HALOCLINE_DRIVE, else auto, early, put. The messages
/// name the call and the rank.
Status resolve(Options &options, const Communicator &communicator);
/// The beginning of an error message: "hlc_exchange_create of plan 'ring' on rank 0", for the call in which this rank is. A plan without a
/// name has its number.
std::string message_prefix(const Communicator &communicator, const Options &options);
/// The options of an exchange that must be the same on all ranks.
std::vector<Rule> rules_of(const Options &options);
/// Fails on all ranks if they differ. Collective; part of the call that makes the plan.
Status agree_on_options(Communicator &communicator, const Options &options);

}  // namespace halocline::core
