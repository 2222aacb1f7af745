// The functions of libpulse that avjob calls. The library is loaded when a sound server is asked for
// and not linked: most runs play nothing. The types of its functions are those of its headers.
#pragma once
#include <dlfcn.h>
#include <pulse/pulseaudio.h>
#include <sys/time.h>

#define AVJOB_PULSE_FUNCTIONS(X) \
  X(threaded_mainloop_new) X(threaded_mainloop_free) X(threaded_mainloop_start) \
  X(threaded_mainloop_stop) X(threaded_mainloop_lock) X(threaded_mainloop_unlock) \
  X(threaded_mainloop_get_api) X(proplist_new) X(proplist_free) X(proplist_sets) \
  X(proplist_gets) X(context_new_with_proplist) X(context_connect) X(context_disconnect) \
  X(context_unref) X(context_get_state) X(context_errno) X(context_set_state_callback) \
  X(context_subscribe) X(context_set_subscribe_callback) X(context_get_server_info) \
  X(context_get_sink_info_list) X(context_get_source_info_list) \
  X(context_get_module_info_list) X(operation_unref) X(operation_cancel) \
  X(stream_new_with_proplist) X(stream_connect_playback) \
  X(stream_disconnect) X(stream_unref) X(stream_get_state) X(stream_get_context) \
  X(stream_get_sample_spec) X(stream_get_device_name) X(stream_is_suspended) \
  X(stream_get_buffer_attr) X(stream_set_buffer_attr) X(stream_get_timing_info) \
  X(stream_update_timing_info) X(stream_writable_size) X(stream_write) X(stream_cork) \
  X(stream_flush) X(stream_drain) X(stream_proplist_update) X(stream_set_state_callback) \
  X(stream_set_write_callback) X(stream_set_underflow_callback) \
  X(stream_set_started_callback) X(stream_set_latency_update_callback) \
  X(stream_set_moved_callback) X(stream_set_suspended_callback) X(stream_set_event_callback) \
  X(strerror)

struct avjob_pulse {
#define AVJOB_FIELD(name) __typeof__(&pa_##name) name;
  AVJOB_PULSE_FUNCTIONS(AVJOB_FIELD)
#undef AVJOB_FIELD
};

// Fills `table` from the library of a name (dlopen(3)). Gives 0 where the library is not there or
// lacks a function. Called by one thread.
static inline int avjob_load_pulse(const char *name, struct avjob_pulse *table) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
#define AVJOB_LOAD(name) \
  table->name = (__typeof__(table->name))dlsym(library, "pa_" #name); \
  if (!table->name) { \
    dlclose(library); \
    return 0; \
  }
  AVJOB_PULSE_FUNCTIONS(AVJOB_LOAD)
#undef AVJOB_LOAD
  return 1;
}

// The formats in the machine's byte order: macros in <pulse/sample.h>.
static inline pa_sample_format_t avjob_pulse_float32(void) { return PA_SAMPLE_FLOAT32NE; }
static inline pa_sample_format_t avjob_pulse_int32(void) { return PA_SAMPLE_S32NE; }
static inline pa_sample_format_t avjob_pulse_int24(void) { return PA_SAMPLE_S24_32NE; }
static inline pa_sample_format_t avjob_pulse_packed_int24(void) { return PA_SAMPLE_S24NE; }
static inline pa_sample_format_t avjob_pulse_int16(void) { return PA_SAMPLE_S16NE; }

// Flags are bits of C enumerations, which the importer does not combine.
static inline pa_stream_flags_t avjob_pulse_playback_flags(int takes_format) {
  return (pa_stream_flags_t)(PA_STREAM_START_CORKED | PA_STREAM_AUTO_TIMING_UPDATE |
                             PA_STREAM_EARLY_REQUESTS |
                             (takes_format ? PA_STREAM_FIX_FORMAT : 0));
}
static inline pa_subscription_mask_t avjob_pulse_devices_mask(void) {
  return (pa_subscription_mask_t)(PA_SUBSCRIPTION_MASK_SINK | PA_SUBSCRIPTION_MASK_SOURCE |
                                  PA_SUBSCRIPTION_MASK_SERVER);
}

// Microseconds since a time of the system's clock (gettimeofday(2)).
static inline int64_t avjob_pulse_age(struct timeval time) {
  struct timeval now;
  gettimeofday(&now, NULL);
  return (int64_t)(now.tv_sec - time.tv_sec) * 1000000 + (now.tv_usec - time.tv_usec);
}
