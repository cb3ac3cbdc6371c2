/* Assembly on an unstructured mesh: triangles (i, i + 1, i + 2) round a ring of nodes, split over the ranks. Each rank adds its triangles'
 * thirds to their nodes, ghosts included. A reverse swap adds the ghosts' values to their owners, and a forward swap returns the sums.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

enum { NODES = 1000 };

static double area(int64_t triangle) { return 3.0 * (double)(triangle % NODES + 1); }

/* What node i must hold: a third of each of the three triangles around it. */
static double expected(int64_t i) { return (area(i + NODES) + area(i + NODES - 1) + area(i + NODES - 2)) / 3; }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hlc_context *context;
  CHECK(hlc_init(MPI_COMM_WORLD, &context));
  hlc_context_info_t info;
  CHECK(hlc_context_info(context, &info));

  /* Own nodes first + k have local indices k, in an order of their own; two ghosts of the next rank are last. */
  const int64_t first = NODES * info.rank / info.size, own = NODES * (info.rank + 1) / info.size - first;
  void *shared;
  CHECK(hlc_field_alloc(context, (size_t)(own + 2) * sizeof(double), &shared));
  double *mass = shared;
  int64_t *local = malloc((size_t)(own + 2) * sizeof *local);
  for (int64_t k = 0; k < own; ++k) local[k] = (own - 1 - k + own / 3) % own;
  for (int64_t k = own; k < own + 2; ++k) local[k] = k;

  /* Below me: it needs my first two nodes (side 1). Above me: I need its first two (side 2). 2 ranks face each other on both sides. */
  const int below = (info.rank + info.size - 1) % info.size, above = (info.rank + 1) % info.size;
  const hlc_index_neighbour neighbours[2] = {{.rank = below, .tag_out = 1, .tag_in = 2, .nout = 2, .out = &local[0]},
                                             {.rank = above, .tag_out = 2, .tag_in = 1, .nin = 2, .in = &local[own]}};
  const hlc_index_field field = {.data = mass, .type = HLC_FLOAT64, .name = "mass"};
  const hlc_index_halo_spec spec = {.nentries = own + 2, .nneighbours = 2, .neighbours = neighbours, .nfields = 1, .fields = &field};
  hlc_index_halo *halo;
  CHECK(hlc_index_halo_init(context, &spec, &halo));

  for (int64_t k = 0; k < own; ++k)
    for (int corner = 0; corner < 3; ++corner) mass[local[k + corner]] += area(first + k) / 3;
  CHECK(hlc_index_halo_start(halo, &(hlc_index_swap){.reverse = 1}));
  CHECK(hlc_index_halo_finish(halo));
  CHECK(hlc_index_halo_start(halo, NULL));
  CHECK(hlc_index_halo_finish(halo));

  int right = 1;
  for (int64_t k = 0; k < own + 2; ++k) right = right && mass[local[k]] == expected(first + k);
  free(local);
  CHECK(hlc_index_halo_finalise(&halo));
  CHECK(hlc_field_free(context, &shared));
  CHECK(hlc_finalise(&context));
  const int result = verdict("mesh (C)", right, "every node and ghost holds a third of its three triangles");
  MPI_Finalize();
  return result;
}
