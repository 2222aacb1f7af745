// Tells which calls a thread makes that may take memory, wait for other threads, or write somewhere;
// preloaded into avjob.
//
//   clang -O1 -fPIC -shared Tests/Rigs/watched.c -o watched.so
//
// WATCHED_THREAD  the name of the thread; 15 bytes count
// WATCHED_LOG     a file that gets a line for each call and who made it, when the process ends:
//                 PHASE CALL LIBRARY FUNCTION COUNT WAITED, where WAITED counts locks that were not free
//
// Phases are `opening`, before sound was first handed to ALSA, and after a device was closed;
// `playing`, from the first frames of a device, or after a drop, to the next drop, which is
// `silent`. Rings of an eventfd are no writes: they keep nobody waiting, and cannot fail.
//
// What it does not see: a lock of Swift's `Mutex` that was free, which is one atomic exchange in the
// caller's code. One that was taken is `futex`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

enum { OPENING, PLAYING, SILENT };
static const char *const phases[] = {"opening", "playing", "silent"};
typedef struct { const char *call; void *caller; int phase; long count, waited; } entry;
static entry entries[1024];
static int entry_count;
static _Thread_local int is_watched;
static int phase;  // of the watched thread

static void note(const char *call, void *caller, int waited) {
  if (!is_watched) return;
  int i = 0;
  while (i < entry_count && (entries[i].caller != caller || entries[i].phase != phase ||
                             entries[i].call != call)) i++;
  if (i == (int)(sizeof entries / sizeof *entries)) abort();
  if (i == entry_count) entries[entry_count++] = (entry){call, caller, phase, 0, 0};
  entries[i].count++;
  entries[i].waited += waited;
}

#define NOTE(call) note(call, __builtin_return_address(0), 0)
#define NEXT(name) \
  static __typeof__(name) *next; \
  if (!next) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

__attribute__((destructor)) static void tell(void) {
  is_watched = 0;
  const char *log = getenv("WATCHED_LOG");
  FILE *file = log ? fopen(log, "ae") : NULL;
  for (int i = 0; file && i < entry_count; i++) {
    Dl_info info = {0};
    const char *path = dladdr(entries[i].caller, &info) && info.dli_fname ? info.dli_fname : "?";
    const char *slash = strrchr(path, '/');
    fprintf(file, "%s %s %s %s %ld %ld\n", phases[entries[i].phase], entries[i].call,
            slash ? slash + 1 : path, info.dli_sname ? info.dli_sname : "?", entries[i].count,
            entries[i].waited);
  }
  if (file) fclose(file);
}

// ---- Which thread, and when --------------------------------------------------------------------

int pthread_setname_np(pthread_t thread, const char *name) {
  NEXT(pthread_setname_np);
  const char *watched = getenv("WATCHED_THREAD");
  if (watched && pthread_equal(thread, pthread_self())) is_watched = !strcmp(name, watched);
  return next(thread, name);
}

// alsa-lib's, whose headers are not needed for this. avjob opens it by its name, so that it is not
// among the libraries that RTLD_NEXT looks at.
#define NEXT_IN_ALSA(name) \
  static __typeof__(name) *next; \
  if (!next) next = (__typeof__(name) *)dlsym(dlopen("libasound.so.2", RTLD_NOW), #name)

long snd_pcm_writei(void *pcm, const void *frames, unsigned long count) {
  NEXT_IN_ALSA(snd_pcm_writei);
  if (is_watched) phase = PLAYING;
  return next(pcm, frames, count);
}

int snd_pcm_drop(void *pcm) {
  NEXT_IN_ALSA(snd_pcm_drop);
  if (is_watched) phase = SILENT;
  return next(pcm);
}

int snd_pcm_close(void *pcm) {
  NEXT_IN_ALSA(snd_pcm_close);
  if (is_watched) phase = OPENING;
  return next(pcm);
}

// ---- Memory ------------------------------------------------------------------------------------

void *malloc(size_t size) { return NOTE("malloc"), __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return NOTE("calloc"), __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return NOTE("realloc"), __libc_realloc(old, size); }
void *memalign(size_t by, size_t size) { return NOTE("memalign"), __libc_memalign(by, size); }
void *aligned_alloc(size_t by, size_t size) {
  return NOTE("aligned_alloc"), __libc_memalign(by, size);
}
int posix_memalign(void **memory, size_t by, size_t size) {
  NOTE("posix_memalign");
  *memory = __libc_memalign(by, size);
  return *memory ? 0 : 12;
}
void free(void *memory) {
  if (memory) NOTE("free");
  __libc_free(memory);
}
void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
  NEXT(mmap);
  return NOTE("mmap"), next(at, size, protection, flags, file, offset);
}
int munmap(void *at, size_t size) {
  NEXT(munmap);
  return NOTE("munmap"), next(at, size);
}

// ---- Other threads -----------------------------------------------------------------------------

int pthread_mutex_lock(pthread_mutex_t *lock) {
  NEXT(pthread_mutex_lock);
  if (!is_watched) return next(lock);
  int is_free = pthread_mutex_trylock(lock) == 0;
  note("pthread_mutex_lock", __builtin_return_address(0), !is_free);
  return is_free ? 0 : next(lock);
}
int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
  NEXT(pthread_rwlock_rdlock);
  return NOTE("pthread_rwlock_rdlock"), next(lock);
}
int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
  NEXT(pthread_rwlock_wrlock);
  return NOTE("pthread_rwlock_wrlock"), next(lock);
}
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock) {
  NEXT(pthread_cond_wait);
  return NOTE("pthread_cond_wait"), next(condition, lock);
}
int sem_wait(sem_t *semaphore) {
  NEXT(sem_wait);
  return NOTE("sem_wait"), next(semaphore);
}
int nanosleep(const struct timespec *time, struct timespec *rest) {
  NEXT(nanosleep);
  return NOTE("nanosleep"), next(time, rest);
}
int usleep(useconds_t time) {
  NEXT(usleep);
  return NOTE("usleep"), next(time);
}
long syscall(long number, ...) {
  NEXT(syscall);
  va_list list;
  va_start(list, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_futex) NOTE("futex");
  return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// ---- Files -------------------------------------------------------------------------------------

ssize_t write(int file, const void *bytes, size_t size) {
  NEXT(write);
  struct stat facts;
  // An eventfd has no kind of file.
  if (is_watched && !(fstat(file, &facts) == 0 && (facts.st_mode & S_IFMT) == 0)) NOTE("write");
  return next(file, bytes, size);
}
size_t fwrite(const void *bytes, size_t size, size_t count, FILE *file) {
  NEXT(fwrite);
  return NOTE("fwrite"), next(bytes, size, count, file);
}
int vfprintf(FILE *file, const char *format, va_list list) {
  NEXT(vfprintf);
  return NOTE("vfprintf"), next(file, format, list);
}
int open(const char *path, int flags, ...) {
  NEXT(open);
  va_list list;
  va_start(list, flags);
  int mode = va_arg(list, int);
  va_end(list);
  return NOTE("open"), next(path, flags, mode);
}
int close(int file) {
  NEXT(close);
  return NOTE("close"), next(file);
}
