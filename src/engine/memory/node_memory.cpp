// The steps of making shared memory: sizes are gathered, one rank creates the object, the others open it, each reserves and maps.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/memory/node_memory.hpp"

#include <cerrno>
#include <cstring>

#include "engine/communicator/collective.hpp"

namespace halocline::core {
namespace {

using transport::shm::ObjectAddress;

/// What the ranks exchange in these steps.
struct Layout : Job {
  std::int64_t mine = 0;
  std::vector<std::int64_t> bytes;
  ObjectAddress address;
};

Status shortage(const Communicator &communicator, std::int64_t bytes, int error) {
  if (error == 0) return Status::ok;
  const std::int64_t promised = error == ENOSPC ? transport::shm::promised_bytes() : 0;
  if (promised > 0)
    return fail(
        Status::memory,
        "rank %d cannot allocate %lld bytes of shared memory on its node: %s (see 'df /dev/shm'; of what it shows as available %lld "
        "bytes are for memory that programs have allocated and not touched yet)",
        communicator.rank(), static_cast<long long>(bytes), std::strerror(error), static_cast<long long>(promised));
  return fail(Status::memory, "rank %d cannot allocate %lld bytes of shared memory on its node: %s (see 'df /dev/shm', 'ulimit -a')",
              communicator.rank(), static_cast<long long>(bytes), std::strerror(error));
}

/// my_bytes: whole pages.
Status gather_sizes(Communicator &communicator, std::int64_t my_bytes, std::unique_ptr<Layout> &layout, SharedMemory &segment) {
  HLC_TRY(prepare(communicator, communicator.node_comm(), [&] {
    layout = std::make_unique<Layout>();
    layout->bytes.resize(static_cast<std::size_t>(communicator.members()));
    layout->requests.resize(1, MPI_REQUEST_NULL);
    layout->mine = my_bytes;
    segment.reserve(communicator.members());
    return Status::ok;
  }));
  HLC_TRY(check_mpi(MPI_Iallgather(&layout->mine, 1, MPI_INT64_T, layout->bytes.data(), 1, MPI_INT64_T, communicator.node_comm(),
                                   layout->requests.data()),
                    "MPI_Iallgather"));
  HLC_TRY(await(communicator, layout));
  segment.lay_out(layout->bytes);
  return Status::ok;
}

/// Member 0 creates the object, the others open it.
Status open_everywhere(Communicator &communicator, std::unique_ptr<Layout> &layout, SharedMemory &segment,
                       int (SharedMemory::*make)(ObjectAddress &)) {
  int error = 0;
  if (communicator.member() == 0) error = (segment.*make)(layout->address);
  HLC_TRY(agree(communicator, communicator.node_comm(), shortage(communicator, segment.bytes(), error)));
  HLC_TRY(check_mpi(MPI_Ibcast(&layout->address, sizeof layout->address, MPI_BYTE, 0, communicator.node_comm(), layout->requests.data()),
                    "MPI_Ibcast"));
  HLC_TRY(await(communicator, layout));
  if (communicator.member() != 0) error = segment.open(layout->address);
  return agree(communicator, communicator.node_comm(), shortage(communicator, segment.bytes(), error));
}

/// Creates the object without a name if all ranks can open it so. Else it has a name in /dev/shm until all have opened it. If its creator
/// dies before, the others remove the name.
Status open_or_name(Communicator &communicator, std::unique_ptr<Layout> &layout, SharedMemory &segment) {
  const Status nameless = open_everywhere(communicator, layout, segment, &SharedMemory::make_nameless);
  if (!failed(nameless) || communicator.lost()) return nameless;
  const Status named = open_everywhere(communicator, layout, segment, &SharedMemory::make_named);
  if (layout && (communicator.member() == 0 || communicator.lost())) SharedMemory::unlink(layout->address);
  return named;
}

}  // namespace

Status create_shared_memory(Communicator &communicator, std::int64_t my_bytes, SharedMemory &segment, ObjectFile file, Pages pages) {
  segment = SharedMemory();
  std::unique_ptr<Layout> layout;
  HLC_TRY(gather_sizes(communicator, SharedMemory::rounded(my_bytes, pages), layout, segment));
  // A rank alone on its node needs no object, if there is no helper.
  if (communicator.members() > 1 || file == ObjectFile::kept) HLC_TRY(open_or_name(communicator, layout, segment));
  const bool is_maker = communicator.members() > 1 ? communicator.member() == 0 : file == ObjectFile::kept;
  int error = is_maker && pages == Pages::promised ? segment.promise() : 0;
  if (error == 0) error = segment.map(communicator.member(), pages);
  if (error == 0 && (pages == Pages::promised || pages == Pages::untouched)) segment.explain_missing_pages(communicator.rank());
  if (file == ObjectFile::closed) segment.close();
  return agree(communicator, communicator.node_comm(), shortage(communicator, segment.bytes(), error));
}

}  // namespace halocline::core
