// What goes wrong inside of a process, when somebody asks for it; preloaded into avjob.
//
// MISHAP        main      the main thread's stack overflows, the next time that it waits
//               thread    that of another thread does
//               flush     whoever flushes a file to the disk is kept there for ever
//               eventfd   the process gets no descriptor from one call of eventfd
// MISHAP_WHEN   the file whose being there asks for it
// MISHAP_CALL   the number of that call, from 1
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_asked_for(const char *what) {
  const char *mishap = getenv("MISHAP"), *when = getenv("MISHAP_WHEN");
  return mishap && when && !strcmp(mishap, what) && access(when, F_OK) == 0;
}

// Each call keeps some of its frame until the next has come back, so that no compiler makes a loop.
static int overflow(volatile char *before) {
  volatile char frame[1024];
  frame[0] = before ? before[0] : 0;
  return frame[0] ? 0 : overflow(frame) + frame[0];
}

int poll(struct pollfd *entries, nfds_t count, int milliseconds) {
  int is_main = getpid() == syscall(SYS_gettid);
  if (is_asked_for(is_main ? "main" : "thread")) return overflow(NULL);
  int (*next)(struct pollfd *, nfds_t, int) = dlsym(RTLD_NEXT, "poll");
  return next(entries, count, milliseconds);
}

int fsync(int file) {
  while (is_asked_for("flush")) usleep(10000);
  int (*next)(int) = dlsym(RTLD_NEXT, "fsync");
  return next(file);
}

int fdatasync(int file) {
  while (is_asked_for("flush")) usleep(10000);
  int (*next)(int) = dlsym(RTLD_NEXT, "fdatasync");
  return next(file);
}

int eventfd(unsigned count, int flags) {
  static atomic_int calls;
  const char *mishap = getenv("MISHAP"), *call = getenv("MISHAP_CALL");
  if (mishap && call && !strcmp(mishap, "eventfd") && atomic_fetch_add(&calls, 1) + 1 == atoi(call)) {
    errno = EMFILE;
    return -1;
  }
  int (*next)(unsigned, int) = dlsym(RTLD_NEXT, "eventfd");
  return next(count, flags);
}
