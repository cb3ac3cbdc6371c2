// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_rma/plan.hpp"

#include <algorithm>
#include <cstring>

namespace random_rma {
namespace {

constexpr char kFree = 0, kRead = 1, kWritten = 2;

template <class Work>
auto with_type(Basic basic, Work work) {
  switch (basic) {
    case Basic::int8: return work(std::int8_t{});
    case Basic::uint8: return work(std::uint8_t{});
    case Basic::int16: return work(std::int16_t{});
    case Basic::int32: return work(std::int32_t{});
    case Basic::uint32: return work(std::uint32_t{});
    case Basic::int64: return work(std::int64_t{});
    case Basic::uint64: return work(std::uint64_t{});
    case Basic::float32: return work(float{});
    default: return work(double{});
  }
}

/// Wraps a result as the type does. All numbers of a plan are integers that a double holds.
double wrap(Basic basic, double value) {
  if (!is_integer(basic)) return value;
  return with_type(basic, [value](auto zero) {
    using T = decltype(zero);
    return static_cast<double>(static_cast<T>(static_cast<std::int64_t>(value)));
  });
}

double combine(Op op, Basic basic, double a, double b) {
  const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
  switch (op) {
    case Op::sum: return wrap(basic, a + b);
    case Op::prod: return wrap(basic, a * b);
    case Op::min: return std::min(a, b);
    case Op::max: return std::max(a, b);
    case Op::band: return wrap(basic, static_cast<double>(x & y));
    case Op::bor: return wrap(basic, static_cast<double>(x | y));
    case Op::bxor: return wrap(basic, static_cast<double>(x ^ y));
    case Op::land: return a != 0 && b != 0 ? 1 : 0;
    case Op::lor: return a != 0 || b != 0 ? 1 : 0;
    case Op::replace: return b;
    default: return a;
  }
}

bool only_integers(Op op) { return op >= Op::band && op <= Op::lor; }
bool is_atomic(Kind kind) { return kind != Kind::put && kind != Kind::get; }

/// What may be computed with in a phase. After the first one elements hold any bytes, and a double holds any whole number of 32 bits.
bool allowed(Basic basic, Kind kind, bool first) {
  if (!is_atomic(kind)) return true;
  if (!first) return is_integer(basic) && bytes_of(basic) < 8;
  return kind != Kind::compare_swap || is_integer(basic);
}

double random_number(Random &random, Basic basic, Op op) {
  if (op == Op::prod) return is_integer(basic) && basic != Basic::int64 ? 1 : static_cast<double>(pick(random, 0, 1) * 2 - 1);
  return static_cast<double>(pick(random, 1, 9));
}

std::vector<double> random_numbers(Random &random, Basic basic, Op op, std::size_t count) {
  std::vector<double> values(count);
  for (double &value : values) value = random_number(random, basic, op);
  return values;
}

Op random_op(Random &random, Kind kind, Basic basic) {
  for (;;) {
    const Op op = static_cast<Op>(pick(random, 0, static_cast<int>(Op::count_) - 1));
    if (only_integers(op) && !is_integer(basic)) continue;
    if (op == Op::no_op && kind == Kind::accumulate) continue;
    return op;
  }
}

}  // namespace

bool is_integer(Basic basic) { return basic != Basic::float32 && basic != Basic::float64; }

double read_number(const char *from, Basic basic) {
  return with_type(basic, [from](auto number) {
    std::memcpy(&number, from, sizeof number);
    return static_cast<double>(number);
  });
}

void write_number(char *to, Basic basic, double value) {
  with_type(basic, [to, value](auto zero) {
    const auto number = static_cast<decltype(zero)>(value);
    std::memcpy(to, &number, sizeof number);
    return 0;
  });
}

Plan::Plan(const Options &options, int ranks, int window)
    : options_(options), ranks_(ranks), random_(options.seed * 1000003U + static_cast<std::uint64_t>(window)) {
  flavor_ = static_cast<Flavor>(options.flavor >= 0 ? options.flavor : pick(random_, 0, static_cast<int>(Flavor::count_) - 1));
  disp_unit_ = flavor_ == Flavor::dynamic ? 1 : 1 << pick(random_, 0, 3);
  memory_.resize(static_cast<std::size_t>(ranks));
  for (Memory &memory : memory_) {
    memory.resize(chance(random_, 10) ? 0 : static_cast<std::size_t>(pick(random_, 8, 256)) * 8);
    for (char &byte : memory) byte = static_cast<char>(pick(random_, 1, 9));
  }
}

Epoch Plan::next() {
  Epoch epoch;
  epoch.sync = static_cast<Sync>(options_.sync >= 0 ? options_.sync : pick(random_, 0, static_cast<int>(Sync::count_) - 1));
  const std::int64_t phases = epoch.sync == Sync::fence || epoch.sync == Sync::lock_all ? pick(random_, 1, 3) : 1;
  for (std::int64_t i = 0; i < phases; ++i) fill_phase(epoch, i == 0);
  simulate(epoch);
  return epoch;
}

void Plan::fill_phase(Epoch &epoch, bool first) {
  tags_.clear();
  for (const Memory &memory : memory_) tags_.emplace_back(memory.size(), kFree);
  groups_.clear();
  Phase phase;
  for (int i = 0; i < options_.operations; ++i) add(epoch, phase, first);
  for (Operation &operation : phase.operations)
    operation.exact = operation.group < 0 || !groups_[static_cast<std::size_t>(operation.group)].shared;
  epoch.phases.push_back(std::move(phase));
}

bool Plan::add(Epoch &epoch, Phase &phase, bool first) {
  Operation operation;
  operation.id = ++last_id_;
  operation.kind = static_cast<Kind>(pick(random_, 0, static_cast<int>(Kind::count_) - 1));
  operation.origin = static_cast<int>(pick(random_, 0, ranks_ - 1));
  operation.target = static_cast<int>(pick(random_, 0, ranks_ - 1));
  const bool passive = epoch.sync == Sync::lock || epoch.sync == Sync::lock_all;
  operation.with_request = passive && operation.kind != Kind::fetch_op && operation.kind != Kind::compare_swap && chance(random_, 40);
  if (is_atomic(operation.kind) && chance(random_, 50) && join(operation)) {
    phase.operations.push_back(std::move(operation));
    return true;
  }
  const int last = static_cast<int>(Basic::count_) - 1;
  auto basic = static_cast<Basic>(pick(random_, 0, last));
  while (!allowed(basic, operation.kind, first)) basic = static_cast<Basic>(pick(random_, 0, last));
  const bool single = operation.kind == Kind::fetch_op || operation.kind == Kind::compare_swap;
  const int elements = single ? 1 : static_cast<int>(pick(random_, 1, chance(random_, 20) ? 64 : 8));
  operation.at =
      single ? Layout{basic, Shape::contiguous, 1, {}, {0}, random_rma::bytes_of(basic), 0} : random_layout(random_, basic, elements);
  operation.from = single ? operation.at : random_layout(random_, basic, elements);
  operation.op = operation.kind == Kind::compare_swap ? Op::replace : random_op(random_, operation.kind, basic);
  operation.values = random_numbers(random_, basic, operation.op, static_cast<std::size_t>(elements));
  operation.compared = random_numbers(random_, basic, operation.op, 1);
  const std::vector<char> tags = operation.kind == Kind::get ? std::vector<char>{kFree, kRead} : std::vector<char>{kFree};
  if (!place(operation, tags)) return false;
  claim(operation, operation.kind == Kind::get ? kRead : kWritten);
  if (is_atomic(operation.kind)) open_group(epoch, operation);
  phase.operations.push_back(std::move(operation));
  return true;
}

/// Makes the operation one of a group that there is, with other data.
bool Plan::join(Operation &operation) {
  if (groups_.empty()) return false;
  operation.group = static_cast<int>(pick(random_, 0, static_cast<std::int64_t>(groups_.size()) - 1));
  Group &group = groups_[static_cast<std::size_t>(operation.group)];
  const bool swaps = operation.kind == Kind::compare_swap, single = swaps || operation.kind == Kind::fetch_op;
  if (operation.kind == Kind::accumulate && group.op == Op::no_op) return false;
  if (swaps != group.swaps || (single && group.at.offsets.size() != 1)) return false;
  const bool any_order = group.op != Op::replace && !swaps;
  if (operation.origin != group.origin && !any_order) operation.origin = group.origin;
  if (single && group.at.shape != Shape::contiguous) return false;
  if (operation.origin != group.origin) group.shared = true;
  const Basic basic = group.at.basic;
  operation.target = group.target;
  operation.place = group.place;
  operation.at = group.at;
  operation.op = group.op;
  operation.from = single ? group.at : random_layout(random_, basic, static_cast<int>(group.at.offsets.size()));
  operation.values = random_numbers(random_, basic, group.op, group.at.offsets.size());
  operation.compared = random_numbers(random_, basic, group.op, 1);
  return true;
}

/// Finds a place in the target's window whose elements all have one of the tags `allowed`.
bool Plan::place(Operation &operation, const std::vector<char> &allowed) {
  const std::vector<char> &tags = tags_[static_cast<std::size_t>(operation.target)];
  const int size = random_rma::bytes_of(operation.at.basic);
  const std::int64_t room = static_cast<std::int64_t>(tags.size()) - operation.at.bytes;
  for (int attempt = 0; attempt < 8 && room >= 0; ++attempt) {
    operation.place = pick(random_, 0, room / size) * size;
    if ((operation.place + operation.at.origin) % disp_unit_ != 0) continue;
    const bool all = std::all_of(operation.at.offsets.begin(), operation.at.offsets.end(), [&](std::int64_t offset) {
      return std::all_of(tags.begin() + operation.place + offset, tags.begin() + operation.place + offset + size,
                         [&](char tag) { return std::find(allowed.begin(), allowed.end(), tag) != allowed.end(); });
    });
    if (all) return true;
  }
  return false;
}

void Plan::claim(const Operation &operation, char tag) {
  std::vector<char> &tags = tags_[static_cast<std::size_t>(operation.target)];
  for (const std::int64_t offset : operation.at.offsets)
    std::fill_n(tags.begin() + operation.place + offset, random_rma::bytes_of(operation.at.basic), tag);
}

/// The owner stores numbers of the group's type first, in the first phase. Later groups have whole numbers, of any value.
void Plan::open_group(Epoch &epoch, Operation &operation) {
  operation.group = static_cast<int>(groups_.size());
  groups_.push_back(
      {operation.target, operation.origin, operation.op, operation.kind == Kind::compare_swap, operation.place, operation.at, false});
  if (!epoch.phases.empty()) return;
  Store store{operation.target, operation.place, operation.at, {}};
  store.values = random_numbers(random_, operation.at.basic, Op::sum, operation.at.offsets.size());
  epoch.stores.push_back(std::move(store));
}

/// Does all operations, one after another, in the memory of the plan.
void Plan::simulate(Epoch &epoch) {
  for (const Store &store : epoch.stores)
    for (std::size_t i = 0; i < store.values.size(); ++i)
      write_number(address(store.target, store.place + store.at.offsets[i]), store.at.basic, store.values[i]);
  for (Phase &phase : epoch.phases)
    for (Operation &operation : phase.operations) simulate(operation);
}

void Plan::simulate(Operation &operation) {
  const Basic basic = operation.at.basic;
  const auto size = static_cast<std::size_t>(random_rma::bytes_of(basic));
  for (std::size_t i = 0; i < operation.values.size(); ++i) {
    char *at = address(operation.target, operation.place + operation.at.offsets[i]);
    operation.before.insert(operation.before.end(), at, at + size);
    if (operation.kind == Kind::get) continue;
    if (operation.kind == Kind::put) {
      write_number(at, basic, operation.values[i]);
      continue;
    }
    const double old = read_number(at, basic);
    if (operation.kind == Kind::compare_swap && chance(random_, 60)) operation.compared[0] = old;
    if (operation.kind == Kind::compare_swap && operation.compared[0] != old) continue;
    write_number(at, basic, combine(operation.op, basic, old, operation.values[i]));
  }
}

const char *name_of(Kind kind) {
  constexpr const char *names[] = {"put", "get", "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap"};
  return names[static_cast<std::size_t>(kind)];
}

const char *name_of(Op op) {
  constexpr const char *names[] = {"SUM", "PROD", "MIN", "MAX", "BAND", "BOR", "BXOR", "LAND", "LOR", "REPLACE", "NO_OP"};
  return names[static_cast<std::size_t>(op)];
}

const char *name_of(Sync sync) {
  constexpr const char *names[] = {"fence", "pscw", "lock", "lock_all"};
  return names[static_cast<std::size_t>(sync)];
}

const char *name_of(Flavor flavor) {
  constexpr const char *names[] = {"allocate", "create", "alloc_mem", "shared", "dynamic"};
  return names[static_cast<std::size_t>(flavor)];
}

std::string describe(const Operation &operation) {
  std::string text = "operation " + std::to_string(operation.id) + ", " + name_of(operation.kind);
  if (is_atomic(operation.kind)) text += std::string(" ") + name_of(operation.op);
  text += " of " + std::to_string(operation.at.offsets.size()) + " " + name_of(operation.at.basic) + ", rank " +
          std::to_string(operation.origin) + " (" + name_of(operation.from.shape) + ") -> rank " + std::to_string(operation.target) +
          " byte " + std::to_string(operation.place) + " (" + name_of(operation.at.shape) + ")";
  return operation.exact ? text : text + ", with others";
}

}  // namespace random_rma
