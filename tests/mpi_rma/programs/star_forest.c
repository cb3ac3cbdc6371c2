/* PETSc's star forest on MPI windows: each rank's leaves point to roots of other ranks. Broadcasts, reductions, and fetch and op are
   checked by value. Options of PETSc choose the kind of window: -sf_type window -sf_window_flavor F -sf_window_sync S. PETSc
   has no fetch and op for the flavors dynamic and allocate.

   SPDX-License-Identifier: BSD-3-Clause */
#include <petscsf.h>
#include <stdio.h>

enum { ROOTS = 5, LEAVES = 7, STEPS = 3 };

static int rank, ranks, wrong;

static void check(int right, const char *what) {
  if (right) return;
  if (++wrong <= 5) printf("rank %d: %s\n", rank, what);
}

/* Leaf i of a rank points to root (2 i + rank) mod ROOTS of rank (rank + i) mod ranks. */
static int owner_of(int of, int leaf) { return (of + leaf) % ranks; }
static int root_of(int of, int leaf) { return (2 * leaf + of) % ROOTS; }
static double value_of(int owner, int root, int step) { return 1000.0 * (step + 1) + 10.0 * owner + root + 1.0; }

static PetscErrorCode make(PetscSF *forest) {
  PetscSFNode *roots;
  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(LEAVES, &roots));
  for (int i = 0; i < LEAVES; ++i) {
    roots[i].rank = owner_of(rank, i);
    roots[i].index = root_of(rank, i);
  }
  PetscCall(PetscSFCreate(PETSC_COMM_WORLD, forest));
  PetscCall(PetscSFSetFromOptions(*forest));
  PetscCall(PetscSFSetGraph(*forest, ROOTS, LEAVES, NULL, PETSC_COPY_VALUES, roots, PETSC_OWN_POINTER));
  PetscCall(PetscSFSetUp(*forest));
  PetscFunctionReturn(0);
}

/* Every leaf gets the value of its root. */
static PetscErrorCode broadcast(PetscSF forest, int step) {
  PetscScalar roots[ROOTS], leaves[LEAVES];
  PetscFunctionBeginUser;
  for (int i = 0; i < ROOTS; ++i) roots[i] = value_of(rank, i, step);
  for (int i = 0; i < LEAVES; ++i) leaves[i] = -1.0;
  PetscCall(PetscSFBcastBegin(forest, MPIU_SCALAR, roots, leaves, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(forest, MPIU_SCALAR, roots, leaves, MPI_REPLACE));
  for (int i = 0; i < LEAVES; ++i) check(leaves[i] == value_of(owner_of(rank, i), root_of(rank, i), step), "a broadcast to a leaf");
  PetscFunctionReturn(0);
}

/* Every root gets the sum of its leaves. */
static PetscErrorCode reduce(PetscSF forest, int step) {
  PetscScalar roots[ROOTS], expected[ROOTS], leaves[LEAVES];
  PetscFunctionBeginUser;
  for (int i = 0; i < ROOTS; ++i) roots[i] = expected[i] = value_of(rank, i, step);
  for (int i = 0; i < LEAVES; ++i) leaves[i] = 1.0 + rank + 2.0 * i + step;
  for (int other = 0; other < ranks; ++other)
    for (int i = 0; i < LEAVES; ++i)
      if (owner_of(other, i) == rank) expected[root_of(other, i)] += 1.0 + other + 2.0 * i + step;
  PetscCall(PetscSFReduceBegin(forest, MPIU_SCALAR, leaves, roots, MPIU_SUM));
  PetscCall(PetscSFReduceEnd(forest, MPIU_SCALAR, leaves, roots, MPIU_SUM));
  for (int i = 0; i < ROOTS; ++i) check(roots[i] == expected[i], "a sum at a root");
  PetscFunctionReturn(0);
}

/* The leaves of a root take numbers in turn: together they get each number once. */
static PetscErrorCode fetch(PetscSF forest) {
  PetscInt roots[ROOTS], ones[LEAVES], taken[LEAVES], mine = 0, all = 0, expected = 0, counts[ROOTS];
  PetscFunctionBeginUser;
  for (int i = 0; i < ROOTS; ++i) roots[i] = counts[i] = 0;
  for (int i = 0; i < LEAVES; ++i) ones[i] = 1;
  PetscCall(PetscSFFetchAndOpBegin(forest, MPIU_INT, roots, ones, taken, MPI_SUM));
  PetscCall(PetscSFFetchAndOpEnd(forest, MPIU_INT, roots, ones, taken, MPI_SUM));
  for (int other = 0; other < ranks; ++other)
    for (int i = 0; i < LEAVES; ++i)
      if (owner_of(other, i) == rank) expected += counts[root_of(other, i)]++;
  for (int i = 0; i < ROOTS; ++i) check(roots[i] == counts[i], "the count of a root's leaves");
  for (int i = 0; i < LEAVES; ++i) mine += taken[i];
  mine -= expected;
  MPI_Allreduce(&mine, &all, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
  check(all == 0, "the numbers that leaves took in turn");
  PetscFunctionReturn(0);
}

static PetscErrorCode can_fetch(PetscBool *can) {
  char flavor[16] = "create";
  PetscBool dynamic, allocate;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-sf_window_flavor", flavor, sizeof flavor, NULL));
  PetscCall(PetscStrcmp(flavor, "dynamic", &dynamic));
  PetscCall(PetscStrcmp(flavor, "allocate", &allocate));
  *can = dynamic || allocate ? PETSC_FALSE : PETSC_TRUE;
  PetscFunctionReturn(0);
}

int main(int argc, char **argv) {
  PetscSF forest;
  PetscBool fetches;
  int all = 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  PetscCall(make(&forest));
  PetscCall(can_fetch(&fetches));
  for (int step = 0; step < STEPS; ++step) {
    PetscCall(broadcast(forest, step));
    PetscCall(reduce(forest, step));
    if (fetches) PetscCall(fetch(forest));
  }
  PetscCall(PetscSFDestroy(&forest));
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
  if (rank == 0 && all == 0) printf("star forest on %d ranks: all right\n", ranks);
  PetscCall(PetscFinalize());
  return all == 0 ? 0 : 1;
}
