/* Windows on a small /dev/shm, for full_shm.py: full_shm STEPS MIB [DIRECTORY]. Each step is a letter; what it finds is a line of rank 0.
 *
 *   w  make a window of MIB per rank and keep it     r  free the oldest window
 *   W  the same, and end the program if that fails
 *   t  touch all of this rank's windows              u  bytes of /dev/shm that are used
 *   f  rank 0 fills /dev/shm with a file             p  say so in DIRECTORY, and die when told there
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MOST 8

static MPI_Win windows[MOST];
static char *memory[MOST];
static int rank, made;
static MPI_Aint bytes;

static void make(void) {
  const int code = MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory[made], &windows[made]);
  int class = MPI_SUCCESS, length = 0;
  char text[MPI_MAX_ERROR_STRING] = "made";
  if (code != MPI_SUCCESS) {
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
  } else {
    ++made;
  }
  if (rank == 0) printf("window: %s: %s\n", class == MPI_ERR_NO_MEM ? "no memory" : code == MPI_SUCCESS ? "right" : "wrong", text);
}

static void release(void) {
  MPI_Win_free(&windows[0]);
  --made;
  for (int i = 0; i < made; ++i) {
    windows[i] = windows[i + 1];
    memory[i] = memory[i + 1];
  }
}

static void touch(void) {
  for (int i = 0; i < made; ++i) memset(memory[i], rank + 1, (size_t)bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("touched\n");
}

static void print_used(void) {
  struct statvfs system;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && statvfs("/dev/shm", &system) == 0)
    printf("used: %lld\n", (long long)(system.f_blocks - system.f_bfree) * (long long)system.f_frsize);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void fill(void) {
  struct statvfs system;
  const int file = rank == 0 ? open("/dev/shm/filler", O_CREAT | O_RDWR, 0600) : -1;
  if (rank == 0 && statvfs("/dev/shm", &system) == 0)
    printf("filled: %d\n", posix_fallocate(file, 0, (off_t)(system.f_bavail * system.f_frsize)));
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Both are in the directory: `ready` from rank 0, `die` from full_shm.py. */
static void wait_for_death(const char *directory) {
  char path[4096];
  MPI_Barrier(MPI_COMM_WORLD);
  snprintf(path, sizeof path, "%s/ready", directory);
  FILE *file = rank == 0 ? fopen(path, "w") : NULL;
  if (file) fclose(file);
  snprintf(path, sizeof path, "%s/die", directory);
  for (int waited = 0; access(path, F_OK) != 0 && waited < 12000; ++waited) usleep(10000);
  raise(SIGKILL);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  setvbuf(stdout, NULL, _IONBF, 0);
  bytes = (MPI_Aint)atoi(argv[2]) << 20;
  for (const char *step = argv[1]; *step != '\0'; ++step) switch (*step) {
      case 'W': MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);  // fall through
      case 'w': make(); break;
      case 'r': release(); break;
      case 't': touch(); break;
      case 'u': print_used(); break;
      case 'f': fill(); break;
      case 'p': wait_for_death(argc > 3 ? argv[3] : ""); break;
      default: return 2;
    }
  while (made > 0) release();
  MPI_Finalize();
  return 0;
}
