// Preloaded into a process, makes libavformat fail on files by their names, as a bug of it would:
// a name with "crash", "hang" or "eat" (memory) and "probing" or "reading", such as
// "crash-probing.wav". "probing" is any process, "reading" only that of a job. With "damage" the
// process crashes on the next file.
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

int avformat_open_input(void **context, const char *url, const void *format, void **options) {
  static int (*real)(void **, const char *, const void *, void **);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "avformat_open_input");
  static char damaging[4096];
  if (*damaging && strcmp(url, damaging)) raise(SIGSEGV);
  if (strstr(url, "damage")) snprintf(damaging, sizeof damaging, "%s", url);
  if (strstr(url, "-probing") || (strstr(url, "-reading") && is_job())) {
    if (strstr(url, "crash")) raise(SIGSEGV);
    while (strstr(url, "hang")) pause();
    while (strstr(url, "eat")) {
      char *block = malloc(1 << 20);
      if (!block) return -ENOMEM;
      memset(block, 1, 1 << 20);
      __asm__ volatile("" : : "r"(block) : "memory");
    }
  }
  return real(context, url, format, options);
}
