// Check mode of an index halo: guards, poison and comparison.
// SPDX-License-Identifier: BSD-3-Clause
#include "index_halo/check.hpp"

#include <cstring>
#include <numeric>

#include "engine/communicator/communicator.hpp"

namespace halocline::core {

IndexCheck::IndexCheck(const IndexTables &tables, Exchange &exchange)
    : tables_(tables), check_(*exchange.check()), findings_(check_.findings()) {
  std::vector<bool> is_ghost(static_cast<std::size_t>(tables_.entries));
  for (const auto *links : {&tables_.links, &tables_.self_links})
    for (const IndexLink &link : *links)
      for (const std::int64_t i : link.in) is_ghost[static_cast<std::size_t>(i)] = true;
  for (std::int64_t i = 0; i < tables_.entries; ++i)
    if (!is_ghost[static_cast<std::size_t>(i)]) own_.push_back(i);
  for (const IndexField &field : tables_.fields)
    poisons_.emplace_back(field.kind.type, field.kind.element, exchange.plan().communicator->rank());
  tainted_.resize(poisons_.size());
  sums_.resize(poisons_.size());
}

// ---------------------------------------------------------------- words

/// An element of a packed list, as the user counts it.
std::string IndexCheck::name(std::size_t f, const Indices &list, std::int64_t element) const {
  const std::int64_t components = field(f).kind.components;
  const std::string component = components > 1 ? ", component " + std::to_string(element % components) + "," : "";
  return "entry " + std::to_string(list[static_cast<std::size_t>(element / components)]) + component + " of field " + std::to_string(f) +
         " '" + field(f).name + "' (counted from 0)";
}

std::string IndexCheck::value(std::size_t f, const char *element) const {
  return element_in_words(field(f).kind.type, field(f).kind.element, element);
}

void IndexCheck::describe() {
  const bool all = tables_.swapped.size() == tables_.fields.size();
  descriptor_.what = {in_reverse()};
  descriptor_.words = all ? "all fields" : "the fields";
  for (const int f : tables_.swapped) {
    descriptor_.what.push_back(f);
    if (descriptor_.words.size() < 200 && !all) descriptor_.words += " '" + field(static_cast<std::size_t>(f)).name + "'";
  }
  if (in_reverse()) descriptor_.words += ", in reverse";
}

// ---------------------------------------------------------------- start

std::vector<char> IndexCheck::pack(std::size_t f, const Indices &list) const {
  const EntryKind &kind = field(f).kind;
  std::vector<char> packed(list.size() * static_cast<std::size_t>(kind.bytes()));
  give(map_to_buffer(list), kind, field(f).layout, packed_at(packed.data(), kind));
  return packed;
}

void IndexCheck::unpack(std::size_t f, const Indices &list, const char *packed) const {
  take(map_to_buffer(list), field(f).kind, field(f).layout, packed_at(const_cast<char *>(packed), field(f).kind));
}

void IndexCheck::guard(const IndexLink &link, bool is_out, bool is_poisoned) {
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    guards_.push_back({f, &link, is_out, is_poisoned, pack(f, is_out ? link.out : link.in)});
  }
}

/// The copy becomes poison, and the ghosts become the copy.
void IndexCheck::poison(Guard &of) {
  std::vector<char> &copy = of.copy;
  const std::vector<char> &cell = poisons_[of.field].cell();
  for (std::size_t at = 0; at < copy.size(); at += cell.size()) std::memcpy(copy.data() + at, cell.data(), cell.size());
  unpack(of.field, of.link->in, copy.data());
}

const RoundDescriptor &IndexCheck::start() {
  look_for_poison("when the next swap was started");
  describe();
  reported_.assign(poisons_.size(), 0);
  guards_.clear();
  for (const auto *links : {&tables_.links, &tables_.self_links})
    for (const IndexLink &link : *links) {
      guard(link, true, false);
      guard(link, false, !in_reverse());
    }
  descriptor_.values.assign(tables_.links.size(), {});
  for (std::size_t e = 0; e < tables_.links.size(); ++e)
    for (const int f : tables_.swapped) {
      const std::vector<char> packed = pack(static_cast<std::size_t>(f), in_reverse() ? tables_.links[e].in : tables_.links[e].out);
      descriptor_.values[e].insert(descriptor_.values[e].end(), packed.begin(), packed.end());
    }
  for (Guard &of : guards_)
    if (of.is_poisoned) poison(of);
  return descriptor_;
}

// ---------------------------------------------------------------- finish

void IndexCheck::before_finish() {
  for (const Guard &of : guards_) report_if_written(of);
}

