// The planning of blocks: what must agree, which ranks are neighbours, which boxes are sent where, and the addresses of what can be read
// directly.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "base/types.hpp"
#include "blocks/blocks.hpp"
#include "blocks/check_spec.hpp"
#include "exchange/modes/modes.hpp"

namespace halocline::core {
namespace {

constexpr Refusals kBlocksRefusals{"an earlier swap of these blocks failed; they can only be finalised",
                                   "a swap of these blocks is in flight already; finish it first", "no swap of all parts has been started",
                                   "this swap has failed; the blocks can only be finalised"};

const char *stencil_word(std::int64_t value) { return value == HLC_STENCIL_STAR ? "star" : "box"; }

void keep_each_once(std::vector<int> &numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

/// The position of a number in an ascending list that contains it.
std::size_t place_of(const std::vector<int> &numbers, int number) {
  return static_cast<std::size_t>(std::lower_bound(numbers.begin(), numbers.end(), number) - numbers.begin());
}

/// A type and its size as one number, unique for the pair.
std::int64_t code_of(hlc_type type, std::int64_t element) { return element * 16 + type; }

/// The pairs of dimensions of which the first varies faster, a bit each; none if either has only one cell.
std::int64_t nesting_bits(const BlockShape &shape, const Strides &strides) {
  const Nesting nesting = find_nesting(shape.spec, strides);
  std::int64_t bits = 0;
  for (int i = 0; i < kMaxDims * kMaxDims; ++i) bits |= static_cast<std::int64_t>(nesting.inside[i / kMaxDims][i % kMaxDims]) << i;
  return bits;
}

Nesting nesting_of(std::int64_t bits) {
  Nesting nesting{};
  for (int i = 0; i < kMaxDims * kMaxDims; ++i) nesting.inside[i / kMaxDims][i % kMaxDims] = static_cast<int>(bits >> i & 1);
  return nesting;
}

/// Reduces a number per field over all ranks.
Status reduce_all(Communicator &communicator, MPI_Op operation, std::vector<std::int64_t> &numbers) {
  for (std::size_t first = 0; first < numbers.size(); first += AgreementBuffer::kNumbers) {
    const auto count = std::min<std::size_t>(AgreementBuffer::kNumbers, numbers.size() - first);
    HLC_TRY(reduce(communicator, communicator.comm(), operation, numbers.data() + first, static_cast<int>(count)));
  }
  return Status::ok;
}

}  // namespace

Blocks::Blocks(const EngineParts &engine)
    : communicator_(engine.communicator), memory_(engine.fields), held_(engine.fields), exchange_(engine, *this, kBlocksRefusals) {}

Blocks::~Blocks() = default;

Status Blocks::accept(const hlc_blocks_spec *spec, std::string *plan) {
  HLC_TRY(check_blocks_spec(spec, communicator_.rank()));
  HLC_TRY(check_memory(*spec));
  options_ = {spec->mode, spec->epoch, spec->drive};
  HLC_TRY(resolve(options_, communicator_));
  if (spec->nblocks == 0) return *plan = kAnyPlan, Status::ok;
  for (int f = 0; f < spec->nfields; ++f)
    plan->append(f == 0 ? "('" : "', '").append(spec->fields[f].name ? spec->fields[f].name : "field " + std::to_string(f));
  plan->append("')");
  return Status::ok;
}

Status Blocks::check_memory(const hlc_blocks_spec &spec) const {
  for (int i = 0; i < spec.nblocks * spec.nfields; ++i) {
    const int b = i / spec.nfields;
    const hlc_field &field = spec.fields[i];
    const auto who = [&] {
      return indexed("fields", i) + " '" + (field.name ? field.name : "(no name)") + "', of " + indexed("blocks", b) + ",";
    };
    HLC_TRY(check_room({"hlc_blocks_init", communicator_.rank()}, memory_.room(field.data), field_extent(BlockShape(spec, b).spec, field),
                       who));
  }
  return Status::ok;
}

Status Blocks::create(const hlc_blocks_spec *spec) {
  HLC_TRY(check_same_on_all_ranks(*spec, options_));
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
    ndims_ = spec->ndims;
    take_fields(*spec);
    take_arrays(*spec);
    swapped_.reserve(fields_.size());
    return Status::ok;
  }));
  HLC_TRY(agree_on_fields(*spec));
  HLC_TRY(find_links(*spec));
  std::vector<Edge> edges;
  std::string label;
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
    HLC_TRY(make_team());
    edges = make_edges();
    label = label_of("blocks", fields_);
    return Status::ok;
  }));
  HLC_TRY(exchange_.create(options_, std::move(edges), std::move(label)));
  set_swap(nullptr);
  return Status::ok;
}

