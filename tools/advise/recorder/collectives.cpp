// Neighbourhood collectives with the bytes to each neighbour; other collectives by name and time.
// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "calls.hpp"

using namespace advise;

namespace {

void record_neighbours(const Call &call, Kind kind, MPI_Comm comm, const std::vector<std::uint64_t> &bytes) {
  Event *const event = call.record(kind);
  if (!event) return;
  for (const std::uint64_t one : bytes) event->bytes += one;
  event->comm = members_of_comm(comm).id;
  event->count = static_cast<std::uint32_t>(bytes.size());
  this_thread.log->add_words(Kind::items, bytes.data(), bytes.size());
}

std::vector<std::uint64_t> same_bytes(int count, MPI_Datatype type, MPI_Comm comm) {
  return std::vector<std::uint64_t>(static_cast<std::size_t>(members_of_comm(comm).out), static_cast<std::uint64_t>(bytes_of(count, type)));
}

std::vector<std::uint64_t> bytes_each(const int *counts, MPI_Datatype type, MPI_Comm comm) {
  std::vector<std::uint64_t> bytes;
  for (int i = 0; i < members_of_comm(comm).out; ++i) bytes.push_back(static_cast<std::uint64_t>(bytes_of(counts[i], type)));
  return bytes;
}

std::vector<std::uint64_t> bytes_each(const int *counts, const MPI_Datatype *types, MPI_Comm comm) {
  std::vector<std::uint64_t> bytes;
  for (int i = 0; i < members_of_comm(comm).out; ++i) bytes.push_back(static_cast<std::uint64_t>(bytes_of(counts[i], types[i])));
  return bytes;
}

/// Which one, in the order of the reader's list (recording.py).
enum class Name : std::uint8_t {
  bcast = 1,
  reduce,
  allreduce,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce_scatter,
  scan
};

void record_collective(const Call &call, Kind kind, Name name, std::int64_t bytes) {
  if (Event *const event = call.record(kind))
    event->detail = static_cast<std::uint8_t>(name), event->bytes = static_cast<std::uint64_t>(bytes);
}

}  // namespace

#define HLC_ADVISE_NEIGHBOURS(name, given, passed, bytes) \
  HLC_ADVISE_CALL(Neighbor_##name, given, passed, record_neighbours(call, Kind::neighbour, comm, bytes);)
#define HLC_ADVISE_STARTED_NEIGHBOURS(name, given, passed, bytes) \
  HLC_ADVISE_CALL(Ineighbor_##name, given, passed, record_neighbours(call, Kind::start_neighbour, comm, bytes);)

#define HLC_ADVISE_COMMA ,
#define HLC_ADVISE_REQUEST HLC_ADVISE_COMMA MPI_Request *request
#define HLC_ADVISE_PASS HLC_ADVISE_COMMA request

#define HLC_ADVISE_EACH(make, more, pass)                                                                                             \
  make(alltoall, (const void *data, int count, MPI_Datatype type, void *place, int room, MPI_Datatype kind, MPI_Comm comm more),      \
       (data, count, type, place, room, kind, comm pass), same_bytes(count, type, comm))                                              \
      make(allgather, (const void *data, int count, MPI_Datatype type, void *place, int room, MPI_Datatype kind, MPI_Comm comm more), \
           (data, count, type, place, room, kind, comm pass), same_bytes(count, type, comm))                                          \
          make(allgatherv,                                                                                                            \
               (const void *data, int count, MPI_Datatype type, void *place, const int rooms[], const int at[], MPI_Datatype kind,    \
                MPI_Comm comm more),                                                                                                  \
               (data, count, type, place, rooms, at, kind, comm pass), same_bytes(count, type, comm))                                 \
              make(alltoallv,                                                                                                         \
                   (const void *data, const int counts[], const int from[], MPI_Datatype type, void *place, const int rooms[],        \
                    const int at[], MPI_Datatype kind, MPI_Comm comm more),                                                           \
                   (data, counts, from, type, place, rooms, at, kind, comm pass), bytes_each(counts, type, comm))                     \
                  make(alltoallw,                                                                                                     \
                       (const void *data, const int counts[], const MPI_Aint from[], const MPI_Datatype types[], void *place,         \
                        const int rooms[], const MPI_Aint at[], const MPI_Datatype kinds[], MPI_Comm comm more),                      \
                       (data, counts, from, types, place, rooms, at, kinds, comm pass), bytes_each(counts, types, comm))

HLC_ADVISE_EACH(HLC_ADVISE_NEIGHBOURS, , )
HLC_ADVISE_EACH(HLC_ADVISE_STARTED_NEIGHBOURS, HLC_ADVISE_REQUEST, HLC_ADVISE_PASS)

HLC_ADVISE_CALL(Barrier, (MPI_Comm comm), (comm), call.record(Kind::barrier);)
HLC_ADVISE_CALL(Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request), call.record(Kind::start_collective);)

#define HLC_ADVISE_COLLECTIVE(name, word, given, passed, bytes) \
  HLC_ADVISE_CALL(name, given, passed, record_collective(call, Kind::collective, Name::word, bytes);)

HLC_ADVISE_COLLECTIVE(Bcast, bcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm), (data, count, type, root, comm),
                      bytes_of(count, type))
