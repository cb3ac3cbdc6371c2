// One wrong call or environment, named by the argument. PE 0 makes it while the others wait for it; all must end, with one message.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#define SHMEM_NO_OVERLOADS
#include <shmem.h>

namespace {

std::uint64_t variable;

/// What is passed where a null pointer is wrong; the compiler does not see that it is one.
std::uint64_t *volatile none = nullptr;

const std::map<std::string, std::function<void(std::uint64_t *)>> kCalls{
    {"pe", [](std::uint64_t *words) { shmem_uint64_p(words, 1, 9); }},
    {"pe_below", [](std::uint64_t *words) { shmem_putmem(words, words, 8, -1); }},
    {"dest",
     [](std::uint64_t *) {
       std::uint64_t local = 0;
       shmem_uint64_p(&local, 1, 0);
     }},
    {"dest_null", [](std::uint64_t *) { shmem_put64(none, &variable, 1, 0); }},
    {"source", [](std::uint64_t *words) { shmem_put64(words, none, 1, 1); }},
    {"beyond", [](std::uint64_t *words) { shmem_put64(words, words, SIZE_MAX / 4, 0); }},
    {"get_dest", [](std::uint64_t *words) { shmem_get64(none, words, 1, 1); }},
    {"libc", [](std::uint64_t *) { shmem_uint64_p(reinterpret_cast<std::uint64_t *>(environ), 1, 0); }},
    {"stride", [](std::uint64_t *words) { shmem_uint64_iput(words, words, 0, 1, 2, 1); }},
    {"signal_op", [](std::uint64_t *words) { shmem_uint64_put_signal(words, words, 1, words + 1, 1, 5, 1); }},
    {"ctx", [](std::uint64_t *words) { shmem_ctx_uint64_p(SHMEM_CTX_INVALID, words, 1, 0); }},
    {"ctx_options",
     [](std::uint64_t *) {
       shmem_ctx_t ctx = SHMEM_CTX_INVALID;
       shmem_ctx_create(64, &ctx);
     }},
    {"free", [](std::uint64_t *words) { shmem_free(words + 1); }},
    {"align", [](std::uint64_t *) { shmem_align(24, 8); }},
    {"malloc", [](std::uint64_t *) { shmem_malloc(8); }},
    {"exit", [](std::uint64_t *) { shmem_global_exit(7); }},
};

/// Fills /dev/shm, and then asks for memory of the heap.
void tell_room() {
  shmem_sync_all();
  if (shmem_my_pe() == 0) {
    const int file = open("/dev/shm/fills", O_CREAT | O_WRONLY, 0600);
    for (const std::vector<char> some(4096, 'x'); write(file, some.data(), some.size()) > 0;) continue;
    close(file);
  }
  shmem_sync_all();
  const void *block = shmem_malloc(8 << 20);
  std::printf("%s\n", block ? "a block" : "no room: a null pointer");
  shmem_sync_all();
  unlink("/dev/shm/fills");
}

}  // namespace

int main(int, char **arguments) {
  const std::string what = arguments[1];
  if (what == "before") shmem_uint64_p(&variable, 1, 0);
  shmem_init();
  if (what == "static") {
    shmem_uint64_p(&variable, 1, shmem_my_pe());
    return 0;
  }
  if (what == "room") {
    tell_room();
    return 0;
  }
  auto *words = static_cast<std::uint64_t *>(shmem_malloc(64));
  const auto call = kCalls.find(what);
  if (call != kCalls.end() && shmem_my_pe() == 0) call->second(words);
  if (what == "malloc") shmem_malloc(16);
  if (call != kCalls.end()) sleep(60);
  if (what == "after") {
    shmem_finalize();
    shmem_uint64_p(words, 1, 0);
  }
  std::printf("the wrong call was accepted\n");
  return 0;
}
