// The steps of making a segment: sizes are gathered, one rank makes the object, the others open it, each reserves and maps.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/segment.hpp"

#include <cstring>

#include "engine/collective.hpp"

namespace halocline {
namespace {

using transport::shm::ObjectAddress;

/// What the ranks tell each other on the way.
struct Layout : Job {
  std::int64_t mine = 0;
  std::vector<std::int64_t> bytes;
  ObjectAddress address;
};

Status shortage(const Context &context, std::int64_t bytes, int error) {
  if (error == 0) return Status::ok;
  return fail(Status::memory, "rank %d: shared memory for %lld bytes on its node cannot be had: %s (see 'df /dev/shm', 'ulimit -a')",
              context.rank(), static_cast<long long>(bytes), std::strerror(error));
}

Status gather_sizes(Context &context, std::int64_t my_bytes, std::unique_ptr<Layout> &layout, Segment &segment) {
  HLC_TRY(prepare(context, context.node_comm(), [&] {
    layout = std::make_unique<Layout>();
    layout->bytes.resize(static_cast<std::size_t>(context.members()));
    layout->requests.resize(1, MPI_REQUEST_NULL);
    layout->mine = Segment::rounded(my_bytes);
    segment.reserve(context.members());
    return Status::ok;
  }));
  HLC_TRY(check_mpi(
      MPI_Iallgather(&layout->mine, 1, MPI_INT64_T, layout->bytes.data(), 1, MPI_INT64_T, context.node_comm(), layout->requests.data()),
      "MPI_Iallgather"));
  HLC_TRY(await(context, layout));
  segment.lay_out(layout->bytes);
  return Status::ok;
}

/// Member 0 makes the object, the others open it.
Status open_everywhere(Context &context, std::unique_ptr<Layout> &layout, Segment &segment, int (Segment::*make)(ObjectAddress &)) {
  int error = 0;
  if (context.member() == 0) error = (segment.*make)(layout->address);
  HLC_TRY(agree(context, context.node_comm(), shortage(context, segment.bytes(), error)));
  HLC_TRY(check_mpi(MPI_Ibcast(&layout->address, sizeof layout->address, MPI_BYTE, 0, context.node_comm(), layout->requests.data()),
                    "MPI_Ibcast"));
  HLC_TRY(await(context, layout));
  if (context.member() != 0) error = segment.open(layout->address);
  return agree(context, context.node_comm(), shortage(context, segment.bytes(), error));
}

/// Without a name if the ranks can reach the object so. Else a name stands in /dev/shm until all have opened it; should its maker die
/// before, the others remove it.
Status open_or_name(Context &context, std::unique_ptr<Layout> &layout, Segment &segment) {
  const Status nameless = open_everywhere(context, layout, segment, &Segment::make_nameless);
  if (!failed(nameless) || context.lost()) return nameless;
  const Status named = open_everywhere(context, layout, segment, &Segment::make_named);
  if (layout && (context.member() == 0 || context.lost())) Segment::unlink(layout->address);
  return named;
}

}  // namespace

Status create_segment(Context &context, std::int64_t my_bytes, Segment &segment, ObjectFile file, Pages pages) {
  segment = Segment();
  std::unique_ptr<Layout> layout;
  HLC_TRY(gather_sizes(context, my_bytes, layout, segment));
  // A rank alone on its node needs no object, if there is no helper.
  if (context.members() > 1 || file == ObjectFile::kept) HLC_TRY(open_or_name(context, layout, segment));
  const int error = segment.map(context.member(), pages);
  if (file == ObjectFile::closed) segment.close();
  return agree(context, context.node_comm(), shortage(context, segment.bytes(), error));
}

}  // namespace halocline