/// The last thread to start launches a swap, and the first to finish drives it: so any thread may call MPI.
Status Blocks::make_team() {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (parts_ > 1 && provided < MPI_THREAD_SERIALIZED)
    return fail(Status::unsupported,
                "hlc_blocks_init on rank %d: parts is %d, but MPI was initialised below MPI_THREAD_SERIALIZED, and any thread may call it",
                communicator_.rank(), parts_);
  team_ = std::make_unique<Parts>(parts_);
  job_ = std::make_unique<SharedJob>(parts_, [this](int item) { do_shared(item); });
  return Status::ok;
}

Status Blocks::check_same_on_all_ranks(const hlc_blocks_spec &spec, const Options &options) const {
  HLC_TRY(check_rules(communicator_, "hlc_blocks_init", [&] {
    std::vector<Rule> rules = rules_of(options);
    rules.insert(rules.end(), {{"ndims", spec.ndims}, {"nfields", spec.nfields}, {"stencil", spec.stencil, stencil_word}});
    return rules;
  }));
  return check_rules(communicator_, "hlc_blocks_init", [&] {
    std::vector<Rule> rules;
    for (int d = 0; d < spec.ndims; ++d) {
      std::string index = "[";
      index.append(std::to_string(d)).append("]");
      rules.push_back({"global" + index, spec.global[d]});
      rules.push_back({"periodic" + index, spec.periodic[d] != 0});
      rules.push_back({"depth_low" + index, spec.depth_low[d]});
      rules.push_back({"depth_high" + index, spec.depth_high[d]});
    }
    return rules;
  });
}

/// Takes the types of this rank's first block; a rank without blocks gets them from the others in agree_on_types.
void Blocks::take_fields(const hlc_blocks_spec &spec) {
  fields_.resize(static_cast<std::size_t>(spec.nfields));
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    fields_[f].name = "field " + std::to_string(f);
    if (spec.nblocks == 0) continue;
    const hlc_field &given = spec.fields[f];
    fields_[f].type = given.type;
    fields_[f].element = element_bytes(given);
    if (given.name) fields_[f].name = given.name;
  }
}

void Blocks::take_arrays(const hlc_blocks_spec &spec) {
  for (int b = 0; b < spec.nblocks; ++b) {
    const BlockShape shape(spec, b);
    part_of_.push_back(spec.blocks[b].part);
    for (int f = 0; f < spec.nfields; ++f) {
      const hlc_field &given = spec.fields[b * spec.nfields + f];
      Array array;
      array.data = static_cast<char *>(given.data);
      array.strides = field_strides(shape.spec, given);
      array.place = held_.find(given.data, field_extent(shape.spec, given));
      arrays_.push_back(array);
    }
  }
  parts_ = std::max(1, spec.parts);
}

Status Blocks::agree_on_fields(const hlc_blocks_spec &spec) {
  HLC_TRY(agree_on_types());
  return agree_on_orders(spec);
}

Status Blocks::agree_on_types() {
  std::vector<std::int64_t> codes;
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
    for (const Field &field : fields_) codes.push_back(code_of(field.type, field.element));
    return Status::ok;
  }));
  HLC_TRY(reduce_all(communicator_, MPI_MAX, codes));
  return prepare(communicator_, communicator_.comm(), [&] {
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      Field &field = fields_[f];
      const auto type = static_cast<hlc_type>(codes[f] % 16);
      if (field.element != 0 && code_of(field.type, field.element) != codes[f])
        return fail(Status::mismatch,
                    "hlc_blocks_init: ranks disagree on fields[%zu]: rank %d has %s of %lld bytes, another rank %s of %lld", f,
                    communicator_.rank(), type_name(field.type), static_cast<long long>(field.element), type_name(type),
                    static_cast<long long>(codes[f] / 16));
      field.type = type;
      field.element = codes[f] / 16;
    }
    return Status::ok;
  });
}

/// The order of cells in a message: that of the arrays of all ranks, or that of the layout if they differ.
Status Blocks::agree_on_orders(const hlc_blocks_spec &spec) {
  std::vector<std::int64_t> bits;
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
    bits.resize(fields_.size());
    for (int b = 0; b < spec.nblocks; ++b) {
      const BlockShape shape(spec, b);
      for (std::size_t f = 0; f < fields_.size(); ++f) bits[f] |= nesting_bits(shape, array(b, f).strides);
    }
    return Status::ok;
  }));
  HLC_TRY(reduce_all(communicator_, MPI_BOR, bits));
  for (std::size_t f = 0; f < fields_.size(); ++f)
    if (!order_dims(nesting_of(bits[f]), ndims_, spec.layout, fields_[f].order))
      static_cast<void>(order_dims({}, ndims_, spec.layout, fields_[f].order));
  return Status::ok;
}

