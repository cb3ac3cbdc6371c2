// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/hand_typed.hpp"

#include <set>

namespace bench {

constexpr int kTag = 77;

HandTypedSwap::HandTypedSwap(MPI_Comm comm, const Block &block, bool box, const std::vector<int> &neighbours,
                             const std::vector<char *> &fields)
    : comm_(comm), block_(block), fields_(fields) {
  int me = 0;
  MPI_Comm_rank(comm, &me);
  const std::vector<Index> all = directions(block, box);
  std::set<int> partners;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (neighbours[i] == me)
      self_.push_back({block.edge(opposite(all[i])), block.halo(all[i])});
    else
      partners.insert(neighbours[i]);
  }
  for (const int rank : partners) add_partner(rank, all, neighbours);
}

HandTypedSwap::~HandTypedSwap() {
  for (MPI_Request &request : requests_) MPI_Request_free(&request);
}

/// Both ends have the directions in the order of the sender.
void HandTypedSwap::add_partner(int rank, const std::vector<Index> &all, const std::vector<int> &neighbours) {
  std::vector<Region> edges, halos;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (neighbours[i] == rank) edges.push_back(block_.edge(all[i]));
  // The list of directions is symmetrical: the opposite of the first is the last.
  for (std::size_t i = 0; i < all.size(); ++i)
    if (neighbours[all.size() - 1 - i] == rank) halos.push_back(block_.halo(opposite(all[i])));
  MPI_Datatype from = cells_of(edges), into = cells_of(halos);
  requests_.resize(requests_.size() + 2);
  MPI_Recv_init(MPI_BOTTOM, 1, into, rank, kTag, comm_, &requests_[requests_.size() - 2]);
  MPI_Send_init(MPI_BOTTOM, 1, from, rank, kTag, comm_, &requests_[requests_.size() - 1]);
  MPI_Type_free(&from);
  MPI_Type_free(&into);
}

/// The cells of these regions in all fields, by their addresses.
MPI_Datatype HandTypedSwap::cells_of(const std::vector<Region> &regions) const {
  MPI_Datatype element = MPI_DATATYPE_NULL, all = MPI_DATATYPE_NULL;
  if (block_.element_bytes == sizeof(double))
    MPI_Type_dup(MPI_DOUBLE, &element);
  else
    MPI_Type_contiguous(static_cast<int>(block_.element_bytes), MPI_BYTE, &element);
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Aint> places;
  for (char *const field : fields_)
    for (const Region &region : regions) {
      int extents[3], counts[3], firsts[3];
      for (int d = 0; d < 3; ++d) {
        extents[d] = static_cast<int>(block_.extent(d));
        counts[d] = static_cast<int>(region.count[d]);
        firsts[d] = static_cast<int>(region.first[d]);
      }
      types.emplace_back();
      places.emplace_back();
      MPI_Type_create_subarray(3, extents, counts, firsts, MPI_ORDER_C, element, &types.back());
      MPI_Get_address(field, &places.back());
    }
  const std::vector<int> once(types.size(), 1);
  MPI_Type_create_struct(static_cast<int>(types.size()), once.data(), places.data(), types.data(), &all);
  MPI_Type_commit(&all);
  for (MPI_Datatype &type : types) MPI_Type_free(&type);
  MPI_Type_free(&element);
  return all;
}

void HandTypedSwap::run() {
  MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
  copy_self(block_, self_, fields_);
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
}

}  // namespace bench
