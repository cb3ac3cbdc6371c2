// The extension halocline._core: the C API in the terms of Python. The package's Python files make its public classes of it.
// SPDX-License-Identifier: BSD-3-Clause
#include "library.hpp"

NB_MODULE(_core, module) {
  using namespace halocline::python;
  // Plans are kept by their context until it is closed, as their end is collective: at exit some may be left.
  nb::set_leak_warnings(false);
  handle_signals_in_waits();
  define_context(module);
  define_halo(module);
  define_index_halo(module);
  define_blocks(module);
  define_sparse(module);
  define_exchange(module);
  define_segment(module);
  define_allreduce(module);
}