/// The table of all ranks' boxes exists only during this call.
Status Blocks::find_links(const hlc_blocks_spec &spec) {
  const Domain domain = Domain::of(spec);
  std::vector<Placed> mine;
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
    for (int b = 0; b < spec.nblocks; ++b) {
      Placed placed;
      std::copy_n(spec.blocks[b].start, ndims_, placed.box.start.begin());
      std::copy_n(spec.blocks[b].count, ndims_, placed.box.count.begin());
      placed.id = spec.blocks[b].id;
      mine.push_back(placed);
    }
    return Status::ok;
  }));
  BoxTable table;
  HLC_TRY(table.share(communicator_, exchange_.plan().network->leaders(), mine));
  return prepare(communicator_, communicator_.comm(), [&] {
    HLC_TRY(check_disjoint(communicator_, domain, table));
    for (int rank = 0; rank < communicator_.size(); ++rank) make_link(rank, domain, table);
    point_to_myself();
    return Status::ok;
  });
}

void Blocks::make_link(int rank, const Domain &domain, const BoxTable &table) {
  const auto mine = table.of(communicator_.rank()), theirs = table.of(rank);
  const bool myself = rank == communicator_.rank();
  Link link;
  link.rank = rank;
  for (const Overlap &o : list_overlaps(domain, mine, theirs, myself)) {
    link.in.pieces.push_back(make_piece(o.to, o.from, o.halo, o.edge));
    link.my_blocks.push_back(o.to);
    link.peer_blocks.push_back(o.from);
  }
  for (const Overlap &o : myself ? std::vector<Overlap>() : list_overlaps(domain, theirs, mine, false)) {
    link.out.pieces.push_back(make_piece(o.from, o.to, o.edge, o.halo));
    link.my_blocks.push_back(o.from);
    link.peer_blocks.push_back(o.to);
  }
  close_list(link.in);
  close_list(link.out);
  keep_each_once(link.my_blocks);
  keep_each_once(link.peer_blocks);
  if (myself)
    own_ = std::move(link);
  else if (!link.my_blocks.empty())
    links_.push_back(std::move(link));
}

Blocks::Piece Blocks::make_piece(int block, int peer_block, const Box &mine, const Box &theirs) const {
  Piece piece{block, peer_block, mine, theirs, 0, {}};
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const Field &field = fields_[f];
    const Array &from = array(block, f);
    const Strides packed = packed_strides(mine.count, field.element, field.order);
    Move move;
    move.mine = from.data + box_offset(mine, from.strides);
    move.to_buffer = plan_copy(mine.count, packed, from.strides, field.element, field.order);
    move.from_buffer = plan_copy(mine.count, from.strides, packed, field.element, field.order);
    piece.moves.push_back(move);
  }
  return piece;
}

void Blocks::close_list(PieceList &list) const {
  std::vector<int> parts;
  for (Piece &piece : list.pieces) {
    piece.cells_before = list.cells;
    list.cells += piece.mine.cells();
    parts.push_back(part_of_[static_cast<std::size_t>(piece.block)]);
  }
  list.order.sort(parts, parts_);
}

void Blocks::point_to_myself() {
  for (Piece &piece : own_.in.pieces)
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      const Field &field = fields_[f];
      const Array &to = array(piece.block, f), &from = array(piece.peer_block, f);
      Move &move = piece.moves[f];
      move.theirs = from.data + box_offset(piece.theirs, from.strides);
      move.pull = plan_copy(piece.mine.count, to.strides, from.strides, field.element, field.order);
      move.push = plan_copy(piece.mine.count, from.strides, to.strides, field.element, field.order);
    }
}

/// A hash of the boxes in a message. Both ends compute it from the same boxes; it detects ranks that did not.
std::int64_t Blocks::shape_of(const PieceList &first, const PieceList &second) const {
  std::int64_t shape = 0;
  for (const PieceList *list : {&first, &second})
    for (const Piece &piece : list->pieces)
      for (const std::int64_t count : piece.mine.count) shape = (shape * 1'000'003 + count) % 1'000'000'007;
  return shape;
}

std::vector<Edge> Blocks::make_edges() const {
  const bool readable = std::all_of(arrays_.begin(), arrays_.end(), [](const Array &a) { return a.place.serial >= 0; });
  std::int64_t cell = 0;
  for (const Field &field : fields_) cell += field.element;
  std::vector<Edge> edges;
  for (const Link &link : links_) {
    Edge edge;
    edge.rank = link.rank;
    edge.in = link.in.cells * cell;
    edge.out = link.out.cells * cell;
    edge.space_in = edge.space_out = std::max(edge.in, edge.out);
    // The lower rank's incoming pieces are first at both ends.
    edge.shape = communicator_.rank() < link.rank ? shape_of(link.in, link.out) : shape_of(link.out, link.in);
    edge.readable = readable;
    edges.push_back(edge);
  }
  return edges;
}

