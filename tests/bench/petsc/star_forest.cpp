// PETSc's star forests: roots are a rank's own nodes, leaves its ghosts, both in one array. Zhang et al., The PetscSF scalable communication
// layer, IEEE TPDS 33(4), 2022.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "star_forest.hpp"

#include "petsc.hpp"

#include <petscsf.h>

namespace bench {

namespace {

/// Which of a neighbour's own nodes my ghosts are: the neighbour's out lists.
std::vector<PetscSFNode> find_roots(MPI_Comm comm, const MeshPart &part) {
  std::vector<PetscSFNode> roots;
  std::vector<MPI_Request> requests;
  std::vector<std::vector<std::int64_t>> theirs;
  for (const MeshNeighbour &neighbour : part.neighbours) theirs.emplace_back(neighbour.in.size());
  for (std::size_t n = 0; n < part.neighbours.size(); ++n) {
    const MeshNeighbour &neighbour = part.neighbours[n];
    requests.resize(requests.size() + 2);
    MPI_Irecv(theirs[n].data(), static_cast<int>(theirs[n].size()), MPI_INT64_T, neighbour.rank, 0, comm, &requests[2 * n]);
    MPI_Isend(neighbour.out.data(), static_cast<int>(neighbour.out.size()), MPI_INT64_T, neighbour.rank, 0, comm, &requests[2 * n + 1]);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (std::size_t n = 0; n < theirs.size(); ++n)
    for (const std::int64_t root : theirs[n]) roots.push_back({part.neighbours[n].rank, static_cast<PetscInt>(root)});
  return roots;
}

class StarForest final : public MeshContender {
 public:
  StarForest(MPI_Comm comm, const MeshPart &part, int components, double *values, const char *type)
      : MeshContender(std::string("petsc_") + type), roots_(values), leaves_(values + part.own * components) {
    std::vector<PetscSFNode> remote = find_roots(comm, part);
    petsc(PetscSFCreate(comm, &forest_), "PetscSFCreate");
    petsc(PetscSFSetType(forest_, type), "PetscSFSetType");
    petsc(PetscSFSetGraph(forest_, static_cast<PetscInt>(part.own), static_cast<PetscInt>(remote.size()), nullptr, PETSC_COPY_VALUES,
                          remote.data(), PETSC_COPY_VALUES),
          "PetscSFSetGraph");
    petsc(PetscSFSetUp(forest_), "PetscSFSetUp");
    make_unit(components);
  }
  ~StarForest() override {
    PetscSFDestroy(&forest_);
    if (unit_ != MPIU_REAL) MPI_Type_free(&unit_);
  }
  void forward() override {
    petsc(PetscSFBcastBegin(forest_, unit_, roots_, leaves_, MPI_REPLACE), "PetscSFBcastBegin");
    petsc(PetscSFBcastEnd(forest_, unit_, roots_, leaves_, MPI_REPLACE), "PetscSFBcastEnd");
  }
  void reverse() override {
    petsc(PetscSFReduceBegin(forest_, unit_, leaves_, roots_, MPI_SUM), "PetscSFReduceBegin");
    petsc(PetscSFReduceEnd(forest_, unit_, leaves_, roots_, MPI_SUM), "PetscSFReduceEnd");
  }

 private:
  /// PETSc adds only what it knows: its own type, or several of it. A contiguous type of one it does not.
  void make_unit(int components) {
    if (components == 1) return;
    MPI_Type_contiguous(components, MPIU_REAL, &unit_);
    MPI_Type_commit(&unit_);
  }

  PetscSF forest_ = nullptr;
  MPI_Datatype unit_ = MPIU_REAL;
  double *roots_, *leaves_;
};

}  // namespace

MeshContenders make_star_forests(MPI_Comm comm, const MeshPart &part, int components, double *values) {
  start_petsc();
  MeshContenders forests;
  for (const char *type : {PETSCSFBASIC, PETSCSFNEIGHBOR, PETSCSFWINDOW})
    forests.push_back(std::make_unique<StarForest>(comm, part, components, values, type));
  return forests;
}

std::string petsc_version() {
  return "PETSc " + std::to_string(PETSC_VERSION_MAJOR) + "." + std::to_string(PETSC_VERSION_MINOR) + "." +
         std::to_string(PETSC_VERSION_SUBMINOR);
}

}  // namespace bench
