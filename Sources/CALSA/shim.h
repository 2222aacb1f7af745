// What Swift's importer cannot see of alsa-lib: a variadic callback, an array without a length.
#pragma once
#include <alsa/asoundlib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// 256 bytes for what alsa-lib said last on this thread. (The importer takes over a function's own
// variables, and no others.) Each Swift file that uses them would get some of its own: only
// `Messages.swift` does, and is inlined nowhere.
static inline char *avjob_alsa_last_line(void) {
  static __thread char line[256];
  return line;
}

// The errno that came with it; 0: none did.
static inline int *avjob_alsa_last_code(void) {
  static __thread int code;
  return &code;
}

// Takes a line instead of standard error: no allocation and no lock, since a failing transfer may
// say something, too.
__attribute__((format(printf, 5, 6)))
static inline void avjob_alsa_hear(const char *file, int line, const char *function, int code,
                                   const char *format, ...) {
  (void)file, (void)line, (void)function;
  char *text = avjob_alsa_last_line();
  *avjob_alsa_last_code() = code;
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, 256, format, arguments);
  va_end(arguments);
  if (code && length > 0 && length < 256)
    snprintf(text + length, 256 - length, ": %s", snd_strerror(code));
}

static inline int avjob_alsa_listen(void) { return snd_lib_error_set_handler(avjob_alsa_hear); }

static inline unsigned avjob_chmap_position(const snd_pcm_chmap_t *map, unsigned channel) {
  return channel < map->channels ? map->pos[channel] : SND_CHMAP_UNKNOWN;
}
