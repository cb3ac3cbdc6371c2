// SPDX-License-Identifier: BSD-3-Clause
#include "bench/armci/calls.hpp"

#include <armci.h>
#include <dlfcn.h>

#include "bench/frame/refusal.hpp"

namespace bench {

namespace {

/// Sets a function pointer to the function of a name.
template <class Function>
void find(void *library, const char *name, Function &function) {
  void *const symbol = dlsym(library, name);
  if (!symbol) throw Refusal(std::string("the library of --against has no ") + name);
  function = reinterpret_cast<Function>(symbol);
}

}  // namespace

ArmciCalls own_armci() {
  return {ARMCI_Init, ARMCI_Finalize, ARMCI_Malloc, ARMCI_Free, ARMCI_Fence, ARMCI_Barrier, ARMCI_Same_node,
          ARMCI_Put,  ARMCI_Get,      ARMCI_Acc,    ARMCI_PutS, ARMCI_GetS,  ARMCI_AccS,    ARMCI_Rmw};
}

ArmciCalls loaded_armci(const std::string &path) {
  // Its calls of itself do not become those of libhalocline_armci.
  void *const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (!library) throw Refusal(std::string("--against: ") + dlerror());
  ArmciCalls calls{};
  find(library, "ARMCI_Init", calls.init);
  find(library, "ARMCI_Finalize", calls.finalize);
  find(library, "ARMCI_Malloc", calls.malloc);
  find(library, "ARMCI_Free", calls.free);
  find(library, "ARMCI_Fence", calls.fence);
  find(library, "ARMCI_Barrier", calls.barrier);
  find(library, "ARMCI_Same_node", calls.same_node);
  find(library, "ARMCI_Put", calls.put);
  find(library, "ARMCI_Get", calls.get);
  find(library, "ARMCI_Acc", calls.acc);
  find(library, "ARMCI_PutS", calls.put_strided);
  find(library, "ARMCI_GetS", calls.get_strided);
  find(library, "ARMCI_AccS", calls.acc_strided);
  find(library, "ARMCI_Rmw", calls.rmw);
  return calls;
}

ArmciSide::ArmciSide(std::string name, const ArmciCalls &functions, int ranks, int rank, long bytes)
    : by(std::move(name)), calls(functions), rank_(rank), bases_(static_cast<std::size_t>(ranks)) {
  if (calls.init() != 0 || calls.malloc(bases_.data(), bytes) != 0) throw Refusal(by + " cannot be initialised");
  calls.barrier();
}

ArmciSide::~ArmciSide() {
  calls.barrier();
  calls.free(bases_[static_cast<std::size_t>(rank_)]);
  calls.finalize();
}

}  // namespace bench
