// sd-bus of libsystemd (sd-bus(3)). The library is loaded when a program joins a bus and not linked:
// most runs join none, and it may not be installed. The types of its functions are those of its
// headers. Swift's importer skips its variadic functions, and its macros for vtables.
#pragma once
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <systemd/sd-bus.h>

#define AVJOB_SD_BUS_FUNCTIONS(DO) \
  DO(open_user) DO(new) DO(set_address) DO(set_bus_client) DO(start) \
  DO(set_exit_on_disconnect) DO(set_method_call_timeout) \
  DO(close_unref) DO(request_name) DO(add_object_vtable) DO(process) DO(get_fd) DO(get_events) \
  DO(get_timeout) DO(send) DO(emit_properties_changed_strv) DO(message_new_signal) \
  DO(message_new_method_return) DO(message_unref) DO(message_append_basic) \
  DO(message_open_container) DO(message_close_container) DO(message_read_basic) \
  DO(message_enter_container) DO(message_exit_container) DO(message_peek_type) \
  DO(message_get_member) DO(message_get_interface) \
  DO(message_get_expect_reply) DO(error_set)

struct avjob_sd_bus {
#define AVJOB_FIELD(name) __typeof__(&sd_bus_##name) name;
  AVJOB_SD_BUS_FUNCTIONS(AVJOB_FIELD)
#undef AVJOB_FIELD
  // The version of `sd_bus_vtable` that the library understands.
  const unsigned *vtable_format;
};

// Fills `table` from the library of a name (dlopen(3)). Gives 0 if the library is not there or lacks
// a function. Called by one thread.
static inline int avjob_load_sd_bus(const char *name, struct avjob_sd_bus *table) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
#define AVJOB_LOAD(name) \
  table->name = (__typeof__(table->name))dlsym(library, "sd_bus_" #name); \
  if (!table->name) { \
    dlclose(library); \
    return 0; \
  }
  AVJOB_SD_BUS_FUNCTIONS(AVJOB_LOAD)
#undef AVJOB_LOAD
  table->vtable_format = (const unsigned *)dlsym(library, "sd_bus_object_vtable_format");
  if (!table->vtable_format) {
    dlclose(library);
    return 0;
  }
  return 1;
}

// The entries of a vtable, as the macros of sd-bus-vtable.h make them (sd_bus_add_object_vtable(3)).
// All memory of an entry is zero before. Texts must live as long as the vtable.
static inline void avjob_vtable_start(sd_bus_vtable *entry, const struct avjob_sd_bus *table) {
  entry->type = _SD_BUS_VTABLE_START;
  entry->x.start.element_size = sizeof(sd_bus_vtable);
  entry->x.start.features = _SD_BUS_VTABLE_PARAM_NAMES;
  entry->x.start.vtable_format_reference = table->vtable_format;
}
// `names` has the names of the arguments, then those of the results, each with a NUL at its end.
static inline void avjob_vtable_method(
    sd_bus_vtable *entry, const char *member, const char *signature, const char *result,
    const char *names, sd_bus_message_handler_t handler) {
  entry->type = _SD_BUS_VTABLE_METHOD;
  // Buses of a user admit that user alone; another look would be a call for each call.
  entry->flags = SD_BUS_VTABLE_UNPRIVILEGED;
  entry->x.method.member = member;
  entry->x.method.signature = signature;
  entry->x.method.result = result;
  entry->x.method.names = names;
  entry->x.method.handler = handler;
}
static inline void avjob_vtable_signal(
    sd_bus_vtable *entry, const char *member, const char *signature, const char *names) {
  entry->type = _SD_BUS_VTABLE_SIGNAL;
  entry->x.signal.member = member;
  entry->x.signal.signature = signature;
  entry->x.signal.names = names;
}
// `set` is NULL for a property that can only be read.
static inline void avjob_vtable_property(
    sd_bus_vtable *entry, const char *member, const char *signature, uint64_t flags,
    sd_bus_property_get_t get, sd_bus_property_set_t set) {
  entry->type = set ? _SD_BUS_VTABLE_WRITABLE_PROPERTY : _SD_BUS_VTABLE_PROPERTY;
  entry->flags = flags | (set ? SD_BUS_VTABLE_UNPRIVILEGED : 0);
  entry->x.property.member = member;
  entry->x.property.signature = signature;
  entry->x.property.get = get;
  entry->x.property.set = set;
}
static inline void avjob_vtable_end(sd_bus_vtable *entry) { entry->type = _SD_BUS_VTABLE_END; }

// SD_BUS_VTABLE_PROPERTY_…, which Swift imports under no stable type.
static inline uint64_t avjob_vtable_emits_change(void) {
  return SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE;
}
static inline uint64_t avjob_vtable_emits_invalidation(void) {
  return SD_BUS_VTABLE_PROPERTY_EMITS_INVALIDATION;
}
static inline uint64_t avjob_vtable_is_constant(void) { return SD_BUS_VTABLE_PROPERTY_CONST; }
