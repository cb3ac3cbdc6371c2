// The seven variants of Simmendinger et al., section 4.3.1.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "variants/variant.hpp"

namespace ghost {

const std::vector<Kind> &kinds() {
  static const std::vector<Kind> all = {
      {"mpi_only", false, make_mpi_only},
      {"mpi_shared_1copy", false, [](const Setup &s) { return make_one_copy(s, Carrier::mpi, Guard::barrier, Send::nonblocking); }},
      {"mpi_shared_1copy_blocking", false, [](const Setup &s) { return make_one_copy(s, Carrier::mpi, Guard::barrier, Send::blocking); }},
      {"notified_shared_1copy", true, [](const Setup &s) { return make_one_copy(s, Carrier::gaspi, Guard::barrier, Send::nonblocking); }},
      {"notified_shared_1copy_nobarrier", true,
       [](const Setup &s) { return make_one_copy(s, Carrier::gaspi, Guard::have_read, Send::nonblocking); }},
      {"mpi_0copy", false, [](const Setup &s) { return make_zero_copy(s, Carrier::mpi); }},
      {"notified_0copy", true, [](const Setup &s) { return make_zero_copy(s, Carrier::gaspi); }},
  };
  return all;
}

}  // namespace ghost
