// Halo swaps of structured grids: geometry and copies around one Exchange.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "exchange/exchange.hpp"
#include "exchange/fields.hpp"
#include "halo/bindings.hpp"
#include "halo/copy_table.hpp"
#include "halo/exposures.hpp"
#include "halo/geometry.hpp"
#include "halo/views.hpp"

namespace halocline {

class HaloCheck;
class Staged;

/// One halo: the object behind hlc_halo. The four calls of its public functions are start, test, finish and the destructor.
class Halo final : private Cargo {
 public:
  explicit Halo(Context &context);
  ~Halo() override;

  /// What a rank does alone: checks the spec, and says in *plan what is compared between ranks: the names of the halo and of its fields.
  Status accept(const hlc_halo_spec *spec, std::string *plan);
  /// Plans what has been checked. Collective; the same status on all ranks.
  Status create(const hlc_halo_spec *spec);
  /// Plans one stage of a staged halo. grown: the low halo cells that count as block here, and have been filled by the stages before.
  Status create_stage(const hlc_halo_spec &spec, const Options &options, const Cells &grown);
  Status start(const hlc_swap *what);
  /// With other arrays than the spec's, one per field; NULL: the spec's. See hlc_halo_start_with.
  Status start_with(const hlc_swap *what, void *const *data);
  Status test();
  Status finish();
  /// Of a stage: as finish, as far as that needs no wait; `again` while something is left.
  Status try_finish() { return exchange_.try_finish(); }
  /// As finish, but in mode view without copies; see hlc_halo_finish_views.
  Status finish_views();
  Status release();
  Status list_views(int field, hlc_view *views) const;
  Status end(bool others_broken);
  std::int64_t serial() const;

  bool in_flight() const { return state().under_way; }
  bool broken() const { return state().broken; }
  Context &context() { return context_; }
  hlc_plan_info describe() const;

 private:
  friend class HaloCheck;

  /// A field as the halo sees it.
  struct Field {
    char *data = nullptr;
    hlc_type type = HLC_OPAQUE;
    std::int64_t element = 0, extent = 0;  // extent: bytes from the first to behind the last
    Strides strides{};
    std::array<int, kMaxDims> order{};
    FieldPlace place;
    ExposedAddress exposed;  // of an array of the caller's own
    std::string name;  // for messages
  };
  /// One field's cells of one direction, and the copies that a swap makes of them.
  struct Move {
    char *halo = nullptr, *edge = nullptr;                    // my cells
    const char *peer_halo = nullptr, *peer_edge = nullptr;    // the neighbour's, where they can be read
    std::int64_t halo_bytes = 0, edge_bytes = 0;
    BoxCopy pack_edge, unpack_halo, pack_halo, add_edge;      // through a buffer, forwards and in reverse
    BoxCopy pull_halo, pull_edge;                             // read directly, forwards and in reverse
  };
  /// A direction with its moves, one per field.
  struct Path {
    Direction direction;
    std::vector<Move> moves;
    bool active = true;  // fills my halo in the running swap
    Box source;          // to myself and of repeats only: the cells of my array that fill the halo
  };
  /// What a rank tells its neighbour of one field, so that it can read it.
  struct ReadCard {
    std::int64_t serial, offset;  // the field's memory, and where the field starts in it
    std::int64_t halo, edge;      // where the boxes start in the field
    Strides strides;
    ExposedAddress exposed;  // instead, of an array of the caller's own
  };
  struct ReadCards : Job {
    std::vector<ReadCard> mine, theirs;  // per path and field
  };

  void pack(int edge, void *buffer, bool past_caches) override;
  void unpack(int edge, const void *buffer) override;
  Status found(int edge, std::span<const FieldPlace> places) override;
  void pull(int edge) override;
  void pull_several(Edges edges) override;
  void show(int edge, const void *buffer) override;
  void copy_to_myself() override;
  void end_round() override;
  Looks *looks() override;
  bool copies_cells() const override { return true; }
  Status joined(const Plan &plan) override;

