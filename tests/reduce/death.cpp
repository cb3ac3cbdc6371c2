// Three ranks, of which the second ends by itself while the others reduce. They get an error that says so, and can free the plan and the
// context. Argument: `early` (few elements), `late` (in the middle of many) or `shared` (the same, in arrays that the others read in
// place).
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int victim = 1;

void expect(hlc_status expected, hlc_status status, const char *what) {
  if (status == expected) return;
  std::printf("%s has come to %s, not %s: %s\n", what, hlc_status_name(status), hlc_status_name(expected), hlc_error_message());
  std::fflush(stdout);
  std::_Exit(1);
}

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// The victim's own operation ends it, in the middle of a run.
void die_at_last(const void *in, void *inout, std::int64_t count, void *user) {
  auto *calls = static_cast<int *>(user);
  if (rank_of_world() == victim && ++*calls == 20) std::raise(SIGKILL);
  for (std::int64_t i = 0; i < count; ++i) static_cast<double *>(inout)[i] += static_cast<const double *>(in)[i];
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const bool early = std::strcmp(argv[1], "early") == 0, shared = std::strcmp(argv[1], "shared") == 0;
  hlc_context *context = nullptr;
  expect(HLC_OK, hlc_init(MPI_COMM_WORLD, &context), "hlc_init");
  int calls = 0;
  hlc_allreduce_spec spec{};
  spec.type = HLC_FLOAT64;
  spec.count = early ? 3 : 1'000'000;
  spec.reduction = HLC_REDUCE_USER;
  spec.function = die_at_last;
  spec.user = &calls;
  hlc_allreduce *plan = nullptr;
  expect(HLC_OK, hlc_allreduce_create(context, &spec, &plan), "hlc_allreduce_create");
  std::vector<double> own(static_cast<std::size_t>(spec.count), 1.5);
  void *memory = nullptr;
  if (shared) expect(HLC_OK, hlc_field_alloc(context, own.size() * sizeof(double), &memory), "hlc_field_alloc");
  double *data = shared ? std::copy(own.begin(), own.end(), static_cast<double *>(memory)) - own.size() : own.data();
  hlc_status status = HLC_OK;
  for (int i = 0; i < 100 && status == HLC_OK; ++i) status = hlc_allreduce_run(plan, data, data);
  expect(HLC_ERR_PEER_DIED, status, "hlc_allreduce_run");
  if (!std::strstr(hlc_error_message(), "rank 1")) expect(HLC_OK, status, "a message that names rank 1");
  expect(HLC_ERR_STATE, hlc_allreduce_run(plan, data, data), "another run");
  if (shared) expect(HLC_OK, hlc_field_free(context, &memory), "hlc_field_free after the failure");
  expect(HLC_ERR_PEER_DIED, hlc_allreduce_destroy(&plan), "hlc_allreduce_destroy");
  if (plan) expect(HLC_OK, HLC_ERR_STATE, "the handle after hlc_allreduce_destroy");
  expect(HLC_ERR_PEER_DIED, hlc_finalise(&context), "hlc_finalise");
  std::printf("rank %d goes on without rank %d\n", rank_of_world(), victim);
  std::fflush(stdout);
  // What MPI still awaits never arrives.
  std::_Exit(0);
}
