// Plays random ARMCI programs, and compares each byte of memory and of what is read with a serial oracle. Options: --seed=1 --phases=4
// --operations=40 --rounds=1, of which each has the next seed, --delays=0, the most microseconds that a rank sleeps between operations. It
// uses nothing but MPI and armci.h, so that it runs on any implementation.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

extern "C" {
#include <armci.h>
}

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>

#include "armci/random_plan.hpp"

namespace random_armci {
namespace {

using Bytes = std::vector<char>;

std::size_t index_of(int number) { return static_cast<std::size_t>(number); }

/// What an operation sends: elements for an accumulate, any bytes for a put.
Bytes buffer_of(const Operation &operation) {
  Bytes buffer(operation.buffer_bytes + 16, 0x66);
  if (operation.kind == Kind::accumulate) {
    const std::size_t element = kElement[operation.type];
    for (std::size_t at = 0; at + element <= operation.buffer_bytes; at += element)
      write_element(buffer.data() + at, operation.type, number_of(operation.seed, at));
  } else if (operation.kind != Kind::get) {
    for (std::size_t at = 0; at < operation.buffer_bytes; ++at) buffer[at] = static_cast<char>(Random(operation.seed + at).next());
  }
  return buffer;
}

/// Memory of all ranks as it must be.
class Oracle {
 public:
  explicit Oracle(const Plan &plan) : plan_(plan) {
    for (int a = 0; a < plan.options().allocations; ++a)
      for (int r = 0; r < plan.options().ranks; ++r) memory_.emplace_back(plan.bytes(a, r), static_cast<char>(7 * a + r));
  }

  Bytes &of(int allocation, int rank) { return memory_[index_of(allocation * plan_.options().ranks + rank)]; }

  /// Numbers stand where something is added in this phase.
  void begin(int phase) {
    for (int a = 0; a < plan_.options().allocations; ++a)
      for (int r = 0; r < plan_.options().ranks; ++r) {
        const auto &blocks = plan_.blocks(phase, a, r);
        for (std::size_t b = 0; b < blocks.size(); ++b) begin_block(blocks[b], of(a, r).data() + b * kBlock);
      }
  }

  /// Carries an operation out; returns what its buffer holds afterwards.
  Bytes apply(const Operation &operation) {
    Bytes buffer = buffer_of(operation);
    char *const memory = of(operation.allocation, operation.target).data() + operation.start;
    if (operation.kind == Kind::rmw) return change_word(operation, memory, buffer);
    for (const Piece &piece : operation.pieces) {
      char *const there = memory + piece.memory, *const here = buffer.data() + piece.buffer;
      if (operation.kind == Kind::get) {
        std::memcpy(here, there, piece.bytes);
      } else if (operation.kind == Kind::accumulate) {
        for (std::size_t i = 0; i < piece.bytes; i += kElement[operation.type])
          add_element(there + i, operation.type, operation.scale, here + i);
      } else {
        std::memcpy(there, here, piece.bytes);
      }
    }
    return buffer;
  }

 private:
  static void begin_block(const Block &block, char *bytes) {
    if (block.use == Use::added)
      for (std::size_t i = 0; i < kBlock; i += kElement[block.type]) write_element(bytes + i, block.type, static_cast<int>(i % 5));
    if (block.use == Use::counted)
      for (std::size_t i = 0; i < kBlock; i += index_of(block.word)) write_element(bytes + i, block.word == 4 ? 0 : 1, static_cast<int>(i));
  }

  /// The old word goes into the buffer; a swap leaves there what was in the buffer.
  static Bytes change_word(const Operation &operation, char *memory, Bytes &buffer) {
    const auto word = index_of(operation.word);
    Bytes old(memory, memory + word);
    if (operation.swaps) {
      std::memcpy(memory, buffer.data(), word);
    } else if (word == 4) {
      std::uint32_t value;
      std::memcpy(&value, memory, 4);
      value += static_cast<std::uint32_t>(operation.scale);
      std::memcpy(memory, &value, 4);
    } else {
      std::uint64_t value;
      std::memcpy(&value, memory, 8);
      value += static_cast<std::uint64_t>(static_cast<std::int64_t>(operation.scale));
      std::memcpy(memory, &value, 8);
    }
    std::memcpy(buffer.data(), old.data(), word);
    return buffer;
  }

