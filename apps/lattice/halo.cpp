// The values around a block by the library: an index halo per parity, whose fields are the parity's two arrays. In mode view ghosts are
// read in place: in the neighbour's array, or in the receive buffer.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "gather.hpp"

#include <numeric>

namespace lattice {
namespace {

class Halo : public Gather {
 public:
  Halo(const Setup &setup, halocline::Mode mode) : Gather(setup), views_(mode == halocline::Mode::view) {
    for (int parity = 0; parity < 2; ++parity) halos_.push_back(make(setup, parity, mode));
    const hlc_plan_info info = halos_[0].info();
    some_read_ = info.via_direct > 0;
    all_read_ = info.via_direct == info.neighbours;
    if (views_) {
      for (const Slot slot : kAllSlots) learn(slot);
      for (halocline::IndexHalo &halo : halos_) halo.release();
    }
    if (some_read_)
      for (const Slot slot : kAllSlots) list_lines(slot);
  }

  const std::byte *data(Slot slot, std::size_t side) const override {
    return views_ ? shown_[slot.number()].data[side] : Gather::data(slot, side);
  }
  std::int32_t entry(Slot slot, std::size_t side, std::int32_t ghost) const override {
    return views_ ? shown_[slot.number()].entries[side][ghost] : Gather::entry(slot, side, ghost);
  }

  /// As the library plans it: a swap of all fields moves both arrays.
  std::int64_t bytes_in() const override { return halos_[0].info().bytes_in / 2; }

 private:
  /// Location of the ghosts of each side.
  struct Shown {
    std::vector<const std::byte *> data;
    std::vector<std::vector<std::int32_t>> entries;
  };

  halocline::IndexHalo make(const Setup &setup, int parity, halocline::Mode mode) {
    std::vector<halocline::IndexNeighbour> lists;
    for (const Side &side : geometry().sides()) {
      std::vector<std::int64_t> in(static_cast<std::size_t>(side.count));
      std::iota(in.begin(), in.end(), side.first);
      lists.push_back(halocline::IndexNeighbour(side.rank, side.out[parity], in).tags(side.number, opposite(side.number)));
    }
    std::vector<hlc_index_neighbour> neighbours;
    for (const halocline::IndexNeighbour &list : lists) neighbours.push_back(list.raw());
    hlc_index_field fields[2]{};
    for (int turn = 0; turn < 2; ++turn) {
      fields[turn].data = bytes({parity, turn});
      fields[turn].element_bytes = entry_bytes();
      fields[turn].name = parity == 0 ? "even" : "odd";
    }
    hlc_index_halo_spec spec{};
    spec.nentries = geometry().entries();
    spec.nneighbours = static_cast<int>(neighbours.size());
    spec.neighbours = neighbours.data();
    spec.nfields = 2;
    spec.fields = fields;
    spec.mode = static_cast<hlc_mode>(mode);
    return halocline::IndexHalo(setup.context, spec);
  }

  /// A first swap shows which entries of the neighbours' arrays are my ghosts. They stay the same.
  void learn(Slot slot) {
    do_start(slot);
    halos_[slot.parity].finish_views();
    Shown &shown = shown_[slot.number()];
    for (std::size_t i = 0; i < geometry().sides().size(); ++i) {
      const hlc_index_view view = halos_[slot.parity].view(slot.turn, static_cast<int>(i));
      if (view.entry_stride_bytes != static_cast<std::int64_t>(entry_bytes()))
        throw std::runtime_error("a view has gaps between its entries");
      std::vector<std::int32_t> entries(static_cast<std::size_t>(geometry().sides()[i].count));
      for (const hlc_index_run *run = view.runs; run < view.runs + view.nruns; ++run)
        std::iota(entries.begin() + run->first, entries.begin() + run->first + run->count, static_cast<std::int32_t>(run->place));
      shown.entries.push_back(std::move(entries));
      shown.data.push_back(static_cast<const std::byte *>(view.data));
    }
  }

  /// The other array of the parity is written next: all have finished with it when they have started this one.
  void list_lines(Slot slot) {
    CacheLines &lines = lines_[slot.number()];
    for (std::size_t i = 0; views_ && i < geometry().sides().size(); ++i)
      for (const std::int32_t entry : shown_[slot.number()].entries[i])
        CacheLines::add(lines.read, data(slot, i) + static_cast<std::size_t>(entry) * entry_bytes(), entry_bytes());
    for (const Side &side : geometry().sides())
      for (const std::int64_t site : side.out[slot.parity]) {
        const std::size_t place = static_cast<std::size_t>(site) * entry_bytes();
        if (views_) CacheLines::add(lines.read, bytes(slot) + place, entry_bytes());
        CacheLines::add(lines.written, bytes({slot.parity, 1 - slot.turn}) + place, entry_bytes());
      }
  }

  void do_start(Slot slot) override {
    hlc_index_swap swap{};
    swap.nfields = 1;
    swap.fields = &slot.turn;
    halos_[slot.parity].start(swap);
  }

  const CacheLines *do_look(Slot slot) override { return halos_[slot.parity].test() && some_read_ ? &lines_[slot.number()] : nullptr; }

  /// A view of a neighbour's array stays where it is, one of a receive buffer does not.
  void do_finish(Slot slot) override {
    halocline::IndexHalo &halo = halos_[slot.parity];
    if (!views_) return halo.finish();
    halo.finish_views();
    if (all_read_) return;
    std::vector<const std::byte *> &data = shown_[slot.number()].data;
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<const std::byte *>(halo.view(slot.turn, static_cast<int>(i)).data);
  }

  bool views_, some_read_ = false, all_read_ = false;  ///< some or all neighbours are read directly
  std::vector<halocline::IndexHalo> halos_;  ///< of each parity
  Shown shown_[kSlots];
  CacheLines lines_[kSlots];
};

}  // namespace

std::unique_ptr<Gather> make_halo(const Setup &setup, halocline::Mode mode) { return std::make_unique<Halo>(setup, mode); }

}  // namespace lattice