void IndexCheck::report_if_written(const Guard &of) {
  const Indices &list = of.is_out ? of.link->out : of.link->in;
  const std::vector<char> now = pack(of.field, list);
  if (reported_[of.field] || now == of.copy) return;
  reported_[of.field] = 1;
  const auto bytes = static_cast<std::size_t>(field(of.field).kind.element);
  std::size_t at = 0;
  while (std::memcmp(now.data() + at, of.copy.data() + at, bytes) == 0) at += bytes;
  const std::string what = findings_.where() + ": " + name(of.field, list, static_cast<std::int64_t>(at / bytes));
  const std::string values = value(of.field, of.copy.data() + at) + " at start, " + value(of.field, now.data() + at) + " now";
  const std::string them = "rank " + std::to_string(of.link->rank);
  if (of.is_out)
    findings_.found("entries written between start and finish",
                    what + ", which " + them + (in_reverse() ? " adds to" : " needs") + ", was written between start and finish (" +
                        values + "); in mode direct it is read as late as in finish and may be either; other modes took a copy at start");
  else
    findings_.found("ghosts written between start and finish", what + ", a ghost that " + them + (in_reverse() ? " takes" : " fills") +
                                                                   ", was written between start and finish (" + values + "); finish " +
                                                                   (in_reverse() ? "may deliver either" : "overwrites it"));
}

/// A field that is known to hold poison is reported again only after it has been clean.
void IndexCheck::look_for_poison(const char *when) {
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const std::vector<char> packed = pack(f, own_);
    const auto bytes = static_cast<std::size_t>(field(f).kind.element);
    std::size_t at = 0;
    while (at < packed.size() && !poisons_[f].found_in(packed.data() + at)) at += bytes;
    const bool found = at < packed.size();
    if (found && !tainted_[f])
      findings_.found("ghosts read before finish", findings_.where() + ": " + name(f, own_, static_cast<std::int64_t>(at / bytes)) +
                                                       " holds poison, found " + when + ": a ghost was read between start and finish");
    tainted_[f] = found;
  }
}

/// What a neighbour has sent of one field: in its message, behind the swapped fields before it.
const char *IndexCheck::values_from(std::size_t e, std::size_t f) const {
  const IndexLink &link = tables_.links[e];
  const auto entries = static_cast<std::int64_t>(in_reverse() ? link.out.size() : link.in.size());
  const char *values = check_.values_of(static_cast<int>(e)).data();
  for (const int before : tables_.swapped)
    if (static_cast<std::size_t>(before) < f) values += entries * field(static_cast<std::size_t>(before)).kind.bytes();
  return values;
}

void IndexCheck::before_delivery() {
  if (in_reverse()) expect_sums();
}

/// The sums that a reverse swap must make, in a copy. It adds in the same order: first what the rank gets from itself, then the neighbours'
/// ghosts by link.
void IndexCheck::expect_sums() {
  Indices all(static_cast<std::size_t>(tables_.entries));
  std::iota(all.begin(), all.end(), 0);
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const EntryKind &kind = field(f).kind;
    sums_[f] = pack(f, all);
    const EntryLayout sums = packed_at(sums_[f].data(), kind);
    for (const IndexLink &link : tables_.self_links) add(link.out_map, kind, sums, field(f).layout);
    for (std::size_t e = 0; e < tables_.links.size(); ++e)
      add(map_to_buffer(tables_.links[e].out), kind, sums, packed_at(const_cast<char *>(values_from(e, f)), kind));
  }
}

/// Compares the list that the swap has filled or added to with what it must hold.
void IndexCheck::compare(const IndexLink &link, std::size_t f, const std::vector<char> &expected) {
  const Indices &list = in_reverse() ? link.out : link.in;
  const std::vector<char> now = pack(f, list);
  if (now == expected) return;
  const auto bytes = static_cast<std::size_t>(field(f).kind.element);
  std::size_t at = 0;
  while (std::memcmp(now.data() + at, expected.data() + at, bytes) == 0) at += bytes;
  const std::string them = "rank " + std::to_string(link.rank);
  findings_.found("wrong values delivered", findings_.where() + ": " + name(f, list, static_cast<std::int64_t>(at / bytes)) + " holds " +
                                                value(f, now.data() + at) + (in_reverse() ? " where the ghosts of " : " where ") + them +
                                                (in_reverse() ? " make it " : " had ") + value(f, expected.data() + at) + " at start: " +
                                                them + " has written it since, or the value was lost, torn or misplaced on its way");
}

void IndexCheck::after_finish() {
  look_for_poison("at finish");
  for (std::size_t e = 0; e < tables_.links.size(); ++e)
    for (const int number : tables_.swapped) {
      const auto f = static_cast<std::size_t>(number);
      const IndexLink &link = tables_.links[e];
      const EntryKind &kind = field(f).kind;
      const Indices &list = in_reverse() ? link.out : link.in;
      std::vector<char> expected(list.size() * static_cast<std::size_t>(kind.bytes()));
      if (in_reverse())
        give(map_to_buffer(list), kind, packed_at(sums_[f].data(), kind), packed_at(expected.data(), kind));
      else if (!expected.empty())
        std::memcpy(expected.data(), values_from(e, f), expected.size());
      compare(link, f, expected);
    }
}

}  // namespace halocline::core
