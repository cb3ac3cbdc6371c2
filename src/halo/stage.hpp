// The swaps of one block's halo in one exchange: a halo is one stage, or one per dimension.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "exchange/exchange.hpp"
#include "exchange/fields.hpp"
#include "halo/bindings.hpp"
#include "halo/check.hpp"
#include "halo/copies.hpp"
#include "halo/exposures.hpp"
#include "halo/tables.hpp"
#include "halo/views.hpp"

namespace halocline::core {

/// Geometry and copies around one Exchange. Its owner has checked the arguments of each call, and that it is allowed now.
class Stage final : private Packer {
 public:
  explicit Stage(const EngineParts &engine);
  ~Stage() override;

  /// Plans. Collective; the same status on all ranks. The spec has been checked, also that it is the same on all ranks. grown: the low halo
  /// cells that count as block here, and have been filled by the stages before.
  Status create(const hlc_halo_spec &spec, const Options &options, const Cells &grown = {});
  /// data: other arrays than the spec's, one per field; NULL: the spec's.
  Status start(const hlc_swap *what, void *const *data);
  Status test() { return exchange_.test(); }
  Status finish() { return exchange_.finish(); }
  /// As finish, as far as possible without waiting; `again` while something is left.
  Status try_finish() { return exchange_.try_finish(); }
  /// As finish, but in mode view without copies.
  Status finish_views();
  Status release();
  Status end(bool others_broken) { return exchange_.end(others_broken); }

  std::int64_t serial() const { return exchange_.plan().serial; }
  RoundState state() const { return exchange_.state(); }
  bool views_out() const { return exchange_.views_out(); }
  /// A call at the wrong time.
  Status refuse(const char *call, const char *why) const { return exchange_.bad_call(call, why); }
  const std::vector<HaloField> &fields() const { return tables_.fields; }
  /// Writes the rank of each direction that a rank fills. As long as views are out, also writes where the cells of a field are.
  void put_views(std::size_t field, hlc_view *views) const;
  hlc_plan_info describe() const;

 private:
  /// What a neighbour must know of one field to read it.
  struct ReadDescriptor {
    std::int64_t serial, offset;  // the field's memory, and where the field starts in it
    std::int64_t halo, edge;  // where the boxes start in the field
    Strides strides;
    ExposedAddress exposed;  // in their place, for an array of the caller's own
  };
  struct ReadDescriptors : Job {
    std::vector<ReadDescriptor> mine, theirs;  // per path and field
  };

  void pack(int edge, void *buffer, bool past_caches) override { copies_.pack(edge, buffer, past_caches); }
  void unpack(int edge, const void *buffer) override { copies_.unpack(edge, buffer); }
  Status found(int edge, std::span<const FieldPlace> places) override;
  void pull(int edge) override { copies_.pull({&edge, 1}); }
  void pull_several(Edges edges) override { copies_.pull(edges); }
  void show(int edge, const void *buffer) override { views_->show(edge, buffer); }
  void copy_to_myself() override { copies_.copy_to_myself(); }
  void end_round() override;
  Looks *looks() override { return check_.get(); }
  bool copies_cells() const override { return true; }
  Status joined(const Plan &plan) override;

  Status make_check(const hlc_halo_spec &spec);
  void take_fields(const hlc_halo_spec &spec);
  void expose(HaloField &field);
  char *find_part(const ReadDescriptor &descriptor, Member member);
  int count_own_directions() const;
  std::vector<Edge> make_edges() const;
  Status make_tables();
  Status swap_read_descriptors(const Plan &plan, std::size_t path, ReadDescriptors &descriptors) const;
  ReadDescriptor read_descriptor(const HaloPath &path, std::size_t field) const;
  Status take_read_descriptor(HaloPath &path, std::size_t field, const ReadDescriptor &descriptor, Member member);

  void set_swap(const hlc_swap *what);
  void set_parts(const hlc_swap *what);
  void list_copies();
  void make_bindings();
  Status bind(const hlc_swap *what, void *const *data, bool *moved);
  Status hold(std::size_t field);
  void abandon();
  char *borrow(std::int64_t serial, Member member);
  Status refuse_place(const HaloPath &path, std::size_t field) const;
  void make_views(const hlc_halo_spec &spec);

  Communicator &communicator_;
  Fields &fields_;
  Options options_;
  HaloTables tables_;
  HeldFields held_;
  Exchange exchange_;

  Copies copies_;
  bool everything_ = false;  // the parts of the exchange are those of a whole swap
  Exposures exposures_;
  std::unique_ptr<Bindings> bindings_;  // null unless swaps may use other arrays
  std::unique_ptr<Views> views_;  // null but in mode view without HALOCLINE_CHECK=1
  std::unique_ptr<HaloCheck> check_;  // null unless HALOCLINE_CHECK=1
};

}  // namespace halocline::core