  Status check_memory(const hlc_halo_spec &spec) const;
  Status check_same_on_all_ranks(const hlc_halo_spec &spec, const Options &options) const;
  Status agree_on_orders(const hlc_halo_spec &spec);
  Status create_stages(const hlc_halo_spec &spec);
  Status plan_swap(const hlc_halo_spec &spec);
  Status make_check(const hlc_halo_spec &spec);
  void take_fields(const hlc_halo_spec &spec);
  void expose(Field &field, std::int64_t bytes);
  char *find_part(const ReadCard &card, Member member);
  void take_directions(const hlc_halo_spec &spec);
  void take_own_directions(const hlc_halo_spec &spec, const std::vector<Direction> &directions);
  void take_wraps(const hlc_halo_spec &spec);
  Path make_path(const hlc_halo_spec &spec, const Direction &direction) const;
  Path make_own_path(const hlc_halo_spec &spec, const Direction &direction, const Box &source) const;
  int count_own_directions() const;
  std::vector<Edge> make_edges(bool readable) const;
  Status make_tables();
  Status swap_read_cards(const Plan &plan, std::size_t path, ReadCards &cards) const;
  ReadCard read_card(const Path &path, std::size_t field) const;
  Status take_read_card(Path &path, std::size_t field, const ReadCard &card, Member member);

  RoundState state() const { return staged_ ? state_of_stages() : exchange_.state(); }
  RoundState state_of_stages() const;
  Status begin(const char *call, const hlc_swap *what);
  Status check_swap(const char *call, const hlc_swap &what) const;
  Status check_given(const hlc_swap *what) const;
  void set_swap(const hlc_swap *what);
  void set_parts(const hlc_swap *what);
  void list_copies();
  void list_pulls(const Path &path);
  void list_messages(const Path &path);
  void pack_halos(const Path &path, char *message, bool past_caches) const;
  void add_message(const Path &path, const char *message) const;
  void make_bindings();
  Status bind(const hlc_swap *what, bool *moved);
  Status hold(std::size_t field);
  void let_go();
  void aim_all();
  void aim(Path &path) const;
  void aim_at_myself(Path &path) const;
  void aim_copies(std::size_t edge);
  char *borrow(std::int64_t serial, Member member);
  Status refuse_place(const Path &path, std::size_t field) const;
  void make_views(const hlc_halo_spec &spec);
  void list_own(std::size_t field, hlc_view *views) const;
  void put_view(std::size_t path, std::size_t field, hlc_view *views) const;
  void put_own_view(const Path &path, std::size_t field, hlc_view *views) const;
  bool is_swapped(const Path &path, std::size_t field) const;
  /// Where a field begins in a message, behind the fields before it: what is shown there must suit its type.
  std::int64_t aligned(std::int64_t offset, std::size_t field) const {
    const std::int64_t element = fields_[field].element;
    return aligned_ ? round_up(offset, std::min<std::int64_t>(element & -element, 16)) : offset;
  }
  void copy_inside(const std::vector<Path> &paths);
  void add_halos(const Path &path);
  void clear_halo();

  Context &context_;
  Options options_;
  int ndims_ = 0;
  std::vector<Field> fields_;
  std::vector<Path> paths_;      // to other ranks; path i is edge i of the exchange
  std::vector<Path> self_paths_; // to myself; peer_* point into my own fields
  std::vector<Path> repeats_;    // halos that repeat cells of another of my halos, once that has been filled
  HeldFields held_;
  Exchange exchange_;

  std::vector<int> swapped_;     // fields of the running swap
  // The copies of a swap that is not reversed, a group per path: those from neighbours that are read, then from myself; and of the others.
  CopyTable pulls_, packs_, unpacks_;
  bool reverse_ = false;
  bool aligned_ = false;  // mode view: fields begin in messages where their types may be read
  bool everything_ = false;  // the parts of the exchange are those of a whole swap
  Extents extents_;
  Cells grown_{};  // of a stage: see create_stage
  std::unique_ptr<Staged> staged_;  // null unless the spec asks for stages: they have the paths and exchanges then
  Exposures exposures_;
  std::unique_ptr<Bindings> bindings_;  // null unless swaps may bring other arrays
  void *const *given_ = nullptr;  // within start_with: the arrays of this swap
  std::unique_ptr<Views> views_;  // null but in mode view without HALOCLINE_CHECK=1
  std::unique_ptr<HaloCheck> check_;  // null unless HALOCLINE_CHECK=1
};

}  // namespace halocline
