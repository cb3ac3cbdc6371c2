// Images of pieces, and the copies between them and the device.
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks/device_pieces.hpp"

#include <algorithm>

#include "blocks/links.hpp"

namespace halocline::core {
namespace {

/// What the search for one device needs of an array.
struct PlacedArray {
  int device;
  std::string name;
  const char *data;
};

}  // namespace

bool DevicePieces::are_in(const BlockTables &tables) {
  return std::any_of(tables.arrays.begin(), tables.arrays.end(), [](const BlockArray &array) { return array.device >= 0; });
}

Status DevicePieces::create(Communicator &communicator, bool reads) {
  std::vector<PlacedArray> arrays;
  for (std::size_t i = 0; i < tables_.arrays.size(); ++i)
    arrays.push_back({tables_.arrays[i].device, tables_.fields[i % tables_.fields.size()].name, tables_.arrays[i].data});
  const PlacedArray *first = nullptr;
  HLC_TRY(device::find_common_device({"hlc_blocks_init", rank_}, "blocks", arrays, &first));
  const std::int64_t images = give_images(nullptr);
  HLC_TRY(queue_.open(first->data, first->device, images + (reads ? longest_sum() : 0)));
  give_images(queue_.memory());
  limit_depth(tables_, tables_.most);
  if (!reads) return Status::ok;
  sums_ = queue_.memory() + images;
  give_arrays(communicator);
  return Status::ok;
}

/// A rank gives the arrays of its blocks that take part in a link, and gets those of the neighbour's.
void DevicePieces::give_arrays(Communicator &communicator) {
  const std::size_t n = tables_.fields.size();
  std::vector<DeviceReads::Array> arrays;
  for (std::size_t i = 0; i < tables_.arrays.size(); ++i) {
    BlockArray &array = tables_.arrays[i];
    arrays.push_back({array.device >= 0 ? array.data : nullptr, array.extent,
                      "field '" + tables_.fields[i % n].name + "' of blocks[" + std::to_string(i / n) + "]", &array.place});
  }
  std::vector<DeviceReads::Link> links;
  std::size_t most = 0;
  for (const BlockLink &link : tables_.links) {
    links.emplace_back();
    for (const int block : link.my_blocks)
      for (std::size_t f = 0; f < n; ++f) links.back().mine.push_back(block * static_cast<int>(n) + static_cast<int>(f));
    links.back().theirs = link.peer_blocks.size() * n;
    most = std::max({most, link.in.pieces.size() * n, link.out.pieces.size() * n});
  }
  batch_.reserve(most);
  reads_ = std::make_unique<DeviceReads>(communicator, "hlc_blocks_init", queue_.staging());
  reads_->give(arrays, links);
}

void DevicePieces::close_reads() {
  if (reads_) reads_->close();
}

void DevicePieces::release() {
  close_reads();
  queue_.close();
}

/// Bytes of all halos of a neighbour that a reverse swap adds here.
std::int64_t DevicePieces::longest_sum() const {
  std::int64_t most = 0;
  for (const BlockLink &link : tables_.links) most = std::max(most, link.out.bytes);
  return most;
}

std::int64_t DevicePieces::give_images(char *memory) {
  std::int64_t taken = 0;
  const auto take = [&](std::int64_t bytes) {
    char *const image = memory ? memory + taken : nullptr;
    taken += round_up(bytes, 64);
    return image;
  };
  const auto give = [&](Piece &piece, bool is_own) {
    for (std::size_t i = 0; i < piece.moves.size(); ++i) {
      const std::int64_t bytes = piece.whole_mine.cells() * field_of(piece, i).element;
      if (array_of(piece, i, Side::mine).device >= 0) piece.moves[i].image = take(bytes);
      if (is_own && array_of(piece, i, Side::theirs).device >= 0) piece.moves[i].their_image = take(bytes);
    }
  };
  for (BlockLink &link : tables_.links)
    for (PieceList *list : {&link.in, &link.out})
      for (Piece &piece : list->pieces) give(piece, false);
  for (Piece &piece : tables_.own.in.pieces) give(piece, true);
  return taken;
}

std::size_t DevicePieces::number_of(const Piece &piece, std::size_t i) const {
  return static_cast<std::size_t>(tables_.groups[static_cast<std::size_t>(piece.group)].fields[i]);
}

const BlockArray &DevicePieces::array_of(const Piece &piece, std::size_t i, Side side) const {
  return tables_.array(side == Side::mine ? piece.block : piece.peer_block, number_of(piece, i));
}

// ---------------------------------------------------------------- copies

/// Between a box of an array and its image.
void DevicePieces::copy_one(const Piece &piece, std::size_t i, Side side, bool to_device) {
  const BlockArray &array = array_of(piece, i, side);
  const BlockField &field = field_of(piece, i);
  const Box box = side == Side::mine ? piece.mine : piece.theirs();
  char *const image = side == Side::mine ? piece.moves[i].image : piece.moves[i].their_image;
  char *const cells = array.data + box_offset(box, array.strides);
  const Strides packed = packed_strides(box.count, field.element, field.order);
  const BoxCopy loops = to_device ? plan_copy(box.count, array.strides, packed, field.element, field.order)
                                  : plan_copy(box.count, packed, array.strides, field.element, field.order);
  const device::Strided on_device{cells, true, to_device ? loops.to : loops.from}, on_host{image, false, to_device ? loops.from : loops.to};
  queue_.copy(to_device ? device::StridedCopy{on_device, on_host, loops.run, loops.count}
                        : device::StridedCopy{on_host, on_device, loops.run, loops.count});
}

/// True if there was something to copy.
bool DevicePieces::copy_piece(const Piece &piece, Side side, bool to_device) {
  bool any = false;
  if (piece.mine.cells() == 0) return false;
  for (const std::size_t i : tables_.groups[static_cast<std::size_t>(piece.group)].swapped) {
    if (!(side == Side::mine ? piece.moves[i].image : piece.moves[i].their_image)) continue;
    copy_one(piece, i, side, to_device);
    any = true;
  }
  return any;
}

void DevicePieces::copy_list(const PieceList &list, Side side, bool to_device) {
  for (const Piece &piece : list.pieces) copy_piece(piece, side, to_device);
}

/// Where both blocks are on the device.
void DevicePieces::copy_on_device(const Piece &piece) {
  if (piece.mine.cells() == 0) return;
  for (const std::size_t i : tables_.groups[static_cast<std::size_t>(piece.group)].swapped) {
    if (!piece.moves[i].image || !piece.moves[i].their_image) continue;
    const BlockArray &from = array_of(piece, i, Side::theirs);
    queue_.copy(copy_here(piece, i, from.data, from.strides));
  }
}

/// Into my array, from one that the device can access.
device::StridedCopy DevicePieces::copy_here(const Piece &piece, std::size_t i, char *array, const Strides &strides) const {
  const BlockField &field = field_of(piece, i);
  const BlockArray &to = array_of(piece, i, Side::mine);
  const BoxCopy loops = plan_copy(piece.mine.count, to.strides, strides, field.element, field.order);
  return {{to.data + box_offset(piece.mine, to.strides), true, loops.to},
          {array + box_offset(piece.theirs(), strides), true, loops.from},
          loops.run,
          loops.count};
}

/// Of a neighbour's array, packed.
device::StridedCopy DevicePieces::copy_to_host(const Piece &piece, std::size_t i, char *to) const {
  const BlockField &field = field_of(piece, i);
  const BlockMove &move = piece.moves[i];
  const Strides packed = packed_strides(piece.mine.count, field.element, field.order);
  const BoxCopy loops = plan_copy(piece.mine.count, packed, move.their_strides, field.element, field.order);
  return {{to, false, loops.to},
          {move.on_their_device + box_offset(piece.theirs(), move.their_strides), true, loops.from},
          loops.run,
          loops.count};
}

Status DevicePieces::fetch_sent(const Exchange &exchange) {
  queue_.start(reads_ && reads_->count() > 0);
  for (std::size_t e = 0; e < tables_.links.size(); ++e)
    if (exchange.plan().parts[e].out > 0 && exchange.packs(static_cast<int>(e)))
      copy_list(tables_.reverse ? tables_.links[e].in : tables_.links[e].out, Side::mine, false);
  return queue_.wait();
}

void DevicePieces::unpack(const BlockLink &link, const void *buffer) {
  if (!tables_.reverse) return copy_list(link.in, Side::mine, true);
  add_each(link.out, [&](const Piece &piece) { copies_.unpack_piece(piece, buffer); });
}

/// Edges of several pieces have cells in common: each is added to before the next is fetched.
template <class Add>
void DevicePieces::add_each(const PieceList &list, Add add) {
  for (const Piece &piece : list.pieces) {
    const bool any = copy_piece(piece, Side::mine, false);
    if (any && failed(queue_.wait())) return;
    add(piece);
    copy_piece(piece, Side::mine, true);
  }
}

void DevicePieces::pull(Edges edges) {
  for (const int e : edges) pull_link(tables_.links[static_cast<std::size_t>(e)]);
  static_cast<void>(queue_.wait());  // finish returns the error
}

/// In reverse all halos of the neighbour are fetched first, to where a message would have them.
void DevicePieces::pull_link(const BlockLink &link) {
  batch_.clear();
  for (const Piece &piece : (tables_.reverse ? link.out : link.in).pieces) {
    if (piece.mine.cells() == 0) continue;
    std::int64_t begin = piece.bytes_before;
    for (const std::size_t i : tables_.groups[static_cast<std::size_t>(piece.group)].swapped) {
      const BlockMove &move = piece.moves[i];
      if (move.on_their_device)
        batch_.push_back(tables_.reverse ? copy_to_host(piece, i, sums_ + begin)
                                         : copy_here(piece, i, move.on_their_device, move.their_strides));
      begin += piece.mine.cells() * field_of(piece, i).element;
    }
  }
  queue_.copy(batch_);
  if (tables_.reverse) add_each(link.out, [this](const Piece &piece) { copies_.add_piece(piece, sums_); });
}

void DevicePieces::copy_to_self() {
  const std::vector<Piece> &pieces = tables_.own.in.pieces;
  if (tables_.reverse) {
    for (const Piece &piece : pieces) {
      bool any = copy_piece(piece, Side::mine, false);
      any = copy_piece(piece, Side::theirs, false) || any;
      if (any && failed(queue_.wait())) return;
      copies_.copy_piece_to_self(piece);
      copy_piece(piece, Side::theirs, true);
    }
    return;
  }
  for (const Piece &piece : pieces) {
    copy_on_device(piece);
    for (const std::size_t i : tables_.groups[static_cast<std::size_t>(piece.group)].swapped)
      if (piece.mine.cells() > 0 && !piece.moves[i].image && piece.moves[i].their_image) copy_one(piece, i, Side::theirs, false);
  }
  if (failed(queue_.wait())) return;
  copies_.copy_to_self();
  for (const Piece &piece : pieces)
    for (const std::size_t i : tables_.groups[static_cast<std::size_t>(piece.group)].swapped)
      if (piece.mine.cells() > 0 && piece.moves[i].image && !piece.moves[i].their_image) copy_one(piece, i, Side::mine, true);
}

/// Halos that a reverse swap has cleared are images so far.
void DevicePieces::end() {
  if (tables_.reverse) {
    for (const BlockLink &link : tables_.links) copy_list(link.in, Side::mine, true);
    copy_list(tables_.own.in, Side::mine, true);
  }
  queue_.end();
}

DeviceFields DevicePieces::describe() const {
  DeviceFields fields{
      queue_.device(), device::name_of_device(queue_.device()), {}, queue_.bytes(), 0, static_cast<int>(tables_.links.size()), ""};
  for (std::size_t f = 0; f < tables_.fields.size(); ++f)
    for (std::size_t b = 0; b * tables_.fields.size() < tables_.arrays.size(); ++b)
      if (tables_.array(static_cast<int>(b), f).device >= 0) {
        fields.names.push_back(tables_.fields[f].name);
        break;
      }
  if (reads_) reads_->describe(fields);
  return fields;
}

}  // namespace halocline::core
