// What Swift's importer cannot see of LAME: callbacks that take a va_list.
#pragma once
#include <stdarg.h>
#include <stdio.h>
#include <lame/lame.h>

static inline void avjob_lame_say_nothing(const char *format, va_list arguments) {
  (void)format;
  (void)arguments;
}

/// Keeps LAME from writing to standard error; what fails comes back as a status.
static inline void avjob_lame_silence(lame_t encoder) {
  lame_set_errorf(encoder, avjob_lame_say_nothing);
  lame_set_debugf(encoder, avjob_lame_say_nothing);
  lame_set_msgf(encoder, avjob_lame_say_nothing);
}
