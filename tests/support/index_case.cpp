// Makes matching lists, and visits their elements one by one.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "support/index_case.hpp"

#include <algorithm>
#include <numeric>

#include "support/elements.hpp"

namespace halocline::test {
namespace {

using List = std::vector<std::int64_t>;

/// Own entries of one rank, in runs and single ones, some of them twice.
List pick(std::int64_t own, std::int64_t count, Random &random) {
  List list;
  while (static_cast<std::int64_t>(list.size()) < (own > 0 ? count : 0)) {
    const std::int64_t first = between(random, 0, own - 1), run = between(random, 1, 9);
    for (std::int64_t i = 0; i < (run > 4 ? run : 1) && static_cast<std::int64_t>(list.size()) < count; ++i)
      list.push_back((first + i) % own);
  }
  return list;
}

std::int64_t some(Random &random) {
  const std::int64_t counts[] = {0, 0, 1, 2, 5, 13, 40};
  return counts[between(random, 0, 6)];
}

/// Lists are made with own entries first and ghosts behind them.
class Maker {
 public:
  Maker(int ranks, Random &random) : random_(random) {
    made_.entries.resize(static_cast<std::size_t>(ranks));
    made_.links.resize(made_.entries.size());
    for (auto &own : made_.entries) own = between(random, 0, 5) == 0 ? 0 : between(random, 1, 60);
    own_ = made_.entries;
  }

  void join(int a, int b) {
    const int number = next_++;
    const bool crossed = between(random_, 0, 2) == 0;
    const int tag_a = 2 * number, tag_b = crossed ? tag_a + 1 : tag_a;
    const List ab = pick(own(a), some(random_), random_), ba = pick(own(b), some(random_), random_);
    if (a == b && !crossed) {
      add(a, {a, tag_a, tag_a, number, true, ab, ghosts(a, ab.size())});
      return;
    }
    add(a, {b, tag_a, tag_b, number, true, ab, ghosts(a, ba.size())});
    add(b, {a, tag_b, tag_a, number, false, ba, ghosts(b, ab.size())});
  }

  /// Entries of a rank get other places, and lists another order.
  void shuffle(int rank) {
    auto &links = made_.links[static_cast<std::size_t>(rank)];
    List place(static_cast<std::size_t>(made_.entries[static_cast<std::size_t>(rank)]));
    std::iota(place.begin(), place.end(), 0);
    if (between(random_, 0, 1) == 0) std::shuffle(place.begin(), place.end(), random_);
    for (IndexLink &link : links)
      for (List *list : {&link.out, &link.in})
        for (std::int64_t &i : *list) i = place[static_cast<std::size_t>(i)];
    const auto key = [&](const IndexLink &l) { return mixed(static_cast<std::uint64_t>(l.rank * 1000 + l.tag_out + 7919 * rank)); };
    std::stable_sort(links.begin(), links.end(), [&](const IndexLink &x, const IndexLink &y) { return key(x) < key(y); });
  }

  IndexCase made_;

 private:
  std::int64_t own(int rank) const { return own_[static_cast<std::size_t>(rank)]; }
  void add(int rank, const IndexLink &link) { made_.links[static_cast<std::size_t>(rank)].push_back(link); }
  List ghosts(int rank, std::size_t count) {
    List list(count);
    std::int64_t &entries = made_.entries[static_cast<std::size_t>(rank)];
    std::iota(list.begin(), list.end(), entries);
    entries += static_cast<std::int64_t>(count);
    return list;
  }

