// The values around a block as Ludwig gets them: derived datatypes, MPI_Irecv and MPI_Isend, one dimension after the other. Sites on edges
// and in corners travel with the faces of later dimensions.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "swap.hpp"

namespace boltzmann {
namespace {

class Messages : public Swap {
 public:
  explicit Messages(const Setup &setup) : Swap(setup) {
    for (int turn = 0; turn < 2; ++turn)
      for (int d = 0; d < kDims; ++d)
        if (block().split(d)) add_stage(turn, d);
  }
  ~Messages() override {
    for (const auto &stages : stages_)
      for (const Stage &stage : stages)
        for (int side = 0; side < 2; ++side)
          for (MPI_Datatype type : {stage.out[side], stage.in[side]})
            if (type != MPI_DATATYPE_NULL) MPI_Type_free(&type);
  }

  std::int64_t bytes_in() const override {
    std::int64_t bytes = 0;
    for (const Stage &stage : stages_[0])
      for (int side = 0; side < 2; ++side)
        if (stage.rank[side] != MPI_PROC_NULL && stage.in[side] != MPI_DATATYPE_NULL) {
          int size = 0;
          MPI_Type_size(stage.in[side], &size);
          bytes += size;
        }
    return bytes;
  }

 private:
  /// The swap along one dimension. Side 0 is the lower one. A type is null where no component travels.
  struct Stage {
    int rank[2] = {MPI_PROC_NULL, MPI_PROC_NULL};
    MPI_Datatype out[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}, in[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
  };

  void add_stage(int turn, int d) {
    Stage stage;
    for (int side = 0; side < 2; ++side) {
      const int step = side == 0 ? -1 : 1;
      const int neighbour = rank_beside(d, step);
      stage.rank[side] = neighbour == HLC_NO_NEIGHBOUR ? MPI_PROC_NULL : neighbour;
      // What leaves by a side moves that way, and what enters by it the other way.
      stage.out[side] = planes(turn, d, step, step < 0 ? 0 : block().n(d) - 1);
      stage.in[side] = planes(turn, d, -step, step < 0 ? -1 : block().n(d));
    }
    stages_[turn].push_back(stage);
  }

  int rank_beside(int d, int step) const {
    const hlc_grid &grid = block().cells().raw();
    std::array<int, HLC_MAX_DIMS> coords{};
    for (std::size_t e = 0; e < kDims; ++e) coords[e] = grid.coords[e];
    coords[static_cast<std::size_t>(d)] += step;
    return block().cells().rank_at(coords);
  }

  /// A plane across d of the components that move along d by step, with the halo of the dimensions before d.
  MPI_Datatype planes(int turn, int d, int step, std::int64_t at) {
    int extent[kDims], count[kDims], first[kDims];
    for (int e = 0; e < kDims; ++e) {
      const auto depth = static_cast<int>(block().depth(e));
      const int margin = e < d ? depth : 0;
      extent[e] = static_cast<int>(block().extent(e));
      count[e] = static_cast<int>(block().n(e)) + 2 * margin;
      first[e] = depth - margin;
    }
    count[d] = 1;
    first[d] = static_cast<int>(at + block().depth(d));
    MPI_Datatype plane = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(kDims, extent, count, first, MPI_ORDER_C, MPI_DOUBLE, &plane);
    std::vector<MPI_Aint> distances;
    for (int c = 0; c < components(); ++c)
      if (travels(c, d, step)) distances.push_back(reinterpret_cast<char *>(array(turn, c)) - reinterpret_cast<char *>(array(turn, 0)));
    MPI_Datatype all = MPI_DATATYPE_NULL;
    if (!distances.empty()) {
      MPI_Type_create_hindexed_block(static_cast<int>(distances.size()), 1, distances.data(), plane, &all);
      MPI_Type_commit(&all);
    }
    MPI_Type_free(&plane);
    return all;
  }

  bool travels(int component, int d, int step) const {
    const int *velocity = list()[static_cast<std::size_t>(component)].velocity;
    return full() || velocity == nullptr || velocity[d] == step;
  }

  void begin(int turn, std::size_t number) {
    const Stage &stage = stages_[turn][number];
    for (int side = 0; side < 2; ++side)
      if (stage.in[side] != MPI_DATATYPE_NULL)
        MPI_Irecv(array(turn, 0), 1, stage.in[side], stage.rank[side], 1 - side, MPI_COMM_WORLD, &requests_.emplace_back());
    for (int side = 0; side < 2; ++side)
      if (stage.out[side] != MPI_DATATYPE_NULL)
        MPI_Isend(array(turn, 0), 1, stage.out[side], stage.rank[side], side, MPI_COMM_WORLD, &requests_.emplace_back());
  }

  void do_start(int turn) override {
    if (!stages_[turn].empty()) begin(turn, 0);
  }

  void do_finish(int turn) override {
    for (std::size_t number = 0; number < stages_[turn].size(); ++number) {
      if (number > 0) begin(turn, number);
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
      requests_.clear();
    }
  }

  std::vector<Stage> stages_[2];
  std::vector<MPI_Request> requests_;
};

}  // namespace

std::unique_ptr<Swap> make_messages(const Setup &setup) { return std::make_unique<Messages>(setup); }

}  // namespace boltzmann
