// Halo swaps of unstructured meshes: lists of entries around one Exchange.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "exchange/exchange.hpp"
#include "exchange/fields.hpp"
#include "index_halo/entries.hpp"

namespace halocline {

class IndexCheck;

/// One index halo: the object behind hlc_index_halo.
class IndexHalo final : private Cargo {
 public:
  explicit IndexHalo(Context &context);
  ~IndexHalo() override;

  /// What a rank does alone: checks the spec, and says in *plan what is compared between ranks: the names of the fields.
  Status accept(const hlc_index_halo_spec *spec, std::string *plan);
  /// Plans what has been checked. Collective; the same status on all ranks.
  Status create(const hlc_index_halo_spec *spec);
  Status start(const hlc_index_swap *what);
  Status test();
  Status finish();
  /// As finish, but in mode view without copies; see hlc_index_halo_finish_views.
  Status finish_views();
  Status release();
  Status show_view(int field, int neighbour, hlc_index_view *view);
  Status end(bool others_broken) { return exchange_.end(others_broken); }
  std::int64_t serial() const { return exchange_.plan().serial; }

  bool in_flight() const { return exchange_.in_flight(); }
  bool broken() const { return exchange_.broken(); }
  Context &context() { return context_; }
  hlc_plan_info describe() const;

 private:
  friend class IndexCheck;

  struct Field {
    EntryKind kind;
    EntryLayout layout;
    FieldPlace place;
    std::string name;  // for messages
  };
  /// A neighbour's array of one field, where it can be read.
  struct PeerField {
    std::int64_t serial = -1, offset = 0;  // where it lies in the node's fields
    EntryLayout layout;                    // as this process sees it
  };
  /// One entry of the list of neighbours. For one that names another rank the maps lead to a buffer, or to the neighbour's array where that is
  /// read directly; for one that names myself, to my own array.
  struct Link {
    int rank = 0, tag_out = 0, tag_in = 0;
    int entry = 0;  // its index in the list
    Indices out, in;
    EntryMap out_map, in_map;
    Indices shown;  // mode view: where the neighbour has what I get
    std::vector<PeerField> fields;  // the neighbour's; none where it is not read directly
    std::vector<const char *> data;  // mode view: per field, where the last swap shows its values; NULL: it did not move them
    std::vector<hlc_index_run> runs, own_runs;  // of its views, in that place and in my ghosts; found when first asked for
    bool in_buffer = false;  // the last swap shows its values in a buffer
  };
  struct ReadCards;

  void pack(int edge, void *buffer, bool past_caches) override;
  void unpack(int edge, const void *buffer) override;
  void pull(int edge) override;
  void show(int edge, const void *buffer) override;
  void copy_to_myself() override;
  void end_round() override;
  Looks *looks() override;
  Status joined(const Plan &plan) override;

  Status check_same_on_all_ranks(const hlc_index_halo_spec &spec, const Options &options) const;
  Status make_check();
  void take_fields(const hlc_index_halo_spec &spec);
  void take_links(const hlc_index_halo_spec &spec);
  Status join_self_links();
  std::vector<Edge> make_edges(bool readable) const;
  /// Bytes of a message of so many entries of the swapped fields, or of all.
  std::int64_t message_bytes(std::int64_t entries, const std::vector<int> &fields) const;
  Status fetch_lists(const Plan &plan, const std::vector<int> &read);
  Status make_read_cards(const std::vector<int> &read, ReadCards &cards) const;
  static Status start_read_cards(const Plan &plan, const std::vector<int> &read, ReadCards &cards);
  std::vector<std::int64_t> read_card(const Link &link) const;
  Status take_read_card(Link &link, const std::vector<std::int64_t> &card, Member member);
  Status find_peer_field(const Link &link, std::size_t field, Member member, PeerField &peer);

  Status check_swap(const hlc_index_swap &what) const;
  void set_swap(const hlc_index_swap *what);
  void make_views();
  /// Where a field begins in a message, behind the fields before it: what is shown there must suit its type.
  std::int64_t aligned(std::int64_t offset, const Field &field) const {
    return round_up(offset, std::min<std::int64_t>(field.kind.element & -field.kind.element, 16));
  }
  void clear_ghosts();
  void fill_view(Link &link, std::size_t field, hlc_index_view &view) const;

  Context &context_;
  Options options_;
  std::int64_t entries_ = 0;
  std::vector<Field> fields_;
  std::vector<Link> links_;  // to other ranks; link i is edge i of the exchange
  std::vector<Link> self_links_;  // to myself: in_map and out_map lead from what one list gets to what another gives
  HeldFields held_;
  Exchange exchange_;

  std::vector<int> swapped_;  // fields of the running swap
  bool reverse_ = false;
  bool everything_ = false;  // the parts of the exchange are those of a whole swap
  bool views_ = false;  // mode view without HALOCLINE_CHECK=1
  std::unique_ptr<IndexCheck> check_;  // null unless HALOCLINE_CHECK=1
};

}  // namespace halocline
