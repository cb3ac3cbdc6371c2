// The one source of the targets that hold precompiled headers (HaloclinePrecompile.cmake), which CMake wants to have one.
//
// SPDX-License-Identifier: BSD-3-Clause
