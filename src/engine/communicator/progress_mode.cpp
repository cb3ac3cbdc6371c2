// Reads HALOCLINE_PROGRESS.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/communicator/progress_mode.hpp"

#include <cstring>
#include <initializer_list>

#include "base/environment.hpp"

namespace halocline::core {

const char *name_of(Progress progress) {
  constexpr const char *names[] = {"caller", "spare", "thread", "helper"};
  return names[static_cast<int>(progress)];
}

Status read_progress(int rank, Progress &progress) {
  const char *text = environment("PROGRESS");
  if (*text == '\0') return Status::ok;
  for (const Progress known : {Progress::caller, Progress::spare, Progress::thread, Progress::helper})
    if (std::strcmp(text, name_of(known)) == 0) {
      progress = known;
      return Status::ok;
    }
  return fail(Status::argument, "hlc_init on rank %d: HALOCLINE_PROGRESS is '%s' but must be caller, spare, thread or helper", rank, text);
}

}  // namespace halocline::core
