// The sentences of reports.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/check/reports.hpp"

#include <utility>

#include "base/log.hpp"

namespace halocline::core::mpi {
namespace {

std::string bytes_text(ByteRange range) {
  const std::string first = std::to_string(range.begin), last = std::to_string(range.end - 1);
  return first == last ? "byte " + first : "bytes " + first + " to " + last;
}

std::string mpi_name_of(const Window &window) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Win_get_name(window.handle, name, &length);
  return name;
}

}  // namespace

CheckReports::CheckReports(const Window &window, const CheckMemory &memory, std::string place)
    : window_(window), memory_(memory), place_(std::move(place)), first_name_(mpi_name_of(window)) {}

std::string CheckReports::name() const {
  const std::string given = mpi_name_of(window_);
  return given != first_name_ ? "window '" + given + "' (" + place_ + ")" : place_;
}

std::string CheckReports::who(Call call, int rank, std::uint32_t site) const {
  return std::string(name_of(call)) + " of " + rank_text(rank) + " in " + text_of(memory_.sites(rank), site);
}

void CheckReports::conflict(const LoggedAccess &a, const LoggedAccess &b, int target, ByteRange common) const {
  report_rule(std::string("conflicts of ") + name_of(a.call) + " and " + name_of(b.call),
              name() + ": " + who(a.call, a.origin, a.site) + " and " + who(b.call, b.origin, b.site) + " access " + bytes_text(common) +
                  " of " + rank_text(target) + " " + why_not(a, b) + ": the first is complete with " + name_of(a.epoch));
}

void CheckReports::store(const LoggedAccess &access, int target, ByteRange found, const char *when) const {
  report_rule("stores to a window that conflict with accesses", name() + ": the program has stored to " + bytes_text(found) + " of " +
                                                                    rank_text(target) + ", which " +
                                                                    who(access.call, access.origin, access.site) + " writes, " + when);
}

}  // namespace halocline::core::mpi
