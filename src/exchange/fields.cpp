// Holds and checks the fields of a plan.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/fields.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "engine/memory/fields.hpp"

namespace halocline::core {

HeldFields::~HeldFields() {
  for (const std::int64_t serial : serials_) fields_.use(serial, -1);
}

FieldPlace HeldFields::find(const void *data, std::int64_t bytes) {
  const FieldPlace place = fields_.find(data, bytes);
  hold(place.serial >= 0 ? place.serial : fields_.find_on_device(data));
  return place;
}

char *HeldFields::part(std::int64_t serial, Member member) {
  char *part = fields_.part(serial, member);
  if (part) hold(serial);
  return part;
}

void HeldFields::hold(std::int64_t serial) {
  if (std::find(serials_.begin(), serials_.end(), serial) != serials_.end()) return;
  serials_.push_back(serial);
  fields_.use(serial, +1);
}

Status name_plan(Status found, const PlanCall &call) {
  if (!failed(found)) return found;
  const std::string said = error_message();
  const std::string_view named = call.text, function = named.substr(0, named.find(' ')), rest = " of plan ";
  if (said.compare(0, function.size(), function) != 0 || said.compare(function.size(), rest.size(), rest) == 0) return found;
  return fail(found, "%s%s", call.text, said.c_str() + function.size());
}

Status check_field_list(const char *call, int rank, int listed, const int *list, int nfields) {
  if (listed < 0 || listed > nfields)
    return fail(Status::argument, "%s on rank %d: nfields is %d but must be 0 to %d", call, rank, listed, nfields);
  if (listed > 0 && !list) return fail(Status::argument, "%s on rank %d: fields is NULL", call, rank);
  for (int i = 0; i < listed; ++i)
    if (list[i] < (i > 0 ? list[i - 1] + 1 : 0) || list[i] >= nfields)
      return fail(Status::argument, "%s on rank %d: fields[%d] is %d; indices must ascend and be below %d", call, rank, i, list[i],
                  nfields);
  return Status::ok;
}

}  // namespace halocline::core