  Random &random_;
  std::vector<std::int64_t> own_;
  int next_ = 0;
};

/// Side by side, with gaps, or a block per component.
IndexLayout random_layout(const IndexFieldShape &field, std::int64_t entries, Random &random) {
  const auto element = static_cast<std::int64_t>(field.kind.bytes);
  IndexLayout layout;
  layout.lead = element * between(random, 0, 2);
  const std::int64_t form = between(random, 0, 2), gap = form == 1 ? element : 0;
  layout.component = form == 2 ? element * (entries + 1) : element + gap;
  layout.entry = form == 2 ? element : field.components * layout.component + gap;
  layout.bytes = layout.lead + std::max(layout.entry * entries, layout.component * field.components) + element;
  return layout;
}

std::byte *element_of(const IndexCase &of, int rank, int field, std::int64_t entry, std::int64_t component, IndexImage &image) {
  return image[static_cast<std::size_t>(field)].data() + element_at(of, rank, field, entry, component);
}

/// Calls visit(field, component) for each element of an entry.
template <class Visit>
void for_each_component(const IndexCase &of, const std::vector<int> &fields, Visit visit) {
  for (const int f : fields)
    for (std::int64_t c = 0; c < of.fields[static_cast<std::size_t>(f)].components; ++c) visit(f, c);
}

/// Adds or copies what one list receives from the other end.
void deliver(const IndexCase &of, int rank, const IndexLink &link, int step, bool reverse, const std::vector<int> &fields,
             IndexImage &image) {
  const IndexLink &other = of.other_end(rank, link);
  const IndexImage theirs = index_before(of, link.rank, step, reverse);
  const List &to = reverse ? link.out : link.in, &from = reverse ? other.in : other.out;
  for (std::size_t k = 0; k < to.size(); ++k)
    for_each_component(of, fields, [&](int f, std::int64_t c) {
      const Kind kind = of.fields[static_cast<std::size_t>(f)].kind;
      std::byte *mine = element_of(of, rank, f, to[k], c, image);
      const std::byte *value = element_of(of, link.rank, f, from[k], c, const_cast<IndexImage &>(theirs));
      reverse ? add_element(kind.type, mine, value) : static_cast<void>(std::copy_n(value, kind.bytes, mine));
    });
}

}  // namespace

const IndexLink &IndexCase::other_end(int rank, const IndexLink &link) const {
  for (const IndexLink &other : links[static_cast<std::size_t>(link.rank)])
    if (other.number == link.number && (other.first != link.first)) return other;
  for (const IndexLink &other : links[static_cast<std::size_t>(rank)])
    if (other.number == link.number) return other;
  return link;
}

IndexCase random_index_case(int ranks, const std::vector<Kind> &kinds, Random &random) {
  Maker maker(ranks, random);
  for (int pairs = 2 * ranks + static_cast<int>(between(random, 0, 4)); pairs > 0; --pairs)
    maker.join(static_cast<int>(between(random, 0, ranks - 1)), static_cast<int>(between(random, 0, ranks - 1)));
  for (int r = 0; r < ranks; ++r) maker.shuffle(r);
  IndexCase made = std::move(maker.made_);
  for (const Kind &kind : kinds) made.fields.push_back({kind, between(random, 1, 5)});
  for (int r = 0; r < ranks; ++r) {
    made.layouts.emplace_back();
    for (const IndexFieldShape &field : made.fields)
      made.layouts.back().push_back(random_layout(field, made.entries[static_cast<std::size_t>(r)], random));
  }
  return made;
}

std::int64_t element_at(const IndexCase &of, int rank, int field, std::int64_t entry, std::int64_t component) {
  const IndexLayout &layout = of.layouts[static_cast<std::size_t>(rank)][static_cast<std::size_t>(field)];
  return layout.lead + entry * layout.entry + component * layout.component;
}

IndexImage index_before(const IndexCase &of, int rank, int step, bool reverse) {
  IndexImage image;
  for (const IndexLayout &layout : of.layouts[static_cast<std::size_t>(rank)])
    image.emplace_back(static_cast<std::size_t>(layout.bytes), poison);
  std::vector<bool> is_ghost(static_cast<std::size_t>(of.entries[static_cast<std::size_t>(rank)]));
  for (const IndexLink &link : of.links[static_cast<std::size_t>(rank)])
    for (const std::int64_t i : link.in) is_ghost[static_cast<std::size_t>(i)] = true;
  std::vector<int> all(of.fields.size());
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t i = 0; i < is_ghost.size(); ++i)
    for_each_component(of, all, [&](int f, std::int64_t c) {
      const Kind kind = of.fields[static_cast<std::size_t>(f)].kind;
      const auto entry = static_cast<std::int64_t>(i);
      if (!is_ghost[i] || reverse)
        write_element(kind.type, kind.bytes, {rank, f, {entry, c}, step}, element_of(of, rank, f, entry, c, image));
    });
  return image;
}

IndexImage index_after(const IndexCase &of, int rank, int step, bool reverse, const std::vector<int> &fields) {
  IndexImage image = index_before(of, rank, step, reverse);
  const auto &links = of.links[static_cast<std::size_t>(rank)];
  // First what the rank sends to itself, then the rest in the order of the list.
  for (const bool self : {true, false})
    for (const IndexLink &link : links)
      if ((link.rank == rank) == self) deliver(of, rank, link, step, reverse, fields, image);
  for (const IndexLink &link : links)
    for (std::size_t k = 0; reverse && k < link.in.size(); ++k)
      for_each_component(of, fields, [&](int f, std::int64_t c) {
        const Kind kind = of.fields[static_cast<std::size_t>(f)].kind;
        std::fill_n(element_of(of, rank, f, link.in[k], c, image), kind.bytes, std::byte{0});
      });
  return image;
}

}  // namespace halocline::test
