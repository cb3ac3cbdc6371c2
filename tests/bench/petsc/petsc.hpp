// What both PETSc contenders need: PETSc started, and errors as exceptions.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <petscdm.h>

#include <stdexcept>
#include <string>

namespace bench {

inline void petsc(PetscErrorCode code, const char *call) {
  if (code != 0) throw std::runtime_error(std::string(call) + " of PETSc failed with code " + std::to_string(static_cast<int>(code)));
}

/// Starts PETSc once. It ends with the process: the bench holds no PETSc object then.
inline void start_petsc() {
  PetscBool started = PETSC_FALSE;
  petsc(PetscInitialized(&started), "PetscInitialized");
  if (!started) petsc(PetscInitializeNoArguments(), "PetscInitializeNoArguments");
}

}  // namespace bench
