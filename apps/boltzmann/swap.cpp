// SPDX-License-Identifier: BSD-3-Clause
#include "swap.hpp"

namespace boltzmann {
namespace {

/// A domain of its own, whose values are all here.
class Local : public Swap {
 public:
  explicit Local(const Setup &setup) : Swap(setup), alone_(setup.domain.alone()) {}
  const Domain &domain() const override { return alone_; }

 private:
  void do_start(int) override {}
  void do_finish(int) override {}

  Domain alone_;
};

template <halocline::Mode mode>
std::unique_ptr<Swap> make(const Setup &setup) {
  return make_halo(setup, mode);
}

}  // namespace

Memory make_memory(const halocline::Context &context, const Domain &domain, std::size_t components) {
  const std::size_t values = components * domain.volume();
  return {halocline::SharedArray<double>(context, values), halocline::SharedArray<double>(context, values)};
}

Swap::Swap(const Setup &setup)
    : domain_(setup.domain), skew_(setup.skew), memory_(setup.memory), components_(setup.components), full_(setup.full) {
  const Domain &domain = setup.domain;
  const std::int64_t stride_y = domain.extent(2), stride_x = domain.extent(1) * stride_y;
  for (int turn = 0; turn < 2; ++turn)
    for (int c = 0; c < components(); ++c)
      places_[turn].insert(places_[turn].end(), kDirections, Place{array(turn, c) + domain.offset(0, 0, 0), stride_x, stride_y});
}

bool Swap::is_filled(int component, const int *v) const {
  const int *velocity = list()[static_cast<std::size_t>(component)].velocity;
  for (int d = 0; velocity && !full_ && d < kDims; ++d)
    if (v[d] != 0 && v[d] != -velocity[d]) return false;
  return true;
}

std::unique_ptr<Swap> make_local(const Setup &setup) { return std::make_unique<Local>(setup); }

const std::vector<Kind> &kinds() {
  using halocline::Mode;
  static const std::vector<Kind> all{
      {"p2p", make_messages},
      {"persistent", make<Mode::p2p>},
      {"neighbor", make<Mode::neighbor>},
      {"fence", make<Mode::fence>},
      {"pscw", make<Mode::pscw>},
      {"passive", make<Mode::passive>},
      {"notify", make<Mode::notify>},
      {"notify_node", make<Mode::notify_node>},
      {"direct", make<Mode::direct>},
      {"view", make<Mode::view>},
      {"auto", make<Mode::automatic>},
  };
  return all;
}

}  // namespace boltzmann
