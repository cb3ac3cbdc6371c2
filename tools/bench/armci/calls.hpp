// The functions of an ARMCI: those of libhalocline_armci, and those of another one in a shared library, which keep their names apart.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace bench {

struct ArmciCalls {
  int (*init)();
  int (*finalize)();
  int (*malloc)(void **, long);
  int (*free)(void *);
  void (*fence)(int);
  void (*barrier)();
  int (*same_node)(int);
  int (*put)(void *, void *, int, int);
  int (*get)(void *, void *, int, int);
  int (*acc)(int, void *, void *, void *, int, int);
  int (*put_strided)(void *, int *, void *, int *, int *, int, int);
  int (*get_strided)(void *, int *, void *, int *, int *, int, int);
  int (*acc_strided)(int, void *, void *, int *, void *, int *, int *, int, int);
  int (*rmw)(int, void *, void *, int, int);
};

ArmciCalls own_armci();
/// Those of a shared library, which stays loaded. Throws Refusal if it cannot be loaded or lacks one.
ArmciCalls loaded_armci(const std::string &path);

/// An ARMCI with memory of all ranks, for the length of a run.
class ArmciSide {
 public:
  ArmciSide(std::string by, const ArmciCalls &functions, int ranks, int rank, long bytes);
  ArmciSide(const ArmciSide &) = delete;
  ArmciSide &operator=(const ArmciSide &) = delete;
  ~ArmciSide();

  const std::string by;
  const ArmciCalls calls;
  char *memory(int rank) const { return static_cast<char *>(bases_[static_cast<std::size_t>(rank)]); }

 private:
  int rank_;
  std::vector<void *> bases_;
};

}  // namespace bench
