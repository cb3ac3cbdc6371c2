// Swaps of any set of boxes: one exchange with an edge per neighbouring rank, and copies between the blocks of this rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "blocks/boxes.hpp"
#include "blocks/parts.hpp"
#include "blocks/team.hpp"
#include "exchange/exchange.hpp"
#include "exchange/fields.hpp"
#include "halo/geometry.hpp"

namespace halocline::core {

/// The object behind hlc_blocks.
class Blocks final : private Packer {
 public:
  explicit Blocks(const EngineParts &engine);
  ~Blocks() override;

  /// The part that a rank does alone: checks the spec, and writes to *plan what ranks compare, the names of the first block's fields.
  Status accept(const hlc_blocks_spec *spec, std::string *plan);
  /// Makes the plan for the checked spec. Collective; the same status on all ranks.
  Status create(const hlc_blocks_spec *spec);
  Status start(const hlc_swap *what);
  Status test();
  Status finish();
  /// The same by several threads, each of which drives a part.
  Status start_part(int part, const hlc_swap *what);
  Status finish_part(int part);
  Status end(bool others_broken) { return exchange_.end(others_broken); }
  std::int64_t serial() const { return exchange_.plan().serial; }

  bool in_flight() const { return exchange_.in_flight() || (team_ && team_->any_in_flight()); }
  bool broken() const { return exchange_.broken() || (team_ && team_->broken()); }
  hlc_plan_info describe() const;

 private:
  /// The properties of a field that are the same in all blocks.
  struct Field {
    hlc_type type = HLC_OPAQUE;
    std::int64_t element = 0;
    std::array<int, kMaxDims> order{};
    std::string name;  // for messages
  };
  /// A field of one block.
  struct Array {
    char *data = nullptr;
    Strides strides{};
    FieldPlace place;
  };
  /// In one field: a box of cells of one of my blocks, and the matching box of another block.
  struct Move {
    char *mine = nullptr;
    char *theirs = nullptr;              // if it can be accessed directly
    BoxCopy to_buffer, from_buffer;      // mine, packed and unpacked
    BoxCopy pull, push;                  // from theirs to mine, and from mine to theirs
  };
  /// The same in all fields. `mine` is the halo of an incoming piece, or the edge of an outgoing one; `theirs` is the other.
  struct Piece {
    int block = 0, peer_block = 0;
    Box mine, theirs;
    std::int64_t cells_before = 0;  // in the message
    std::vector<Move> moves;        // per field
  };
  struct PieceList {
    std::vector<Piece> pieces;
    PartOrder order;
    std::int64_t cells = 0;
  };
  /// The pieces exchanged with another rank, or between my own blocks (then only `in`).
  struct Link {
    int rank = 0;
    PieceList in, out;
    std::vector<int> my_blocks, peer_blocks;  // that take part, each once, ascending
  };
  /// The descriptor of an array with which another rank can read it.
  struct ReadDescriptor {
    std::int64_t serial, offset;
    Strides strides;
  };
  struct ReadDescriptors : Job {
    std::vector<std::vector<ReadDescriptor>> mine, theirs;  // per link: of each block that takes part, per field
  };
  /// The operation on the pieces of a message.
  enum class Task : char { pack, unpack, pull, to_myself };
  struct Work {
    Task task = Task::pack;
    char *buffer = nullptr;  // the message
    bool past_caches = false;
  };
  /// Work that threads share.
  struct Shared {
    const PieceList *list = nullptr;
    Work work;
  };

  void pack(int edge, void *buffer, bool past_caches) override;
  void unpack(int edge, const void *buffer) override;
  void pull(int edge) override;
  void copy_to_myself() override;
  void end_round() override;
  bool copies_cells() const override { return true; }
  Status joined(const Plan &plan) override;

  Status check_memory(const hlc_blocks_spec &spec) const;
  Status check_same_on_all_ranks(const hlc_blocks_spec &spec, const Options &options) const;
  Status agree_on_fields(const hlc_blocks_spec &spec);
  Status agree_on_types();
  Status agree_on_orders(const hlc_blocks_spec &spec);
  void take_fields(const hlc_blocks_spec &spec);
  void take_arrays(const hlc_blocks_spec &spec);
  Status make_team();
  Status find_links(const hlc_blocks_spec &spec);
  void make_link(int rank, const Domain &domain, const BoxTable &table);
  Piece make_piece(int block, int peer_block, const Box &mine, const Box &theirs) const;
  void close_list(PieceList &list) const;
  void point_to_myself();
  std::vector<Edge> make_edges() const;
  std::int64_t shape_of(const PieceList &first, const PieceList &second) const;
  Status swap_read_descriptors(const Plan &plan, std::size_t link, ReadDescriptors &descriptors) const;
  Status take_read_descriptors(const Plan &plan, std::size_t link, const ReadDescriptors &descriptors);
  Status take_pieces(PieceList &list, const Link &link, const std::vector<ReadDescriptor> &descriptors, Member member);

  Array &array(int block, std::size_t field) { return arrays_[static_cast<std::size_t>(block) * fields_.size() + field]; }
  const Array &array(int block, std::size_t field) const { return arrays_[static_cast<std::size_t>(block) * fields_.size() + field]; }
  Status check_swap(const hlc_swap *what) const;
  void set_swap(const hlc_swap *what);
  Status launch();
  void do_all(const PieceList &list, const Work &work);
  void do_piece(const Piece &piece, const Work &work) const;

  Status check_part(const char *call, int part) const;
  bool is_same_swap(const hlc_swap *what) const;
  void wait_for_launch(int part, std::uint64_t round);
  void drive(int part, std::uint64_t round);
  void help_until_finished(int part, std::uint64_t round);
  void share(const PieceList &list, const Work &work);
  void do_shared(int item);
  void clear_halos();

  Communicator &communicator_;
  Fields &memory_;
  int ndims_ = 0, parts_ = 1;
  std::vector<Field> fields_;
  std::vector<Array> arrays_;     // per block and field
  std::vector<int> part_of_;      // per block
  std::vector<Link> links_;       // link i is edge i of the exchange
  Link own_;                      // in: between my blocks
  Options options_;
  HeldFields held_;
  Exchange exchange_;

  std::vector<int> swapped_;      // fields of the running swap
  std::int64_t cell_bytes_ = 0;   // of a cell in all of them
  bool reverse_ = false, everything_ = false;

  std::unique_ptr<Parts> team_;
  std::unique_ptr<SharedJob> job_;
  Shared shared_;                 // of the job that is posted
  bool whole_ = false;            // the running swap was started by hlc_blocks_start
  bool sharing_ = false;          // it was started by several parts
  int working_part_ = 0;          // of the thread that launches or drives
};

}  // namespace halocline::core
