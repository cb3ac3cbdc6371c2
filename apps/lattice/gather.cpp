// SPDX-License-Identifier: BSD-3-Clause
#include "gather.hpp"

#include <algorithm>

namespace lattice {

Gather::Gather(const Setup &setup)
    : geometry_(setup.geometry), entry_bytes_(setup.entry_bytes), skew_(setup.skew), rank_(setup.context.rank()) {
  const std::size_t count = static_cast<std::size_t>(setup.geometry.entries()) * setup.entry_bytes;
  for (int slot = 0; slot < kSlots; ++slot) arrays_.emplace_back(setup.context, count);
}

const std::byte *Gather::data(Slot slot, std::size_t) const { return arrays_[slot.number()].data(); }

std::int32_t Gather::entry(Slot, std::size_t side, std::int32_t ghost) const {
  return static_cast<std::int32_t>(geometry_.sides()[side].first) + ghost;
}

std::int64_t Gather::bytes_in() const {
  std::int64_t ghosts = 0;
  for (const Side &side : geometry_.sides())
    if (side.rank != rank_) ghosts += side.count;
  return ghosts * static_cast<std::int64_t>(entry_bytes_);
}

namespace {

class Local : public Gather {
 public:
  explicit Local(const Setup &setup) : Gather(setup) {
    const std::size_t count = static_cast<std::size_t>(geometry().entries()) * entry_bytes();
    for (const Slot slot : kAllSlots) std::fill_n(bytes(slot), count, std::byte{});
  }

 private:
  void do_start(Slot) override {}
  void do_finish(Slot) override {}
};

}  // namespace

std::unique_ptr<Gather> make_local(const Setup &setup) { return std::make_unique<Local>(setup); }

const std::vector<Kind> &kinds() {
  using halocline::Mode;
  static const std::vector<Kind> all = {
      {"p2p", make_messages},
      {"persistent", [](const Setup &setup) { return make_halo(setup, Mode::p2p); }},
      {"fence", [](const Setup &setup) { return make_halo(setup, Mode::fence); }},
      {"pscw", [](const Setup &setup) { return make_halo(setup, Mode::pscw); }},
      {"passive", [](const Setup &setup) { return make_halo(setup, Mode::passive); }},
      {"notify", [](const Setup &setup) { return make_halo(setup, Mode::notify); }},
      {"notify_node", [](const Setup &setup) { return make_halo(setup, Mode::notify_node); }},
      {"direct", [](const Setup &setup) { return make_halo(setup, Mode::direct); }},
      {"view", [](const Setup &setup) { return make_halo(setup, Mode::view); }},
      {"auto", [](const Setup &setup) { return make_halo(setup, Mode::automatic); }},
  };
  return all;
}

}  // namespace lattice
