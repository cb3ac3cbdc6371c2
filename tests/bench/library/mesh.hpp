// The command `mesh`: swaps of a partitioned mesh of tetrahedra by the library's index halos, in every mode.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"
#include "library/mesh_part.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bench {

struct MeshOptions : CommonOptions {
  std::vector<int> sides{12, 24, 48, 80};  ///< nodes along each side of the mesh
  std::vector<int> components{1, 5};
  std::vector<std::string> modes{"direct", "notify", "p2p"};
};

/// Swaps the nodes of a part; values are u[entry][component].
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

/// Contenders of another library over the same values, and its name and version. Without: `make` is empty.
struct MeshGuests {
  std::string name{};
  std::function<MeshContenders(MPI_Comm comm, const MeshPart &part, int components, double *values)> make{};  ///< collective
};

/// Microseconds of one call, one sample per round; the slowest rank's.
struct MeshSeries {
  std::string name;
  bool in_reverse, is_guest;
  std::vector<double> samples_us;
};

struct MeshRow {
  int side, components;
  std::int64_t ghosts, least_ghosts;  ///< the most and the fewest of a rank
  std::vector<MeshSeries> series;
};

struct MeshReport {
  Environment environment;
  std::string guests;  ///< name and version of the other library; empty: none
  std::vector<MeshRow> rows;
};

/// Collective; the same on all ranks. Throws std::runtime_error if a value is wrong.
MeshReport run_mesh(MPI_Comm comm, const MeshOptions &options, int argc, char **argv, const MeshGuests &guests = {});
std::string table_of(const MeshReport &report);
/// For a file: rows in the schema of all commands, and what only this one has.
Document document_of(const MeshReport &report);

}  // namespace bench
