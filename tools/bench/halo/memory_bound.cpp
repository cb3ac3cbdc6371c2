// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/memory_bound.hpp"

#include "bench/frame/shared.hpp"

#include <cstring>

namespace bench {

namespace {

/// The same box of cells in the owner's twin and in my fields: runs of contiguous bytes, in the order of memory.
struct Copy {
  std::vector<const char *> from;
  std::size_t run;
  std::vector<std::pair<std::size_t, std::size_t>> places;  ///< offsets of the runs: source, target
};

/// Columns that follow each other in memory on both sides become one run.
void list_runs(const Block &block, const Region &edge, const Region &halo, Copy &copy) {
  copy.run = static_cast<std::size_t>(halo.count[2]) * block.element_bytes;
  const bool whole_columns = halo.count[2] == block.extent(2);
  if (whole_columns) copy.run *= static_cast<std::size_t>(halo.count[1]);
  for (std::int64_t x = 0; x < halo.count[0]; ++x)
    for (std::int64_t y = 0; y < (whole_columns ? 1 : halo.count[1]); ++y)
      copy.places.push_back({block.offset(edge.first[0] + x, edge.first[1] + y, edge.first[2]),
                             block.offset(halo.first[0] + x, halo.first[1] + y, halo.first[2])});
}

/// Runs of a size that is known need no call for each.
template <std::size_t bytes>
void copy_short(const Copy &copy, const char *from, char *to) {
  for (const auto &[source, target] : copy.places) std::memcpy(to + target, from + source, bytes);
}

void copy_runs(const Copy &copy, const char *from, char *to) {
  switch (copy.run) {
    case 4: return copy_short<4>(copy, from, to);
    case 8: return copy_short<8>(copy, from, to);
    case 16: return copy_short<16>(copy, from, to);
    case 32: return copy_short<32>(copy, from, to);
    default: break;
  }
  for (const auto &[source, target] : copy.places) std::memcpy(to + target, from + source, copy.run);
}

class MemoryBound : public Contender {
 public:
  MemoryBound(Problem &problem, MPI_Comm comm, MPI_Comm node) : Contender("limit"), problem_(problem) {
    allocate_twins(node);
    const Block &block = problem.block();
    for (const Index &v : directions(block, problem.box())) {
      Copy copy{sources(comm, node, problem.neighbour(v)), 0, {}};
      list_runs(block, block.edge(opposite(v)), block.halo(v), copy);
      copies_.push_back(std::move(copy));
    }
  }
  ~MemoryBound() override { MPI_Win_free(&window_); }

  void swap() override {
    for (const Copy &copy : copies_)
      for (std::size_t f = 0; f < copy.from.size(); ++f) copy_runs(copy, copy.from[f], problem_.fields()[f]);
  }
  std::string route() const override { return "copy " + std::to_string(copies_.size()); }
  void change_edge(Edge edge, std::uint32_t step) override {
    for (const auto &fields : {twins_, problem_.fields()}) problem_.change_edge(edge, fields, step);
  }
  bool swaps() const override { return false; }

 private:
  /// Bytes from one twin to the next: whole pages, as the fields have.
  std::size_t twin_bytes() const { return (problem_.block().array_bytes() + 4095) / 4096 * 4096; }

  void allocate_twins(MPI_Comm node) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    char *mine = nullptr;
    const std::size_t count = problem_.fields().size();
    MPI_Win_allocate_shared(static_cast<MPI_Aint>(count * twin_bytes()), 1, info, node, &mine, &window_);
    MPI_Info_free(&info);
    for (std::size_t f = 0; f < count; ++f) twins_.push_back(mine + f * twin_bytes());
    problem_.change_edge(Edge::rewrite, twins_, 0);
    meet(node);
  }

  /// Where the cells of a rank of comm are read: in my own fields if it is me or on another node, else in its twins.
  std::vector<const char *> sources(MPI_Comm comm, MPI_Comm node, int rank) const {
    const int there = rank_within(node, comm, rank);
    if (rank == rank_of(comm) || there == MPI_UNDEFINED) return {problem_.fields().begin(), problem_.fields().end()};
    MPI_Aint bytes = 0;
    int unit = 1;
    char *base = nullptr;
    MPI_Win_shared_query(window_, there, &bytes, &unit, &base);
    std::vector<const char *> twins;
    for (std::size_t f = 0; f < twins_.size(); ++f) twins.push_back(base + f * twin_bytes());
    return twins;
  }

  /// The number in `part` of a rank of `all`; MPI_UNDEFINED if it has none.
  static int rank_within(MPI_Comm part, MPI_Comm all, int rank) {
    MPI_Group of_part, of_all;
    MPI_Comm_group(part, &of_part);
    MPI_Comm_group(all, &of_all);
    int there = MPI_UNDEFINED;
    MPI_Group_translate_ranks(of_all, 1, &rank, of_part, &there);
    MPI_Group_free(&of_part);
    MPI_Group_free(&of_all);
    return there;
  }

  Problem &problem_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<char *> twins_;
  std::vector<Copy> copies_;
};

}  // namespace

std::unique_ptr<Contender> make_memory_bound(Problem &problem, MPI_Comm comm, MPI_Comm node) {
  return std::make_unique<MemoryBound>(problem, comm, node);
}

}  // namespace bench
