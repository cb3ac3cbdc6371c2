// SPDX-License-Identifier: BSD-3-Clause
#include "grid.hpp"

#include "petsc.hpp"

#include <petscdmda.h>

#include <cstring>

namespace bench {

namespace {

/// A DMDA whose x, y and z are the problem's z, y and x, over ranks that are numbered as PETSc does it: x fastest.
class Grid {
 public:
  Grid(const Problem &problem, MPI_Comm comm) {
    const halocline::Grid &grid = problem.grid();
    const Block &block = problem.block();
    MPI_Comm_split(comm, 0, grid.coord(0) + grid.ranks(0) * (grid.coord(1) + grid.ranks(1) * grid.coord(2)), &comm_);
    const auto size = [&](int d) { return static_cast<PetscInt>(grid.global(d)); };
    const auto around = [&](std::size_t d) { return block.depth[d] > 0 ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE; };
    petsc(DMDACreate3d(comm_, around(2), around(1), around(0), problem.box() ? DMDA_STENCIL_BOX : DMDA_STENCIL_STAR, size(0), size(1),
                       size(2), grid.ranks(0), grid.ranks(1), grid.ranks(2), static_cast<PetscInt>(problem.fields().size()),
                       static_cast<PetscInt>(block.depth[0]), nullptr, nullptr, nullptr, &dm_),
          "DMDACreate3d");
    petsc(DMSetUp(dm_), "DMSetUp");
  }
  ~Grid() {
    DMDestroy(&dm_);
    MPI_Comm_free(&comm_);
  }
  Grid(const Grid &) = delete;
  Grid &operator=(const Grid &) = delete;
  DM dm() const { return dm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  DM dm_ = nullptr;
};

/// Ghosts of a vector with a component per field. Without `global` the local vector is filled in place.
class PetscGrid final : public Contender {
 public:
  PetscGrid(Problem &problem, MPI_Comm comm, bool global)
      : Contender(global ? "petsc_g2l" : "petsc_l2l"), problem_(problem), grid_(problem, comm), fields_(problem.fields().size()) {
    petsc(DMCreateLocalVector(grid_.dm(), &local_), "DMCreateLocalVector");
    if (global) petsc(DMCreateGlobalVector(grid_.dm(), &global_), "DMCreateGlobalVector");
    for (const Index &v : directions(problem.block(), false)) edges_.push_back(problem.block().edge(v));
  }
  ~PetscGrid() override {
    VecDestroy(&local_);
    if (global_) VecDestroy(&global_);
  }

  void swap() override {
    if (global_) {
      petsc(DMGlobalToLocalBegin(grid_.dm(), global_, INSERT_VALUES, local_), "DMGlobalToLocalBegin");
      petsc(DMGlobalToLocalEnd(grid_.dm(), global_, INSERT_VALUES, local_), "DMGlobalToLocalEnd");
      return;
    }
    petsc(DMLocalToLocalBegin(grid_.dm(), local_, INSERT_VALUES, local_), "DMLocalToLocalBegin");
    petsc(DMLocalToLocalEnd(grid_.dm(), local_, INSERT_VALUES, local_), "DMLocalToLocalEnd");
  }
  std::string route() const override { return "PETSc"; }

  void load() override {
    copy(problem_.block().interior(), source(), [](double &value, char *cell) { std::memcpy(&value, cell, sizeof value); });
  }
  void unload() override {
    for (const Index &v : directions(problem_.block(), problem_.box()))
      copy(problem_.block().halo(v), local_, [](double &value, char *cell) { std::memcpy(cell, &value, sizeof value); });
  }
  void change_edge(Edge edge, std::uint32_t step) override {
    for (Region region : edges_) {
      if (edge == Edge::stamp) region.count[2] = 1;
      copy(region, source(), [step](double &value, char *) { value = step; });
    }
  }

 private:
  Vec source() const { return global_ ? global_ : local_; }

  /// Calls leaf(value of the vector, cell of the problem) for each cell of a region and each field.
  template <class Leaf>
  void copy(const Region &region, Vec vector, Leaf leaf) {
    const Block &block = problem_.block();
    double *values = nullptr;
    petsc(VecGetArray(vector, &values), "VecGetArray");
    for_each_column(region, [&](std::int64_t x, std::int64_t y) {
      for (std::int64_t z = region.first[2]; z < region.first[2] + region.count[2]; ++z)
        for (std::size_t f = 0; f < fields_; ++f)
          leaf(values[place(vector, x, y, z) * fields_ + f], problem_.fields()[f] + block.offset(x, y, z));
    });
    petsc(VecRestoreArray(vector, &values), "VecRestoreArray");
  }

  /// Cells of a global vector have no ghosts around them.
  std::size_t place(Vec vector, std::int64_t x, std::int64_t y, std::int64_t z) const {
    const Block &block = problem_.block();
    if (vector == local_) return block.offset(x, y, z) / sizeof(double);
    const Index &d = block.depth, &n = block.cells;
    return static_cast<std::size_t>(((x - d[0]) * n[1] + y - d[1]) * n[2] + z - d[2]);
  }

  Problem &problem_;
  Grid grid_;
  std::size_t fields_;
  Vec local_ = nullptr, global_ = nullptr;
  std::vector<Region> edges_;
};

}  // namespace

void add_petsc_grids(Problem &problem, MPI_Comm comm, Contenders &contenders) {
  if (problem.element().type != HLC_FLOAT64) return;
  start_petsc();
  for (const bool global : {false, true}) contenders.push_back(std::make_unique<PetscGrid>(problem, comm, global));
}

}  // namespace bench
