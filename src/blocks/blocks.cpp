// Running swaps of blocks: which fields a swap copies. The copies are in piece_copies.cpp, planning is in plan.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks/blocks.hpp"

#include "base/bounds.hpp"
#include "blocks/links.hpp"
#include "exchange/check.hpp"
#include "exchange/rounds.hpp"

namespace halocline::core {

Status Blocks::check_swap(const char *call, const hlc_swap *what) const {
  const int me = communicator_.rank();
  if (!what) return Status::ok;
  if (what->one_dim || what->side != HLC_SIDE_BOTH)
    return fail(Status::unsupported, "%s on rank %d: %s is %d, but blocks swap all dimensions and sides together: it must be 0", call, me,
                what->one_dim ? "one_dim" : "side", what->one_dim ? what->one_dim : static_cast<int>(what->side));
  if (what->depth < 0)
    return fail(Status::argument, "%s on rank %d: depth is %lld, it must be 0 (the whole halo) or more", call, me,
                static_cast<long long>(what->depth));
  HLC_TRY(check_field_list(call, me, *what, static_cast<int>(tables_.fields.size())));
  HLC_TRY(check_bounds({call, me}, {flag("reverse", what->reverse)}));
  // If no rank has a block, no field has a type, and there is nothing to add.
  const auto type_of = [](const BlockField &field) { return field.element == 0 ? HLC_FLOAT64 : field.type; };
  return check_addable(call, me, *what, tables_.fields, type_of);
}

Status Blocks::start(const hlc_swap *what) {
  HLC_TRY(check_swap("hlc_blocks_start", what));
  set_swap(what);
  whole_ = true;
  const Status launched = launch();
  if (failed(launched)) whole_ = exchange_.state().under_way;
  return launched;
}

/// A broken rule that check mode finds is reported; the swap ends nevertheless.
Status Blocks::finish() {
  const Status finished = finish_rounds();
  whole_ = exchange_.state().under_way;
  return finished;
}

Status Blocks::start_on(const hlc_swap *what, void *stream) {
  return device::in_order(device_.get(), stream, [&] { return start(what); });
}
Status Blocks::finish_on(void *stream) {
  return device::in_order(device_.get(), stream, [&] { return finish(); });
}

Status Blocks::test() { return exchange_.rounds().test(); }

Status Blocks::launch() {
  if (device_) {
    device_->begin("hlc_blocks_start");
    HLC_TRY(device_->fetch_sent(exchange_));
    device_->begin("hlc_blocks_finish");
  }
  return exchange_.rounds().start();
}

/// The neighbours have what they need even if copies to a device have failed here. But this rank's halos are not what they should be.
Status Blocks::finish_rounds() {
  const Status finished = exchange_.rounds().finish(true);
  if (!device_ || finished != Status::ok) return finished;
  const Status copied = device_->result();
  if (failed(copied)) exchange_.rounds().break_up();
  return copied;
}

void Blocks::unpack(int edge, const void *buffer) {
  if (!device_ || !tables_.reverse) copies_.unpack(edge, buffer);
  if (device_) device_->unpack(tables_.links[static_cast<std::size_t>(edge)], buffer);
}

void Blocks::pull(Edges edges) {
  if (!device_ || !tables_.reverse) copies_.pull(edges);
  if (device_) device_->pull(edges);
}

/// The exchange ends after all ranks have met once more. Then no rank has memory of another open, and its owner may free it.
Status Blocks::end(bool others_broken) {
  if (device_) device_->close_reads();
  return exchange_.end(others_broken);
}

bool Blocks::retire() {
  const bool retired = exchange_.retire();
  if (retired && device_) device_->release();
  return retired;
}

/// Blocks have no checks of their own: check mode compares the descriptors and the stamps of messages.
void Blocks::describe_round(RoundDescriptor &descriptor) {
  const bool is_whole = tables_.most == kWholeDepth;
  descriptor.what = {tables_.reverse, is_whole ? 0 : tables_.most};
  descriptor.words = tables_.reverse ? "fields in reverse" : "fields";
  if (!is_whole) descriptor.words += " " + std::to_string(tables_.most) + " deep";
  for (const int f : tables_.swapped) {
    descriptor.what.push_back(f);
    descriptor.words += (f == tables_.swapped.front() ? " '" : "', '") + tables_.fields[static_cast<std::size_t>(f)].name;
  }
  descriptor.words += "'";
}

void Blocks::end_round() {
  if (tables_.reverse) copies_.clear_halos();
  if (device_) device_->end();
}

void Blocks::set_swap(const hlc_swap *what) {
  const std::int64_t most = tables_.depth_of(what);
  const bool all_fields = !what || what->nfields == 0 || what->nfields == static_cast<int>(tables_.fields.size());
  const bool everything = all_fields && most == kWholeDepth && !(what && what->reverse);
  if (everything && everything_) return;
  everything_ = everything;
  tables_.reverse = what && what->reverse;
  if (most != tables_.most) limit_depth(tables_, most);
  list_swapped(what, tables_.fields.size(), tables_.swapped);
  choose_fields(tables_);
  for (std::size_t i = 0; i < tables_.links.size(); ++i) {
    const std::int64_t in = tables_.links[i].in.bytes, out = tables_.links[i].out.bytes;
    exchange_.parts()[i] = tables_.reverse ? Part{in, out} : Part{out, in};
  }
  exchange_.set_round(everything, tables_.reverse);
}

}  // namespace halocline::core
