// Reads HALOCLINE_PROGRESS.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/communicator/progress_mode.hpp"

#include <initializer_list>
#include <string_view>

#include "base/environment.hpp"
#include "base/variable_table.hpp"

namespace halocline::core {

const char *name_of(Progress progress) {
  constexpr const char *names[] = {"caller", "spare", "thread", "helper"};
  return names[static_cast<int>(progress)];
}

Status read_progress(int rank, Progress &progress) {
  const char *set = environment("PROGRESS");
  const std::string_view text = *set ? set : default_of("PROGRESS");
  for (const Progress known : {Progress::caller, Progress::spare, Progress::thread, Progress::helper})
    if (text == name_of(known)) {
      progress = known;
      return Status::ok;
    }
  return fail(Status::argument, "hlc_init on rank %d: HALOCLINE_PROGRESS is '%s' but must be caller, spare, thread or helper", rank, set);
}

}  // namespace halocline::core
