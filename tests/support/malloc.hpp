// For programs that replace malloc and its relatives: glibc's own, to forward to. A sanitizer has its own malloc, which no program
// replaces.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HALOCLINE_TEST_REPLACES_MALLOC 0
#else
#define HALOCLINE_TEST_REPLACES_MALLOC 1
#define INTERPOSED extern "C" __attribute__((visibility("default")))

extern "C" {
void *__libc_malloc(std::size_t);
void *__libc_calloc(std::size_t, std::size_t);
void *__libc_realloc(void *, std::size_t);
void *__libc_memalign(std::size_t, std::size_t);
void __libc_free(void *);
}
#endif