Status Blocks::joined(const Plan &plan) {
  if (!find_mode(plan.options.mode)->reads_fields) return Status::ok;
  std::unique_ptr<ReadDescriptors> descriptors;
  HLC_TRY(prepare(communicator_, plan.comm, [&] {
    descriptors = std::make_unique<ReadDescriptors>();
    descriptors->requests.resize(2 * links_.size(), MPI_REQUEST_NULL);
    for (const Link &link : links_) {
      descriptors->mine.emplace_back();
      descriptors->theirs.emplace_back(link.peer_blocks.size() * fields_.size());
      for (const int b : link.my_blocks)
        for (std::size_t f = 0; f < fields_.size(); ++f)
          descriptors->mine.back().push_back({array(b, f).place.serial, array(b, f).place.offset, array(b, f).strides});
    }
    return Status::ok;
  }));
  for (std::size_t i = 0; i < links_.size(); ++i)
    if (is_read(plan.edges[i])) HLC_TRY(swap_read_descriptors(plan, i, *descriptors));
  HLC_TRY(await(communicator_, descriptors));
  return alone(communicator_, [&] {
    for (std::size_t i = 0; i < links_.size(); ++i)
      if (is_read(plan.edges[i])) HLC_TRY(take_read_descriptors(plan, i, *descriptors));
    return Status::ok;
  });
}

Status Blocks::swap_read_descriptors(const Plan &plan, std::size_t i, ReadDescriptors &descriptors) const {
  const Edge &edge = plan.edges[i];
  const auto bytes = [](const std::vector<ReadDescriptor> &list) { return static_cast<int>(list.size() * sizeof(ReadDescriptor)); };
  HLC_TRY(check_mpi(MPI_Irecv(descriptors.theirs[i].data(), bytes(descriptors.theirs[i]), MPI_BYTE, edge.rank,
                              kReadDescriptorTag + static_cast<int>(i), plan.comm, &descriptors.requests[2 * i]),
                    "MPI_Irecv"));
  return check_mpi(MPI_Isend(descriptors.mine[i].data(), bytes(descriptors.mine[i]), MPI_BYTE, edge.rank,
                             kReadDescriptorTag + edge.peer_edge, plan.comm, &descriptors.requests[2 * i + 1]),
                   "MPI_Isend");
}

Status Blocks::take_read_descriptors(const Plan &plan, std::size_t i, const ReadDescriptors &descriptors) {
  Link &link = links_[i];
  HLC_TRY(take_pieces(link.in, link, descriptors.theirs[i], plan.edges[i].member));
  return take_pieces(link.out, link, descriptors.theirs[i], plan.edges[i].member);
}

Status Blocks::take_pieces(PieceList &list, const Link &link, const std::vector<ReadDescriptor> &descriptors, Member member) {
  for (Piece &piece : list.pieces)
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      const Field &field = fields_[f];
      const ReadDescriptor &descriptor = descriptors[place_of(link.peer_blocks, piece.peer_block) * fields_.size() + f];
      char *part = held_.part(descriptor.serial, member);
      if (!part)
        return fail(Status::state, "hlc_blocks_init: field '%s' of rank %d lies in memory from an hlc_field_alloc that rank %d has freed",
                    field.name.c_str(), link.rank, communicator_.rank());
      Move &move = piece.moves[f];
      move.theirs = part + descriptor.offset + box_offset(piece.theirs, descriptor.strides);
      move.pull = plan_copy(piece.mine.count, array(piece.block, f).strides, descriptor.strides, field.element, field.order);
    }
  return Status::ok;
}

hlc_plan_info Blocks::describe() const {
  hlc_plan_info info{};
  exchange_.describe(info);
  info.self_copies = static_cast<int>(own_.in.pieces.size());
  std::int64_t cell = 0, pieces = static_cast<std::int64_t>(own_.in.pieces.size());
  for (const Field &field : fields_) cell += field.element;
  for (const Link &link : links_) pieces += static_cast<std::int64_t>(link.in.pieces.size() + link.out.pieces.size());
  info.self_bytes = own_.in.cells * cell;
  info.memory_bytes += static_cast<std::int64_t>(sizeof(Blocks));
  info.memory_bytes += pieces * static_cast<std::int64_t>(sizeof(Piece) + fields_.size() * sizeof(Move));
  return info;
}

}  // namespace halocline::core
