// What halos, index halos and blocks have in common: which fields a swap moves, their names in messages, and memory that must not be freed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.h>

#include <string>
#include <vector>

#include "base/bounds.hpp"
#include "engine/communicator/communicator.hpp"
#include "engine/memory/fields.hpp"
#include "exchange/swap.hpp"

namespace halocline::core {

/// With what messages a halo refuses a call at the wrong time.
inline constexpr Refusals kSwapOfHalo{"an earlier swap of this halo failed; it can only be finalised",
                                      "a swap of this halo is in flight already; finish it first", "no swap has been started",
                                      "this swap has failed; the halo can only be finalised"};

/// Fields that must not be released as long as a plan lives: its own, and those of neighbours that it reads.
class HeldFields {
 public:
  explicit HeldFields(Fields &fields) : fields_(fields) {}
  HeldFields(const HeldFields &) = delete;
  HeldFields &operator=(const HeldFields &) = delete;
  ~HeldFields();

  /// Bytes of a field from `data` to its end, as Fields::room. Holds nothing.
  std::int64_t room(const void *data) const { return fields_.room(data); }
  /// The field that contains memory of this rank; serial < 0: none does that others can access. One on a device is held, too.
  FieldPlace find(const void *data, std::int64_t bytes);
  /// The memory of another member's field, as this process sees it; NULL if this rank has freed the field.
  char *part(std::int64_t serial, Member member);

 private:
  void hold(std::int64_t serial);

  Fields &fields_;
  std::vector<std::int64_t> serials_;  // each once
};

/// What a rank has found in a spec. A message that begins with the call's function alone gets its plan.
Status name_plan(Status found, const PlanCall &call);

/// Fails if an array begins in memory from hlc_field_alloc, and ends beyond that allocation: a swap would write beyond it.
/// who() is what messages call the array.
template <class Who>
Status check_room(const Caller &caller, std::int64_t room, std::int64_t bytes, Who who) {
  if (bytes <= room) return Status::ok;
  return fail(Status::argument, "%s on rank %d: %s needs %lld bytes, but its hlc_field_alloc block has %lld from its data on", caller.call,
              caller.rank, std::string(who()).c_str(), static_cast<long long>(bytes), static_cast<long long>(room));
}

/// Fails unless a list of fields ascends and stays below nfields.
Status check_field_list(const char *call, int rank, int listed, const int *list, int nfields);
template <class Swap>
Status check_field_list(const char *call, int rank, const Swap &what, int nfields) {
  return check_field_list(call, rank, what.nfields, what.fields, nfields);
}

/// The fields that a swap moves, in their order; what NULL: all.
template <class Swap>
void list_swapped(const Swap *what, std::size_t nfields, std::vector<int> &swapped) {
  const bool listed = what && what->nfields > 0;
  swapped.clear();
  for (std::size_t i = 0; i < (listed ? static_cast<std::size_t>(what->nfields) : nfields); ++i)
    swapped.push_back(listed ? what->fields[i] : static_cast<int>(i));
}

/// Fails if a reverse swap asks for a field whose values cannot be added. The list of fields has been checked.
template <class Swap, class Field, class TypeOf>
Status check_addable(const char *call, int rank, const Swap &what, const std::vector<Field> &fields, TypeOf type_of) {
  const int count = what.nfields > 0 ? what.nfields : static_cast<int>(fields.size());
  for (int i = 0; what.reverse && i < count; ++i) {
    const int f = what.nfields > 0 ? what.fields[i] : i;
    const Field &field = fields[static_cast<std::size_t>(f)];
    if (type_of(field) == HLC_OPAQUE)
      return fail(Status::unsupported, "%s on rank %d: fields[%d] '%s' has type HLC_OPAQUE; its values cannot be added in a reverse swap",
                  call, rank, f, field.name.c_str());
  }
  return Status::ok;
}

/// "halo plan # 'flow' ('u', 'v')", the name only if there is one: what check mode calls a plan.
template <class Field>
std::string label_of(const char *kind, const std::vector<Field> &fields, const std::string &name = {}) {
  std::string names;
  const std::size_t shown = fields.size() < 4 ? fields.size() : 4;
  for (std::size_t f = 0; f < shown; ++f) names += (f ? ", '" : "'") + fields[f].name + "'";
  if (shown < fields.size()) names += " and " + std::to_string(fields.size() - shown) + " more";
  return std::string(kind) + " plan #" + (name.empty() ? "" : " '" + name + "'") + " (" + names + ")";
}

}  // namespace halocline::core
