// Collectives whose datatypes the program frees as soon as the call has returned, and makes others that get the same handles or memory.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <halocline/mpi4.h>

#include "support/mpi_test.hpp"

namespace {

using halocline::test::rank;
using halocline::test::size;

constexpr int kGap = 3;

enum class Form { alltoall, alltoallv, alltoallw };
enum class Way { persistent, nonblocking };

/// Every third of some numbers.
MPI_Datatype make_type(int numbers, int distance = kGap) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_vector(numbers, 1, distance, MPI_INT, &made);
  MPI_Type_commit(&made);
  return made;
}

/// Types in whose place a freed one would be found.
class OtherTypes {
 public:
  OtherTypes() {
    for (std::size_t i = 0; i < types_.size(); ++i) types_[i] = make_type(5, 7 + static_cast<int>(i));
  }
  OtherTypes(const OtherTypes &) = delete;
  OtherTypes &operator=(const OtherTypes &) = delete;
  ~OtherTypes() {
    for (MPI_Datatype &type : types_) MPI_Type_free(&type);
  }

 private:
  std::array<MPI_Datatype, 8> types_{};
};

int number_of(int from, int to, int step, int i) { return from * 100'000'007 + to * 10'000'019 + step * 1'000'003 + i; }

/// A block for each of some ranks, and one of each of some: element i of a block is kGap * i numbers after its begin.
struct Blocks {
  int numbers;
  std::vector<int> to, from;
  std::vector<int> sent, received;

  Blocks(int each, std::vector<int> targets, std::vector<int> sources)
      : numbers(each), to(std::move(targets)), from(std::move(sources)), sent(to.size() * all()), received(from.size() * all()) {}

  std::size_t all() const { return static_cast<std::size_t>(numbers) * kGap; }
  std::size_t at(std::size_t block, int i) const { return block * all() + static_cast<std::size_t>(i) * kGap; }
  void renew(int step) {
    std::fill(received.begin(), received.end(), -1);
    for (std::size_t block = 0; block < to.size(); ++block)
      for (int i = 0; i < numbers; ++i) sent[at(block, i)] = number_of(rank(), to[block], step, i);
  }
  /// Counts what is wrong, gaps included. `gathered`: a rank sends all the same, its first block.
  int wrong(int step, bool gathered = false) const {
    int found = 0;
    for (std::size_t block = 0; block < from.size(); ++block)
      for (int i = 0; i < numbers; ++i) {
        found += received[at(block, i)] != number_of(from[block], gathered ? 0 : rank(), step, i) ? 1 : 0;
        found += received[at(block, i) + 1] != -1 || received[at(block, i) + 2] != -1 ? 1 : 0;
      }
    return found;
  }
};

/// Where each block begins, in elements of one number and in bytes.
struct Places {
  std::vector<int> counts, bytes;
  std::vector<MPI_Aint> addresses;

  Places(const Blocks &blocks, std::size_t number) : counts(number, 1) {
    for (std::size_t block = 0; block < number; ++block) {
      bytes.push_back(static_cast<int>(blocks.at(block, 0) * sizeof(int)));
      addresses.push_back(bytes.back());
    }
  }
};

/// With one type the blocks follow each other at its extent.
MPI_Datatype resized(MPI_Datatype type, std::size_t numbers) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(type, 0, static_cast<MPI_Aint>(numbers * sizeof(int)), &made);
  MPI_Type_commit(&made);
  MPI_Type_free(&type);
  return made;
}

std::vector<int> all_ranks() {
  std::vector<int> all;
  for (int i = 0; i < size(); ++i) all.push_back(i);
  return all;
}

/// The ranks on either side.
std::vector<int> sides() { return {(rank() + size() - 1) % size(), (rank() + 1) % size()}; }

/// The arrays of a call, which stay as they are until its request is over.
struct Arrays {
  Places places;
  std::vector<int> order{0, 1};
  std::vector<MPI_Datatype> types;

  explicit Arrays(const Blocks &blocks) : places(blocks, 2) {}
};

