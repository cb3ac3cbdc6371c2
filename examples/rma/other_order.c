/* All ranks make the collective calls of a context in one order. docs/rma/mistakes-halo.md explains it. SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "check.h" /* examples/c */

static const hlc_segment_spec spec = {.bytes = 64};

/* The first call depends on the rank. */
static hlc_status wrong(hlc_context *context, int rank, void **field, hlc_segment **segment) {
  if (rank == 0) return hlc_field_alloc(context, 64, field);
  return hlc_segment_create(context, &spec, segment); /* rank 0 is in another call */
}

static hlc_status right(hlc_context *context, void **field, hlc_segment **segment) {
  CHECK(hlc_field_alloc(context, 64, field));
  return hlc_segment_create(context, &spec, segment);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hlc_context *context;
  CHECK(hlc_init(MPI_COMM_WORLD, &context));
  hlc_context_info_t me;
  CHECK(hlc_context_info(context, &me));
  void *field = NULL;
  hlc_segment *segment = NULL;
  int good = 1;
  if (argc < 2 || strcmp(argv[1], "right") == 0) {
    good = right(context, &field, &segment) == HLC_OK;
    CHECK(hlc_segment_free(&segment));
    CHECK(hlc_field_free(context, &field));
    verdict("other_order", good, "nothing was found");
    fflush(stdout);
  }
  if (argc < 2 || strcmp(argv[1], "wrong") == 0) {
    const hlc_status status = wrong(context, me.rank, &field, &segment);
    if (me.rank == 0) fprintf(stderr, "%s: %s\n", hlc_status_name(status), hlc_error_message());
    good = good && status == HLC_ERR_MISMATCH; /* on all ranks, and nothing has been made */
  }
  CHECK(hlc_finalise(&context));
  MPI_Finalize();
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
