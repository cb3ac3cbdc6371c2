// SPDX-License-Identifier: BSD-3-Clause
#include "armci/random_plan.hpp"

#include <cstring>

namespace random_armci {
namespace {

template <class T>
void add_real(char *to, int scale, const char *from) {
  T sum, added;
  std::memcpy(&sum, to, sizeof sum);
  std::memcpy(&added, from, sizeof added);
  sum = static_cast<T>(sum + static_cast<T>(scale) * added);
  std::memcpy(to, &sum, sizeof sum);
}

/// A complex scale is (scale, 1).
template <class T>
void add_complex(char *to, int scale, const char *from) {
  T sum[2], added[2];
  std::memcpy(sum, to, sizeof sum);
  std::memcpy(added, from, sizeof added);
  const auto real = static_cast<T>(scale);
  sum[0] += real * added[0] - added[1];
  sum[1] += real * added[1] + added[0];
  std::memcpy(to, sum, sizeof sum);
}

template <class T>
void write_numbers(char *to, int first, int second, int count) {
  const T numbers[2] = {static_cast<T>(first), static_cast<T>(second)};
  std::memcpy(to, numbers, sizeof(T) * static_cast<std::size_t>(count));
}

void write_pair(char *to, int type, int first, int second) {
  switch (type) {
    case 0: return write_numbers<int>(to, first, 0, 1);
    case 1: return write_numbers<long>(to, first, 0, 1);
    case 2: return write_numbers<float>(to, first, 0, 1);
    case 3: return write_numbers<double>(to, first, 0, 1);
    case 4: return write_numbers<float>(to, first, second, 2);
    default: return write_numbers<double>(to, first, second, 2);
  }
}

}  // namespace

void write_element(char *to, int type, int number) { write_pair(to, type, number, 3 - number); }
void write_scale(char *to, int type, int scale) { write_pair(to, type, scale, 1); }

void add_element(char *to, int type, int scale, const char *from) {
  switch (type) {
    case 0: return add_real<int>(to, scale, from);
    case 1: return add_real<long>(to, scale, from);
    case 2: return add_real<float>(to, scale, from);
    case 3: return add_real<double>(to, scale, from);
    case 4: return add_complex<float>(to, scale, from);
    default: return add_complex<double>(to, scale, from);
  }
}

Plan::Plan(const Options &options) : options_(options) {
  Random random(options.seed);
  for (int i = 0; i < options.allocations * options.ranks; ++i)
    bytes_.push_back(random.below(8) == 0 ? 0 : kBlock * static_cast<std::size_t>(1 + random.below(40)));
  // Something to do for each rank with every seed.
  bytes_[0] = kBlock * 40;
  const auto phases = static_cast<std::size_t>(options.phases);
  blocks_.resize(phases);
  operations_.resize(phases);
  for (int phase = 0; phase < options.phases; ++phase) draw_phase(phase, random);
}

Block Plan::draw_block(Random &random) const {
  const Use uses[] = {Use::written, Use::written, Use::added, Use::counted, Use::read};
  return {uses[random.below(5)], random.below(options_.ranks), random.below(kTypes), random.below(2) == 0 ? 4 : 8};
}

void Plan::draw_phase(int phase, Random &random) {
  const auto index = static_cast<std::size_t>(phase);
  for (const std::size_t bytes : bytes_) {
    std::vector<Block> blocks;
    while (blocks.size() < bytes / kBlock) {
      // Runs of blocks of one use, for long operations.
      const Block block = draw_block(random);
      for (int length = 1 + random.below(6); length > 0 && blocks.size() < bytes / kBlock; --length) blocks.push_back(block);
    }
    blocks_[index].push_back(blocks);
  }
  operations_[index].resize(static_cast<std::size_t>(options_.ranks));
  for (int rank = 0; rank < options_.ranks; ++rank)
    for (int tries = 0; tries < options_.operations; ++tries) {
      Operation operation;
      if (draw_operation(phase, rank, random, operation)) operations_[index][static_cast<std::size_t>(rank)].push_back(operation);
    }
}

bool Plan::draw_operation(int phase, int rank, Random &random, Operation &result) const {
  result.allocation = random.below(options_.allocations);
  result.target = random.below(options_.ranks);
  result.seed = random.next();
  const std::vector<Block> &all = blocks(phase, result.allocation, result.target);
  if (all.empty()) return false;
  std::size_t first = static_cast<std::size_t>(random.below(static_cast<int>(all.size()))), end = first + 1;
  const Block &block = all[first];
  if (block.use == Use::written && block.rank != rank) return false;
  const auto same = [&](const Block &other) {
    return other.use == block.use && (block.use != Use::written || other.rank == rank) &&
           (block.use != Use::added || other.type == block.type) && (block.use != Use::counted || other.word == block.word);
  };
  const auto most = static_cast<std::size_t>(1 + random.below(6));
  while (end < all.size() && end - first < most && same(all[end])) ++end;
  result.first_block = first;
  result.blocks = end - first;
  result.start = first * kBlock;
  draw_kind(block, random, result);
  if (result.kind == Kind::rmw || result.kind == Kind::value) {
    const auto word = static_cast<std::size_t>(result.word);
    result.start += word * static_cast<std::size_t>(random.below(static_cast<int>(kBlock / word)));
    result.pieces = {{0, 0, word}};
    result.buffer_bytes = word;
    return true;
  }
  draw_shape(result.kind == Kind::accumulate ? kElement[result.type] : 1, random, result);
  return true;
}

void Plan::draw_kind(const Block &block, Random &random, Operation &operation) {
  operation.type = block.type;
  operation.word = block.word;
  operation.scale = random.below(3) == 0 ? 1 : random.below(7) - 3;
  operation.swaps = false;
  const Form forms[] = {Form::blocking, Form::blocking, Form::handle, Form::implicit};
  operation.form = forms[random.below(4)];
  const Shape shapes[] = {Shape::plain, Shape::strided, Shape::strided, Shape::vector};
  operation.shape = shapes[random.below(4)];
  if (block.use == Use::read) operation.kind = Kind::get;
  if (block.use == Use::added) operation.kind = Kind::accumulate;
  if (block.use == Use::counted) operation.kind = Kind::rmw;
  if (block.use != Use::written) return;
  const Kind kinds[] = {Kind::put, Kind::put, Kind::put, Kind::get, Kind::get, Kind::value, Kind::rmw};
  operation.kind = kinds[random.below(7)];
  operation.swaps = random.below(2) == 0;
  if (operation.kind == Kind::rmw) operation.form = Form::blocking;
}

/// Pieces that do not overlap on either side, and end before the blocks do.
void Plan::draw_shape(std::size_t element, Random &random, Operation &operation) {
  const std::size_t room = operation.blocks * kBlock / element;     // in elements
  const auto draw = [&](std::size_t most) { return static_cast<std::size_t>(random.below(static_cast<int>(most))); };
  if (operation.shape == Shape::plain) {
    const std::size_t skipped = draw(room), length = 1 + draw(room - skipped);
    operation.start += skipped * element;
    operation.pieces = {{0, 0, length * element}};
    operation.buffer_bytes = length * element;
    return;
  }
  const std::size_t run = 1 + draw(room < 24 ? room : 24);
  if (operation.shape == Shape::vector) {
    std::size_t in_memory = 0, in_buffer = 0;
    const std::size_t most = 1 + draw(12);
    while (in_memory + run <= room && operation.pieces.size() < most) {
      operation.pieces.push_back({in_buffer * element, in_memory * element, run * element});
      in_memory += run + draw(3);
      in_buffer += run + draw(2);
    }
    operation.buffer_bytes = in_buffer * element;
    return;
  }
  operation.pieces = {{0, 0, run * element}};
  operation.count = {static_cast<int>(run * element)};
  std::size_t memory_extent = run, buffer_extent = run;
  for (std::size_t level = 0, levels = draw(4); level < levels; ++level) {
    const std::size_t memory_stride = memory_extent + draw(4), buffer_stride = buffer_extent + draw(3);
    std::size_t times = 1 + draw(5);
    while (times > 1 && (times - 1) * memory_stride + memory_extent > room) --times;
    const std::vector<Piece> inner = operation.pieces;
    for (std::size_t i = 1; i < times; ++i)
      for (const Piece &piece : inner)
        operation.pieces.push_back({piece.buffer + i * buffer_stride * element, piece.memory + i * memory_stride * element, piece.bytes});
    operation.count.push_back(static_cast<int>(times));
    operation.memory_strides.push_back(static_cast<int>(memory_stride * element));
    operation.buffer_strides.push_back(static_cast<int>(buffer_stride * element));
    memory_extent += (times - 1) * memory_stride;
    buffer_extent += (times - 1) * buffer_stride;
  }
  operation.buffer_bytes = buffer_extent * element;
}

}  // namespace random_armci
