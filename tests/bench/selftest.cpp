// Damages halos after a swap and expects that the bench's verification finds it, with field and cell in its message. The damage:
// unwritten, stale, misplaced and torn cells, cells outside the stencil, changed interiors.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/hand_written.hpp"
#include "bench/halo/pattern.hpp"
#include "bench/halo/problem.hpp"
#include "library/auto_plan.hpp"

#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>

namespace {

using namespace bench;

int failures = 0;

void expect(bool right, const std::string &sentence, const std::string &found = "") {
  if (right) return;
  ++failures;
  std::fprintf(stderr, "failed: %s; found: %s\n", sentence.c_str(), found.c_str());
}

/// A small problem that one hand-written swap has filled for step 2.
struct Swapped {
  Swapped(const halocline::Context &context, const HaloOptions &options)
      : problem(context, options),
        swap(MPI_COMM_WORLD, problem.block(), problem.box(), problem.neighbours(), problem.fields()),
        bytes(options.element().bytes) {
    problem.fill(2);
    swap.run();
  }
  /// The element of the last field at a place counted from the first interior cell.
  char *at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    const auto &block = problem.block();
    return problem.fields().back() + block.offset(x + block.depth[0], y + block.depth[1], z + block.depth[2]);
  }
  /// Expects a complaint with these words.
  void complains(const std::string &sentence, const std::string &place, const std::string &words) const {
    const Verdict verdict = problem.verify(2);
    const std::string text = verdict.wrong.value_or("nothing wrong");
    const bool placed = text.find("field 2, cell (" + place + ")") != std::string::npos;
    expect(placed && text.find(words, text.find("found")) != std::string::npos, sentence, text);
  }

  Problem problem;
  HandWrittenSwap swap;
  std::size_t bytes;
};

HaloOptions small(const std::string &type, halocline::Stencil stencil) {
  HaloOptions options;
  options.local = {4, 3, 5};
  options.fields = 3;
  options.type = type;
  options.stencil = stencil;
  return options;
}

void check_right(const halocline::Context &context, const std::string &type, bool split_z) {
  HaloOptions options = small(type, halocline::Stencil::box);
  options.split_z = split_z;
  const Swapped swapped(context, options);
  const Verdict verdict = swapped.problem.verify(2);
  const auto &block = swapped.problem.block();
  const std::int64_t halo = block.extent(0) * block.extent(1) * block.extent(2) - block.interior().cells();
  expect(!verdict.wrong, "a right swap of " + type + " is right", verdict.wrong.value_or(""));
  expect(verdict.cells == 3 * halo, "every halo cell of every field is checked", std::to_string(verdict.cells));
}

void check_wrong(const halocline::Context &context, const std::string &type) {
  const std::string rank = "rank " + std::to_string(context.rank());
  {
    Swapped s(context, small(type, halocline::Stencil::box));
    store(s.at(-2, 1, 3), s.bytes, kPoison);
    s.complains("a cell that no rank wrote is found", "-2, 1, 3", "the poison");
  }
  {
    Swapped s(context, small(type, halocline::Stencil::box));
    store(s.at(4, -1, 0), s.bytes, encode({1, 0, 2, 7}));
    s.complains("a stale cell is found", "4, -1, 0", s.bytes == 4 ? "bits" : "step 1");
  }
  {
    Swapped s(context, small(type, halocline::Stencil::box));
    std::memcpy(s.at(-1, 0, 2), s.at(0, 0, 3), s.bytes);
    s.complains("a misplaced cell is found", "-1, 0, 2", s.bytes == 4 ? "bits" : rank + ", field 2, cell (0, 0, 3), step 2");
  }
  {
    Swapped s(context, small(type, halocline::Stencil::box));
    std::memset(s.at(3, 2, 4), 0x55, s.bytes);
    s.complains("a damaged interior is found", "3, 2, 4", s.bytes == 8 ? "step" : "bits");
  }
  {
    Swapped s(context, small(type, halocline::Stencil::star));
    std::memcpy(s.at(-1, -1, 0), s.at(0, 0, 0), s.bytes);
    s.complains("a cell outside the star that was written is found", "-1, -1, 0", s.bytes == 4 ? "bits" : "step 2");
  }
}

void check_torn(const halocline::Context &context) {
  Swapped s(context, small("complex128", halocline::Stencil::box));
  s.at(1, 3, 1)[12] ^= 1;
  s.complains("a torn element is found", "1, 3, 1", "not a value of this test");
}

/// How many different shapes and launches there are among the configurations of `auto`.
std::pair<std::size_t, std::size_t> kinds_of(const std::vector<Configuration> &some) {
  std::set<std::int64_t> shapes;
  std::set<std::pair<int, int>> launches;
  for (const Configuration &one : some) shapes.insert(one.shape.x), launches.insert({one.launch.ranks, one.launch.nodes});
  return {shapes.size(), launches.size()};
}

void check_configurations() {
  const auto all = configurations(8, 1000);
  std::set<std::pair<std::int64_t, std::pair<int, int>>> different;
  for (const Configuration &one : all) different.insert({one.shape.x, {one.launch.ranks, one.launch.nodes}});
  expect(all.size() == 54 && different.size() == 54, "auto takes every shape on every launch once", std::to_string(different.size()));
  expect(kinds_of(configurations(8, 9)) == std::pair<std::size_t, std::size_t>{9, 6}, "the first nine are of all shapes and launches");
  expect(kinds_of(configurations(4, 3)) == std::pair<std::size_t, std::size_t>{3, 3}, "three are of three shapes and launches");
  expect(kinds_of(configurations(2, 1000)) == std::pair<std::size_t, std::size_t>{9, 1}, "two ranks have one launch");
  expect(configurations(1, 1000).empty(), "one rank has none");
}

}  // namespace

int main() {
  const halocline::Mpi mpi;
  const halocline::Context context(MPI_COMM_WORLD);
  for (const char *type : {"float32", "float64", "complex128"}) {
    check_right(context, type, false);
    check_right(context, type, true);
    check_wrong(context, type);
  }
  check_torn(context);
  check_configurations();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (context.rank() == 0) std::printf("bench selftest: %s\n", all == 0 ? "the verification finds every kind of wrong cell" : "WRONG");
  return all == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
