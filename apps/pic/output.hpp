// The NetCDF files of a run: fields and charge densities at some steps, and the last state, from which a run goes on bit by bit on any number
// of ranks; or such a state alone. Rank 0 reads and writes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model.hpp"

namespace pic {

class Output {
 public:
  /// Makes the file anew. Where one is there already, this one is written beside it until it is closed, and then takes its place. Throws
  /// std::runtime_error if it cannot be written, or if the build has no NetCDF. Collective.
  Output(const std::string &path, const Model &model);
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;
  ~Output();

  /// Adds a record of fields and densities. Collective.
  void write_record(const Model &model);
  /// Writes the state to go on from. Collective.
  void write_state(const Model &model);
  /// The file is complete. Throws std::runtime_error if it is not, as on a full disk: then an old one is as it was.
  void close();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

/// Writes a file with the state to go on from alone, which takes the place of an old one when it is complete. Collective.
void write_checkpoint(const std::string &path, const Model &model);
/// Replaces a model's state by that of a file. Throws std::runtime_error if it is of another grid, time step or species. Collective.
void read_state(const std::string &path, Model &model);

}  // namespace pic