/// Every rank has an edge to the ranks on either side.
class Neighbours {
 public:
  Neighbours() {
    const std::vector<int> both = sides();
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, both.data(), MPI_UNWEIGHTED, 2, both.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &comm_);
    MPI_Neighbor_alltoall(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, comm_);
  }
  Neighbours(const Neighbours &) = delete;
  Neighbours &operator=(const Neighbours &) = delete;
  ~Neighbours() { MPI_Comm_free(&comm_); }

  /// The datatype is freed before this returns.
  MPI_Request begin(Form form, Way way, Blocks &blocks, Arrays &arrays) const {
    MPI_Datatype type = resized(make_type(blocks.numbers), blocks.all());
    arrays.types = {type, type};
    const MPI_Request request = way == Way::persistent ? init(form, blocks, arrays) : start(form, blocks, arrays);
    MPI_Type_free(&type);
    return request;
  }

 private:
  MPI_Request init(Form form, Blocks &blocks, const Arrays &arrays) const {
    void *const from = blocks.sent.data(), *const to = blocks.received.data();
    const int *const counts = arrays.places.counts.data(), *const order = arrays.order.data();
    const MPI_Aint *const places = arrays.places.addresses.data();
    const MPI_Datatype *const types = arrays.types.data();
    MPI_Request request = MPI_REQUEST_NULL;
    if (form == Form::alltoall)
      MPI_Neighbor_alltoall_init(from, 1, *types, to, 1, *types, comm_, MPI_INFO_NULL, &request);
    else if (form == Form::alltoallv)
      MPI_Neighbor_alltoallv_init(from, counts, order, *types, to, counts, order, *types, comm_, MPI_INFO_NULL, &request);
    else
      MPI_Neighbor_alltoallw_init(from, counts, places, types, to, counts, places, types, comm_, MPI_INFO_NULL, &request);
    return request;
  }
  MPI_Request start(Form form, Blocks &blocks, const Arrays &arrays) const {
    void *const from = blocks.sent.data(), *const to = blocks.received.data();
    const int *const counts = arrays.places.counts.data(), *const order = arrays.order.data();
    const MPI_Aint *const places = arrays.places.addresses.data();
    const MPI_Datatype *const types = arrays.types.data();
    MPI_Request request = MPI_REQUEST_NULL;
    if (form == Form::alltoall)
      MPI_Ineighbor_alltoall(from, 1, *types, to, 1, *types, comm_, &request);
    else if (form == Form::alltoallv)
      MPI_Ineighbor_alltoallv(from, counts, order, *types, to, counts, order, *types, comm_, &request);
    else
      MPI_Ineighbor_alltoallw(from, counts, places, types, to, counts, places, types, comm_, &request);
    return request;
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Short blocks; blocks that are longer than slots of shared memory.
constexpr int kNumbers[] = {20, 300'000};

void run_persistent(MPI_Request request, Blocks &blocks, bool gathered, const std::string &what) {
  {
    const OtherTypes others;
    for (int step = 0; step < 2; ++step) {
      blocks.renew(step);
      if (gathered)
        for (int i = 0; i < blocks.numbers; ++i) blocks.sent[blocks.at(0, i)] = number_of(rank(), 0, step, i);
      EXPECT_EQ(MPI_Start(&request), MPI_SUCCESS);
      EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(blocks.wrong(step, gathered), 0) << what << ", " << blocks.numbers << " numbers, step " << step;
    }
  }
  MPI_Request_free(&request);
}

TEST(FreedTypes, of_persistent_collectives_of_neighbours_are_used_in_each_start) {
  const Neighbours ring;
  for (const int numbers : kNumbers)
    for (const Form form : {Form::alltoall, Form::alltoallv, Form::alltoallw}) {
      Blocks blocks(numbers, sides(), sides());
      Arrays arrays(blocks);
      run_persistent(ring.begin(form, Way::persistent, blocks, arrays), blocks, false, "form " + std::to_string(static_cast<int>(form)));
    }
}

TEST(FreedTypes, of_nonblocking_collectives_of_neighbours_are_used_until_these_are_over) {
  constexpr std::size_t kAtOnce = 6;  // more than there are slots
  const Neighbours ring;
  for (const int numbers : {20, 30'000})
    for (const Form form : {Form::alltoall, Form::alltoallv, Form::alltoallw}) {
      std::vector<Blocks> blocks(kAtOnce, Blocks(numbers, sides(), sides()));
      std::vector<Arrays> arrays(kAtOnce, Arrays(blocks[0]));
      std::vector<MPI_Request> requests;
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        blocks[i].renew(static_cast<int>(i));
        requests.push_back(ring.begin(form, Way::nonblocking, blocks[i], arrays[i]));
      }
      const OtherTypes others;
      EXPECT_EQ(MPI_Waitall(static_cast<int>(kAtOnce), requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
      for (std::size_t i = 0; i < kAtOnce; ++i)
        EXPECT_EQ(blocks[i].wrong(static_cast<int>(i)), 0) << "form " << static_cast<int>(form) << ", " << numbers << " numbers";
    }
}

TEST(FreedTypes, of_MPI_Alltoallv_init_and_its_relatives_are_used_in_each_start) {
  for (const int numbers : kNumbers)
    for (int call = 0; call < 3; ++call) {
      Blocks blocks(numbers, all_ranks(), all_ranks());
      const Places places(blocks, static_cast<std::size_t>(size()));
      MPI_Datatype type = resized(make_type(numbers), blocks.all());
      const std::vector<int> order = all_ranks();
      const std::vector<MPI_Datatype> types(order.size(), type);
      const int *const counts = places.counts.data(), *const bytes = places.bytes.data();
      void *const from = blocks.sent.data(), *const to = blocks.received.data();
      MPI_Request request = MPI_REQUEST_NULL;
      if (call == 0)
        MPI_Alltoallv_init(from, counts, order.data(), type, to, counts, order.data(), type, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
      else if (call == 1)
        MPI_Alltoallw_init(from, counts, bytes, types.data(), to, counts, bytes, types.data(), MPI_COMM_WORLD, MPI_INFO_NULL, &request);
      else
        MPI_Allgatherv_init(from, 1, type, to, counts, order.data(), type, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
      MPI_Type_free(&type);
      run_persistent(request, blocks, call == 2, "call " + std::to_string(call));
    }
}

}  // namespace
