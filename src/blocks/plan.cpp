// The planning of blocks. For what must agree, which boxes are sent where, and what can be read directly see agree.hpp, links.hpp and
// read_arrays.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "base/types.hpp"
#include "blocks/agree.hpp"
#include "blocks/blocks.hpp"
#include "blocks/check_spec.hpp"
#include "blocks/links.hpp"
#include "blocks/read_arrays.hpp"
#include "device/pointers.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/network/network.hpp"
#include "exchange/modes/modes.hpp"

namespace halocline::core {
namespace {

constexpr Refusals kBlocksRefusals{"an earlier swap of these blocks failed; they can only be finalised",
                                   "a swap of these blocks is in flight already; finish it first", "no swap of all parts has been started",
                                   "this swap has failed; the blocks can only be finalised"};

Status check_memory(const hlc_blocks_spec &spec, int rank, const HeldFields &held) {
  for (int i = 0; i < spec.nblocks * spec.nfields; ++i) {
    const int b = i / spec.nfields;
    const hlc_field &field = spec.fields[i];
    const auto who = [&] {
      return indexed("fields", i) + " '" + (field.name ? field.name : "(no name)") + "', of " + indexed("blocks", b) + ",";
    };
    const BlockShape shape(spec, b);
    const std::int64_t bytes = field_extent(shape.spec, field, Extents::of(shape.spec, i % spec.nfields));
    HLC_TRY(check_room({"hlc_blocks_init", rank}, held.room(field.data), bytes, who));
  }
  return Status::ok;
}

/// Takes the types of this rank's first block; a rank without blocks gets them from the others in agree_on_types.
void take_fields(const hlc_blocks_spec &spec, BlockTables &tables) {
  tables.fields.resize(static_cast<std::size_t>(spec.nfields));
  for (std::size_t f = 0; f < tables.fields.size(); ++f) {
    tables.fields[f].name = "field " + std::to_string(f);
    if (spec.nblocks == 0) continue;
    const hlc_field &given = spec.fields[f];
    tables.fields[f].type = given.type;
    tables.fields[f].element = element_bytes(given);
    if (given.name) tables.fields[f].name = given.name;
  }
  for (int f = 0; f < spec.nfields; ++f) tables.shapes.push_back(field_shape(spec, f));
}

void take_arrays(const hlc_blocks_spec &spec, BlockTables &tables, HeldFields &held) {
  for (int b = 0; b < spec.nblocks; ++b) {
    const BlockShape shape(spec, b);
    tables.part_of.push_back(spec.blocks[b].part);
    for (int f = 0; f < spec.nfields; ++f) {
      const hlc_field &given = spec.fields[b * spec.nfields + f];
      const Extents extents = Extents::of(shape.spec, f);
      BlockArray array;
      array.data = static_cast<char *>(given.data);
      array.strides = field_strides(shape.spec, given, extents);
      array.extent = field_extent(shape.spec, given, extents);
      array.place = held.find(given.data, array.extent);
      array.device = device::find_device(given.data);
      tables.arrays.push_back(array);
    }
  }
  tables.parts = std::max(1, spec.parts);
}

std::int64_t bytes_of(const PieceList &list) {
  std::size_t bytes = 0;
  for (const Piece &piece : list.pieces) bytes += sizeof(Piece) + piece.moves.size() * sizeof(BlockMove);
  return static_cast<std::int64_t>(bytes);
}

}  // namespace

Blocks::Blocks(const EngineParts &engine)
    : communicator_(engine.communicator), held_(engine.fields), exchange_(engine, *this, kBlocksRefusals), copies_(tables_) {}

Blocks::~Blocks() = default;

Status Blocks::accept(const hlc_blocks_spec *spec, std::string *plan, bool chosen) {
  const PlanCall call(communicator_);
  HLC_TRY(name_plan(check_blocks_spec(spec, communicator_.rank()), call));
  HLC_TRY(name_plan(check_memory(*spec, communicator_.rank(), held_), call));
  options_ = {spec->mode, spec->epoch, spec->drive};
  options_.chosen = chosen;
  HLC_TRY(resolve(options_, communicator_));
  if (spec->nblocks == 0) return *plan = kAnyPlan, Status::ok;
  for (int f = 0; f < spec->nfields; ++f)
    plan->append(f == 0 ? "('" : "', '").append(spec->fields[f].name ? spec->fields[f].name : "field " + std::to_string(f));
  plan->append("')");
  return Status::ok;
}

Status Blocks::create(const hlc_blocks_spec *spec) {
  HLC_TRY(agree_on_blocks(communicator_, *spec, options_));
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
    tables_.ndims = spec->ndims;
    take_fields(*spec, tables_);
    take_arrays(*spec, tables_, held_);
    tables_.swapped.reserve(tables_.fields.size());
    return Status::ok;
  }));
  HLC_TRY(agree_on_fields(communicator_, *spec, tables_));
  HLC_TRY(find_links(communicator_, exchange_.plan().network->leaders(), *spec, tables_));
  std::vector<Edge> edges;
  std::string label;
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
    HLC_TRY(make_team());
    HLC_TRY(make_device_pieces());
    edges = make_edges(tables_, communicator_.rank());
    label = label_of("blocks", tables_.fields);
    return Status::ok;
  }));
  HLC_TRY(exchange_.create(options_, std::move(edges), std::move(label)));
  set_swap(nullptr);
  return Status::ok;
}

