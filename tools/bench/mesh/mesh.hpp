// The command `mesh`: swaps of a partitioned mesh of tetrahedra, by the library's index halos and, where it was found, by PETSc's star forest.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"
#include "bench/mesh/options.hpp"
#include "bench/mesh/part.hpp"

#include <memory>
#include <string>
#include <vector>

namespace bench {

/// One way to swap the nodes of a part; values lie u[entry][component].
class MeshContender {
 public:
  explicit MeshContender(std::string name) : name_(std::move(name)) {}
  virtual ~MeshContender() = default;
  MeshContender(const MeshContender &) = delete;
  MeshContender &operator=(const MeshContender &) = delete;
  /// Owners to ghosts.
  virtual void forward() = 0;
  /// Ghosts added to owners.
  virtual void reverse() = 0;
  const std::string &name() const { return name_; }

 private:
  std::string name_;
};
using MeshContenders = std::vector<std::unique_ptr<MeshContender>>;

/// PETSc's star forests over values, one per type (basic, neighbor, window); none where PETSc was not found. Collective.
MeshContenders make_star_forests(MPI_Comm comm, const MeshPart &part, int components, double *values);
/// PETSc's version, or why it is not here.
std::string petsc_words();

/// Microseconds of one call, one sample per round; the slowest rank's.
struct MeshSeries {
  std::string name;
  bool in_reverse;
  std::vector<double> samples_us;
};

struct MeshRow {
  int side, components;
  std::int64_t ghosts, least_ghosts;  ///< the most and the fewest of a rank
  std::vector<MeshSeries> series;
};

struct MeshReport {
  Environment environment;
  std::string petsc;
  std::vector<MeshRow> rows;
};

/// Collective; the same on all ranks. Throws std::runtime_error if a value is wrong.
MeshReport run_mesh(MPI_Comm comm, const MeshOptions &options, int argc, char **argv);
std::string table_of(const MeshReport &report);
/// For a file: rows in the schema of all commands, and what only this one has.
Document document_of(const MeshReport &report);

}  // namespace bench
