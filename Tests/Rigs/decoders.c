// Preloaded into a process, makes libavformat fail on files by their names, as a bug of it would:
// a name with "crash", "hang" or "eat" (memory) and "probing", "opening" or "reading", such as
// "crash-probing.wav". "probing" is any process that opens the file, "opening" only that of a job,
// and "reading" that of a job when it has read some packets. With "damage" the process crashes on the
// next file.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_job(void) {
  char words[4096] = {0};
  FILE *file = fopen("/proc/self/cmdline", "re");
  if (!file) return 0;
  size_t count = fread(words, 1, sizeof words - 1, file);
  fclose(file);
  return memmem(words, count, "isolated-job", 12) != 0;
}

static int fail(const char *url) {
  if (strstr(url, "crash")) raise(SIGSEGV);
  while (strstr(url, "hang")) pause();
  while (strstr(url, "eat")) {
    char *block = malloc(1 << 20);
    if (!block) return -ENOMEM;
    memset(block, 1, 1 << 20);
    __asm__ volatile("" : : "r"(block) : "memory");
  }
  return 0;
}

// Files that fail later. A job's process reads with one thread, and a context that is gone may have
// its number again.
static struct {
  void *context;
  char url[4096];
  int packets;
} known[64];

int avformat_open_input(void **context, const char *url, const void *format, void **options) {
  static int (*real)(void **, const char *, const void *, void **);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "avformat_open_input");
  static char damaging[4096];
  if (*damaging && strcmp(url, damaging)) raise(SIGSEGV);
  if (strstr(url, "damage")) snprintf(damaging, sizeof damaging, "%s", url);
  if (strstr(url, "-probing") || (strstr(url, "-opening") && is_job())) {
    int status = fail(url);
    if (status) return status;
  }
  int status = real(context, url, format, options);
  for (size_t i = 0; i < sizeof known / sizeof *known && !status; i++) {
    if (known[i].context == *context) known[i].context = NULL;
  }
  if (status || !strstr(url, "-reading") || !is_job()) return status;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (known[i].context) continue;
    known[i].context = *context;
    known[i].packets = 0;
    snprintf(known[i].url, sizeof known[i].url, "%s", url);
    break;
  }
  return 0;
}

int av_read_frame(void *context, void *packet) {
  static int (*real)(void *, void *);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "av_read_frame");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (known[i].context != context || ++known[i].packets < 10) continue;
    int status = fail(known[i].url);
    if (status) return status;
  }
  return real(context, packet);
}