HLC_ADVISE_COLLECTIVE(Reduce, reduce, (const void *data, void *place, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
                      (data, place, count, type, op, root, comm), bytes_of(count, type))
HLC_ADVISE_COLLECTIVE(Allreduce, allreduce, (const void *data, void *place, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                      (data, place, count, type, op, comm), bytes_of(count, type))
HLC_ADVISE_CALL(Iallreduce, (const void *data, void *place, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
                (data, place, count, type, op, comm, request),
                record_collective(call, Kind::start_collective, Name::allreduce, bytes_of(count, type));)
HLC_ADVISE_COLLECTIVE(Scan, scan, (const void *data, void *place, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                      (data, place, count, type, op, comm), bytes_of(count, type))
HLC_ADVISE_COLLECTIVE(Exscan, scan, (const void *data, void *place, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                      (data, place, count, type, op, comm), bytes_of(count, type))
HLC_ADVISE_COLLECTIVE(Reduce_scatter_block, reduce_scatter,
                      (const void *data, void *place, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                      (data, place, count, type, op, comm), bytes_of(count, type))
HLC_ADVISE_COLLECTIVE(Reduce_scatter, reduce_scatter,
                      (const void *data, void *place, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
                      (data, place, counts, type, op, comm), 0)
HLC_ADVISE_COLLECTIVE(Gather, gather,
                      (const void *data, int count, MPI_Datatype type, void *place, int room, MPI_Datatype kind, int root, MPI_Comm comm),
                      (data, count, type, place, room, kind, root, comm), 0)
HLC_ADVISE_COLLECTIVE(Gatherv, gatherv,
                      (const void *data, int count, MPI_Datatype type, void *place, const int rooms[], const int at[], MPI_Datatype kind,
                       int root, MPI_Comm comm),
                      (data, count, type, place, rooms, at, kind, root, comm), 0)
HLC_ADVISE_COLLECTIVE(Scatter, scatter,
                      (const void *data, int count, MPI_Datatype type, void *place, int room, MPI_Datatype kind, int root, MPI_Comm comm),
                      (data, count, type, place, room, kind, root, comm), 0)
HLC_ADVISE_COLLECTIVE(Scatterv, scatterv,
                      (const void *data, const int counts[], const int from[], MPI_Datatype type, void *place, int room, MPI_Datatype kind,
                       int root, MPI_Comm comm),
                      (data, counts, from, type, place, room, kind, root, comm), 0)
HLC_ADVISE_COLLECTIVE(Allgather, allgather,
                      (const void *data, int count, MPI_Datatype type, void *place, int room, MPI_Datatype kind, MPI_Comm comm),
                      (data, count, type, place, room, kind, comm), 0)
HLC_ADVISE_COLLECTIVE(Allgatherv, allgatherv,
                      (const void *data, int count, MPI_Datatype type, void *place, const int rooms[], const int at[], MPI_Datatype kind,
                       MPI_Comm comm),
                      (data, count, type, place, rooms, at, kind, comm), 0)
HLC_ADVISE_COLLECTIVE(Alltoall, alltoall,
                      (const void *data, int count, MPI_Datatype type, void *place, int room, MPI_Datatype kind, MPI_Comm comm),
                      (data, count, type, place, room, kind, comm), 0)
HLC_ADVISE_COLLECTIVE(Alltoallv, alltoallv,
                      (const void *data, const int counts[], const int from[], MPI_Datatype type, void *place, const int rooms[],
                       const int at[], MPI_Datatype kind, MPI_Comm comm),
                      (data, counts, from, type, place, rooms, at, kind, comm), 0)
HLC_ADVISE_COLLECTIVE(Alltoallw, alltoallw,
                      (const void *data, const int counts[], const int from[], const MPI_Datatype types[], void *place, const int rooms[],
                       const int at[], const MPI_Datatype kinds[], MPI_Comm comm),
                      (data, counts, from, types, place, rooms, at, kinds, comm), 0)