Status Blocks::make_device_pieces() {
  if (!DevicePieces::are_in(tables_)) return Status::ok;
  device_ = std::make_unique<DevicePieces>(tables_, copies_, communicator_.rank());
  // Check mode puts its stamps into messages.
  return device_->create(communicator_, find_mode(options_.mode)->reads_fields && !exchange_.plan().check_mailbox);
}

/// The last thread to start launches a swap, and the first to finish drives it: so any thread may call MPI.
Status Blocks::make_team() {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (tables_.parts > 1 && provided < MPI_THREAD_SERIALIZED)
    return fail(Status::unsupported,
                "%s on rank %d: parts is %d, but MPI was initialised below MPI_THREAD_SERIALIZED, and any thread may call it: use "
                "MPI_Init_thread, or parts 1",
                PlanCall(communicator_).text, communicator_.rank(), tables_.parts);
  team_ = std::make_unique<Parts>(tables_.parts, communicator_.rank());
  copies_.make_team();
  return Status::ok;
}

Status Blocks::met(Plan &plan) { return device_ && device_->reads() ? device_->reads()->meet(plan) : Status::ok; }

Status Blocks::joined(const Plan &plan) {
  if (!find_mode(plan.options.mode)->reads_fields) return Status::ok;
  return ReadArrays(communicator_, tables_, held_, device_ ? device_->reads() : nullptr).swap(plan);
}

Work Blocks::work() const {
  Work work = exchange_.work();
  work.local_bytes = tables_.self_bytes;
  const auto count = [&work](const BlockLink &link) {
    for (const Piece &piece : link.in.pieces)
      for (const BlockMove &move : piece.moves)
        if (const BoxCopy &box = move.copy; box.run > 0) work.runs += box.count[0] * box.count[1] * box.count[2] * box.count[3];
  };
  for (const BlockLink &link : tables_.links) count(link);
  count(tables_.own);
  return work;
}

hlc_plan_info Blocks::describe() const {
  hlc_plan_info info{};
  exchange_.describe(info);
  info.self_copies = static_cast<int>(tables_.own.in.pieces.size());
  info.self_bytes = tables_.self_bytes;
  info.memory_bytes += static_cast<std::int64_t>(sizeof(Blocks)) + bytes_of(tables_.own.in) + (device_ ? device_->bytes() : 0);
  for (const BlockLink &link : tables_.links) info.memory_bytes += bytes_of(link.in) + bytes_of(link.out);
  return info;
}

}  // namespace halocline::core
