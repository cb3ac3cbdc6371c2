// Making the notifications of a window.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/window/notify_board.hpp"

#include "engine/communicator/collective.hpp"
#include "engine/memory/node_memory.hpp"

namespace halocline::core::mpi {

Status NotifyBoard::open() {
  constexpr const char *kCall = "MPIX_Win_set_num_notify";
  Context &context = comm_.context;
  const auto prepare_alone = [&] {
    const core::Lock lock(mutex);
    matched_.resize(static_cast<std::size_t>(count_) * static_cast<std::size_t>(ranks_));
    parts_.resize(static_cast<std::size_t>(context.members()));
    if (comm_.spans_nodes()) segment_ = std::make_unique<Segment>(context.network());
    return segment_ ? segment_->check(kCall, {.bytes = bytes()}) : Status::ok;
  };
  HLC_TRY(prepare(context, context.comm(), prepare_alone));
  HLC_TRY(segment_ ? segment_->create(kCall, {.bytes = bytes()}) : create_shared_memory(context, bytes(), region_));
  for (Member member = 0; member < context.members(); ++member)
    parts_[static_cast<std::size_t>(member)] =
        segment_ ? segment_->memory_of(context.rank_of(member)).data() : region_.part(static_cast<int>(member));
  mine_ = reinterpret_cast<Word *>(parts_[static_cast<std::size_t>(context.member())]);
  return Status::ok;
}

}  // namespace halocline::core::mpi
