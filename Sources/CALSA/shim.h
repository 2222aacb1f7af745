// The functions of alsa-lib that avjob calls, and what Swift's importer cannot see of it: a variadic
// callback, an array without a length. The library is loaded when a device is asked for and not
// linked: most runs play nothing, and machines without sound have none. The types of its functions
// are those of its headers.
#pragma once
#include <alsa/asoundlib.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define AVJOB_ALSA_FUNCTIONS(X) \
  X(config_delete) X(config_get_ascii) X(config_get_id) X(config_get_string) \
  X(config_get_type) X(config_iterator_end) X(config_iterator_entry) X(config_iterator_first) \
  X(config_iterator_next) X(config_load) X(config_search_definition) X(config_top) \
  X(config_unref) X(config_update_ref) X(device_name_free_hint) X(device_name_get_hint) \
  X(device_name_hint) X(input_close) X(input_stdio_open) X(lib_error_set_handler) \
  X(pcm_avail_update) X(pcm_chmap_name) X(pcm_close) X(pcm_delay) X(pcm_drain) X(pcm_drop) \
  X(pcm_format_mask_free) X(pcm_format_mask_malloc) X(pcm_format_mask_none) \
  X(pcm_format_mask_set) X(pcm_format_name) X(pcm_get_chmap) X(pcm_hw_params) \
  X(pcm_hw_params_any) X(pcm_hw_params_copy) X(pcm_hw_params_free) \
  X(pcm_hw_params_get_buffer_size) X(pcm_hw_params_get_period_size) X(pcm_hw_params_malloc) \
  X(pcm_hw_params_set_access) X(pcm_hw_params_set_buffer_size_near) \
  X(pcm_hw_params_set_channels_near) X(pcm_hw_params_set_format) \
  X(pcm_hw_params_set_format_mask) X(pcm_hw_params_set_period_size_near) \
  X(pcm_hw_params_set_rate_near) X(pcm_hw_params_set_rate_resample) \
  X(pcm_hw_params_test_format) X(pcm_nonblock) X(pcm_open) X(pcm_open_lconf) \
  X(pcm_poll_descriptors) X(pcm_poll_descriptors_count) X(pcm_poll_descriptors_revents) \
  X(pcm_prepare) X(pcm_readi) X(pcm_resume) X(pcm_start) X(pcm_state) X(pcm_sw_params) \
  X(pcm_sw_params_current) X(pcm_sw_params_free) X(pcm_sw_params_get_boundary) \
  X(pcm_sw_params_malloc) X(pcm_sw_params_set_avail_min) X(pcm_sw_params_set_silence_size) \
  X(pcm_sw_params_set_silence_threshold) X(pcm_sw_params_set_start_threshold) \
  X(pcm_sw_params_set_stop_threshold) X(pcm_sw_params_set_tstamp_mode) \
  X(pcm_sw_params_set_tstamp_type) X(pcm_type) X(pcm_writei) X(strerror)

struct avjob_alsa {
#define AVJOB_FIELD(name) __typeof__(&snd_##name) name;
  AVJOB_ALSA_FUNCTIONS(AVJOB_FIELD)
#undef AVJOB_FIELD
};

// Fills `table` from the library of a name (dlopen(3)), and with what is preloaded in its place, as
// linking would. Gives 0 where the library is not there or lacks a function. Called by one thread.
static inline int avjob_load_alsa(const char *name, struct avjob_alsa *table) {
  void *library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  if (!library) return 0;
#define AVJOB_LOAD(name) \
  table->name = (__typeof__(table->name))dlsym(NULL, "snd_" #name); \
  if (!table->name) { \
    dlclose(library); \
    return 0; \
  }
  AVJOB_ALSA_FUNCTIONS(AVJOB_LOAD)
#undef AVJOB_LOAD
  return 1;
}

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

// What turns that code into text, set before the handler. (As those: `Messages.swift` alone.)
static inline __typeof__(&snd_strerror) *avjob_alsa_strerror(void) {
  static __typeof__(&snd_strerror) function;
  return &function;
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
    snprintf(text + length, 256 - length, ": %s", (*avjob_alsa_strerror())(code));
}

static inline int avjob_alsa_listen(const struct avjob_alsa *alsa) {
  *avjob_alsa_strerror() = alsa->strerror;
  return alsa->lib_error_set_handler(avjob_alsa_hear);
}

static inline unsigned avjob_chmap_position(const snd_pcm_chmap_t *map, unsigned channel) {
  return channel < map->channels ? map->pos[channel] : SND_CHMAP_UNKNOWN;
}
