// Makes system calls on files fail, or the process die at one of them; preloaded into avjob.
//
// FAULT_ROOT   the folder, absolute: calls that touch anything below it are counted from 1
// FAULT_LOG    a file that gets a line for each of them: CALL PATH, after a `!` where it was struck
// FAULT        CALL:NUMBER:ACTION, where CALL is a call's name, or `any` for all of them, and ACTION
//              an errno's number; `short` to write half of the bytes; `kill` or `killed` to die by
//              SIGKILL before or after the call
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FAIL = 1, SHORT, KILL_AFTER };
static atomic_int count;

// Whether a path, which may be relative to the working folder, lies below the root.
static int is_below_root(const char *path, char *absolute) {
  const char *root = getenv("FAULT_ROOT");
  if (!root || !path) return 0;
  if (path[0] == '/' || !getcwd(absolute, PATH_MAX)) absolute[0] = 0;
  else strcat(absolute, "/");
  if (strlen(absolute) + strlen(path) >= PATH_MAX) return 0;
  strcat(absolute, path);
  return strncmp(absolute, root, strlen(root)) == 0 && absolute[strlen(root)] == '/';
}

static void die(void) { syscall(SYS_kill, getpid(), SIGKILL), pause(); }

// What is to happen to this call: 0 for nothing.
static int strike(const char *call, const char *path) {
  int before = errno;
  char absolute[PATH_MAX] = "", line[PATH_MAX + 32], name[16], action[16] = "";
  // A process that may write nothing probes media, and could not write the log either.
  struct rlimit limit;
  if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur == 0) return errno = before, 0;
  if (!is_below_root(path, absolute)) return errno = before, 0;
  const char *fault = getenv("FAULT"), *log = getenv("FAULT_LOG");
  int wanted = 0, what = 0;
  if (fault) sscanf(fault, "%15[^:]:%d:%15s", name, &wanted, action);
  int counts = !fault || !strcmp(name, "any") || !strcmp(name, call);
  int number = counts ? atomic_fetch_add(&count, 1) + 1 : 0;
  if (log) {
    int file = syscall(SYS_open, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const char *mark = wanted && number == wanted ? "!" : "";
    int length = snprintf(line, sizeof line, "%s%s %s\n", mark, call, absolute);
    if (syscall(SYS_write, file, line, length) != length) abort();
    syscall(SYS_close, file);
  }
  errno = before;
  if (!wanted || number != wanted) return 0;
  if (!strcmp(action, "kill")) die();
  else if (!strcmp(action, "killed")) what = KILL_AFTER;
  else if (!strcmp(action, "short")) what = SHORT;
  else what = FAIL, errno = atoi(action);
  return what;
}

static int strike_file(const char *call, int file) {
  int before = errno;
  char name[32], path[PATH_MAX];
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  ssize_t length = readlink(name, path, sizeof path - 1);
  errno = before;
  // Pipes are called `pipe:[4711]`.
  if (length < 0 || path[0] != '/') return 0;
  path[length] = 0;
  return strike(call, path);
}

#define NEXT(symbol) ((__typeof__(&symbol))dlsym(RTLD_NEXT, #symbol))
#define RUN(what, result, real)        \
  int what_ = (what);                  \
  if (what_ == FAIL) return -1;        \
  __typeof__(real) result = (real);    \
  if (what_ == KILL_AFTER) die();      \
  return result

#define OPEN(symbol)                                                  \
  int symbol(const char *path, int flags, ...) {                      \
    va_list rest;                                                     \
    va_start(rest, flags);                                            \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                     \
    int writes = flags & (O_WRONLY | O_RDWR | O_CREAT | O_DIRECTORY); \
    const char *call = flags & O_DIRECTORY ? "opendir" : "open";      \
    RUN(writes ? strike(call, path) : 0, file, NEXT(symbol)(path, flags, mode)); \
  }
OPEN(open)
OPEN(open64)

#define WRITE(symbol, call, ...)                                            \
  int what = strike_file(call, file);                                       \
  if (what == SHORT && size > 1) size /= 2;                                 \
  RUN(what, written, NEXT(symbol)(file, bytes, size, ##__VA_ARGS__))
ssize_t write(int file, const void *bytes, size_t size) { WRITE(write, "write"); }
ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) { WRITE(pwrite, "pwrite", at); }
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) {
  WRITE(pwrite64, "pwrite", at);
}

int fsync(int file) { RUN(strike_file("fsync", file), status, NEXT(fsync)(file)); }
int fdatasync(int file) { RUN(strike_file("fsync", file), status, NEXT(fdatasync)(file)); }
// Linux closes the file even where it says that it could not (close(2)).
int close(int file) {
  int what = strike_file("close", file), code = errno;
  int status = NEXT(close)(file);
  if (what == KILL_AFTER) die();
  return what == FAIL ? errno = code, -1 : status;
}
int flock(int file, int how) { RUN(strike_file("flock", file), status, NEXT(flock)(file, how)); }
int ftruncate(int file, off_t size) {
  RUN(strike_file("ftruncate", file), status, NEXT(ftruncate)(file, size));
}
int ftruncate64(int file, off64_t size) {
  RUN(strike_file("ftruncate", file), status, NEXT(ftruncate64)(file, size));
}
int renameat(int a, const char *from, int b, const char *to) {
  RUN(strike("rename", to), status, NEXT(renameat)(a, from, b, to));
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  RUN(strike("rename", to), status, NEXT(renameat2)(a, from, b, to, flags));
}
int linkat(int a, const char *from, int b, const char *to, int flags) {
  RUN(strike("link", to), status, NEXT(linkat)(a, from, b, to, flags));
}
int mkdirat(int folder, const char *path, mode_t mode) {
  RUN(strike("mkdir", path), status, NEXT(mkdirat)(folder, path, mode));
}
int unlinkat(int folder, const char *path, int flags) {
  const char *call = flags & AT_REMOVEDIR ? "rmdir" : "unlink";
  RUN(strike(call, path), status, NEXT(unlinkat)(folder, path, flags));
}