  const Plan &plan_;
  std::vector<Bytes> memory_;
};

/// An operation under way, and what its buffer must hold at its end.
struct Posted {
  const Operation *operation;
  Bytes buffer, expected;
  armci_hdl_t handle;
  bool reads;  // no other rank changes what it reads
};

class Player {
 public:
  explicit Player(const Plan &plan) : plan_(plan), oracle_(plan) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    delays_.seed(plan.options().seed * 1000 + static_cast<std::uint64_t>(rank_));
    for (int a = 0; a < plan.options().allocations; ++a) {
      bases_.emplace_back(index_of(plan.options().ranks));
      ARMCI_Malloc(bases_.back().data(), static_cast<armci_size_t>(plan.bytes(a, rank_)));
      if (plan.bytes(a, rank_) > 0) std::memset(mine(a), 7 * a + rank_, plan.bytes(a, rank_));
    }
    ARMCI_Barrier();
  }
  ~Player() {
    for (auto &bases : bases_) ARMCI_Free(bases[index_of(rank_)]);
  }
  Player(const Player &) = delete;
  Player &operator=(const Player &) = delete;

  /// The number of wrong results of this rank.
  int play() {
    for (int phase = 0; phase < plan_.options().phases && wrong_ == 0; ++phase) {
      prepare(phase);
      for (int r = 0; r < plan_.options().ranks; ++r)
        for (const Operation &operation : plan_.operations(phase, r)) {
          Bytes after = oracle_.apply(operation);
          if (r == rank_) expected_.push_back(std::move(after));
        }
      const auto &operations = plan_.operations(phase, rank_);
      for (std::size_t i = 0; i < operations.size(); ++i) perform(phase, operations[i], expected_[i]);
      expected_.clear();
      complete_all();
      ARMCI_Barrier();
      compare(phase);
      MPI_Allreduce(MPI_IN_PLACE, &wrong_, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    return wrong_;
  }

 private:
  char *mine(int allocation) const { return static_cast<char *>(bases_[index_of(allocation)][index_of(rank_)]); }

  /// Numbers for this phase, stored by the owner.
  void prepare(int phase) {
    oracle_.begin(phase);
    for (int a = 0; a < plan_.options().allocations; ++a) {
      const Bytes &now = oracle_.of(a, rank_);
      if (now.empty()) continue;
      ARMCI_Access_begin(mine(a));
      std::memcpy(mine(a), now.data(), now.size());
      ARMCI_Access_end(mine(a));
    }
    ARMCI_Barrier();
  }

  /// A rank that is late, with operations of its own under way and others' at its memory.
  void be_late() {
    if (plan_.options().delay_us == 0 || delays_() % 4 != 0) return;
    std::this_thread::sleep_for(std::chrono::microseconds(delays_() % static_cast<std::uint64_t>(plan_.options().delay_us)));
  }

  void perform(int phase, const Operation &operation, const Bytes &expected) {
    be_late();
    complete_those_at(operation);
    auto posted = std::make_unique<Posted>();
    posted->operation = &operation;
    posted->buffer = buffer_of(operation);
    posted->expected = expected;
    const Block &block = plan_.blocks(phase, operation.allocation, operation.target)[operation.first_block];
    posted->reads = operation.kind != Kind::rmw || block.use == Use::written;
    ARMCI_INIT_HANDLE(&posted->handle);
    const bool waits = operation.form == Form::blocking || operation.kind == Kind::rmw;
    call(*posted, waits ? nullptr : operation.form == Form::handle ? &posted->handle : nullptr, waits);
    if (waits)
      check(*posted);
    else
      posted_.push_back(std::move(posted));
  }

  /// Location consistency holds between operations of which the first is complete.
  void complete_those_at(const Operation &next) {
    for (std::size_t i = 0; i < posted_.size(); ++i) {
      const Operation &other = *posted_[i]->operation;
      const bool apart = other.allocation != next.allocation || other.target != next.target ||
                         other.first_block + other.blocks <= next.first_block || next.first_block + next.blocks <= other.first_block;
      if (!apart) return complete_all();
    }
  }

  void complete_all() {
    for (auto &posted : posted_)
      if (posted->operation->form == Form::handle) ARMCI_Wait(&posted->handle);
    ARMCI_WaitAll();
    for (auto &posted : posted_) check(*posted);
    posted_.clear();
  }

  void call(Posted &posted, armci_hdl_t *handle, bool waits) {
    const Operation &o = *posted.operation;
    char *const memory = static_cast<char *>(bases_[index_of(o.allocation)][index_of(o.target)]) + o.start, *const buffer =
                                                                                                                posted.buffer.data();
    if (o.kind == Kind::rmw) {
      const int add = o.word == 4 ? ARMCI_FETCH_AND_ADD : ARMCI_FETCH_AND_ADD_LONG, swap = o.word == 4 ? ARMCI_SWAP : ARMCI_SWAP_LONG;
      ARMCI_Rmw(o.swaps ? swap : add, buffer, memory, o.scale, o.target);
    } else if (o.kind == Kind::value) {
      put_value(o, memory, buffer, handle, waits);
    } else if (o.shape == Shape::plain) {
      call_plain(o, memory, buffer, handle, waits);
    } else if (o.shape == Shape::strided) {
      call_strided(o, memory, buffer, handle, waits);
    } else {
      call_vector(o, memory, buffer, handle, waits);
    }
  }

  static void put_value(const Operation &o, char *memory, char *buffer, armci_hdl_t *handle, bool waits) {
    int small = 0;
    long large = 0;
    std::memcpy(&small, buffer, 4);
    if (o.word == 8) std::memcpy(&large, buffer, 8);
    if (o.word == 4 && waits) ARMCI_PutValueInt(small, memory, o.target);
    if (o.word == 4 && !waits) ARMCI_NbPutValueInt(small, memory, o.target, handle);
    if (o.word == 8 && waits) ARMCI_PutValueLong(large, memory, o.target);
    if (o.word == 8 && !waits) ARMCI_NbPutValueLong(large, memory, o.target, handle);
  }

  static void call_plain(const Operation &o, char *memory, char *buffer, armci_hdl_t *handle, bool waits) {
    const int bytes = static_cast<int>(o.pieces[0].bytes);
    char scale[16];
    write_scale(scale, o.type, o.scale);
    if (o.kind == Kind::put && waits) ARMCI_Put(buffer, memory, bytes, o.target);
    if (o.kind == Kind::put && !waits) ARMCI_NbPut(buffer, memory, bytes, o.target, handle);
    if (o.kind == Kind::get && waits) ARMCI_Get(memory, buffer, bytes, o.target);
    if (o.kind == Kind::get && !waits) ARMCI_NbGet(memory, buffer, bytes, o.target, handle);
    if (o.kind == Kind::accumulate && waits) ARMCI_Acc(o.type, scale, buffer, memory, bytes, o.target);
    if (o.kind == Kind::accumulate && !waits) ARMCI_NbAcc(o.type, scale, buffer, memory, bytes, o.target, handle);
  }

  static void call_strided(const Operation &o, char *memory, char *buffer, armci_hdl_t *handle, bool waits) {
    std::vector<int> count = o.count, there = o.memory_strides, here = o.buffer_strides;
    there.push_back(0);
    here.push_back(0);
    const int levels = static_cast<int>(count.size()) - 1;
    char scale[16];
    write_scale(scale, o.type, o.scale);
    if (o.kind == Kind::put && waits) ARMCI_PutS(buffer, here.data(), memory, there.data(), count.data(), levels, o.target);
    if (o.kind == Kind::put && !waits) ARMCI_NbPutS(buffer, here.data(), memory, there.data(), count.data(), levels, o.target, handle);
    if (o.kind == Kind::get && waits) ARMCI_GetS(memory, there.data(), buffer, here.data(), count.data(), levels, o.target);
    if (o.kind == Kind::get && !waits) ARMCI_NbGetS(memory, there.data(), buffer, here.data(), count.data(), levels, o.target, handle);
    if (o.kind == Kind::accumulate && waits)
      ARMCI_AccS(o.type, scale, buffer, here.data(), memory, there.data(), count.data(), levels, o.target);
    if (o.kind == Kind::accumulate && !waits)
      ARMCI_NbAccS(o.type, scale, buffer, here.data(), memory, there.data(), count.data(), levels, o.target, handle);
  }

  static void call_vector(const Operation &o, char *memory, char *buffer, armci_hdl_t *handle, bool waits) {
    std::vector<void *> here, there;
    for (const Piece &piece : o.pieces) here.push_back(buffer + piece.buffer), there.push_back(memory + piece.memory);
    armci_giov_t vector;
    vector.src_ptr_array = o.kind == Kind::get ? there.data() : here.data();
    vector.dst_ptr_array = o.kind == Kind::get ? here.data() : there.data();
    vector.bytes = static_cast<int>(o.pieces[0].bytes);
    vector.ptr_array_len = static_cast<int>(o.pieces.size());
    char scale[16];
    write_scale(scale, o.type, o.scale);
    if (o.kind == Kind::put && waits) ARMCI_PutV(&vector, 1, o.target);
    if (o.kind == Kind::put && !waits) ARMCI_NbPutV(&vector, 1, o.target, handle);
    if (o.kind == Kind::get && waits) ARMCI_GetV(&vector, 1, o.target);
    if (o.kind == Kind::get && !waits) ARMCI_NbGetV(&vector, 1, o.target, handle);
    if (o.kind == Kind::accumulate && waits) ARMCI_AccV(o.type, scale, &vector, 1, o.target);
    if (o.kind == Kind::accumulate && !waits) ARMCI_NbAccV(o.type, scale, &vector, 1, o.target, handle);
  }

  void check(const Posted &posted) {
    if (!posted.reads || posted.buffer == posted.expected || wrong_ > 0) return;
    std::size_t at = 0;
    while (posted.buffer[at] == posted.expected[at]) ++at;
    const Operation &o = *posted.operation;
    ++wrong_;
    std::printf(
        "rank %d: after operation kind %d, shape %d, form %d at allocation %d of rank %d from byte %zu on, byte %zu of the buffer is %d "
        "and not %d (--seed=%llu)\n",
        rank_, static_cast<int>(o.kind), static_cast<int>(o.shape), static_cast<int>(o.form), o.allocation, o.target, o.start, at,
        posted.buffer[at], posted.expected[at], static_cast<unsigned long long>(plan_.options().seed));
  }

  void compare(int phase) {
    for (int a = 0; a < plan_.options().allocations; ++a) {
      const Bytes &expected = oracle_.of(a, rank_);
      if (expected.empty()) continue;
      ARMCI_Access_begin(mine(a));
      for (std::size_t i = 0; i < expected.size() && wrong_ == 0; ++i) {
        if (mine(a)[i] == expected[i]) continue;
        const Block &block = plan_.blocks(phase, a, rank_)[i / kBlock];
        ++wrong_;
        std::printf("rank %d: in phase %d, byte %zu of allocation %d is %d and not %d; use %d, by rank %d, type %d (--seed=%llu)\n", rank_,
                    phase, i, a, mine(a)[i], expected[i], static_cast<int>(block.use), block.rank, block.type,
                    static_cast<unsigned long long>(plan_.options().seed));
      }
      ARMCI_Access_end(mine(a));
    }
  }

  const Plan &plan_;
  Oracle oracle_;
  int rank_ = 0, wrong_ = 0;
  std::mt19937_64 delays_;
  std::vector<std::vector<void *>> bases_;
  std::vector<Bytes> expected_;
  std::vector<std::unique_ptr<Posted>> posted_;
};

/// The number of an option, or what it is without.
std::uint64_t number_option(int argc, char **argv, const char *name, std::uint64_t otherwise) {
  const std::size_t length = std::strlen(name);
  for (int i = 1; i < argc; ++i)
    if (std::strncmp(argv[i], name, length) == 0) return std::strtoull(argv[i] + length, nullptr, 10);
  return otherwise;
}

}  // namespace
}  // namespace random_armci

int main(int argc, char **argv) {
  using namespace random_armci;
  MPI_Init(&argc, &argv);
  ARMCI_Init();
  Options options;
  int rank = 0, wrong = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &options.ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  options.seed = number_option(argc, argv, "--seed=", 1);
  options.phases = static_cast<int>(number_option(argc, argv, "--phases=", 4));
  options.operations = static_cast<int>(number_option(argc, argv, "--operations=", 40));
  options.delay_us = static_cast<int>(number_option(argc, argv, "--delays=", 0));
  const std::uint64_t rounds = number_option(argc, argv, "--rounds=", 1);
  std::size_t operations = 0;
  for (std::uint64_t round = 0; round < rounds && wrong == 0; ++round, ++options.seed) {
    const Plan plan(options);
    for (int phase = 0; phase < options.phases; ++phase)
      for (int r = 0; r < options.ranks; ++r) operations += plan.operations(phase, r).size();
    wrong = Player(plan).play();
  }
  if (rank == 0)
    std::printf("%llu programs of %zu operations on %d ranks: %s\n", static_cast<unsigned long long>(rounds), operations, options.ranks,
                wrong == 0 ? "all right" : "wrong");
  ARMCI_Finalize();
  MPI_Finalize();
  return wrong == 0 && operations > 0 ? 0 : 1;
}
