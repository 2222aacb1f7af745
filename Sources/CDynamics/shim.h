// The loops of the limiter that see every sample; in C, so that they are quick in a debug build, too.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef float avjob_quad __attribute__((vector_size(16)));
typedef int32_t avjob_quad_bits __attribute__((vector_size(16)));
// Four samples at any address.
typedef float avjob_loose_quad __attribute__((vector_size(16), aligned(4)));

static inline avjob_quad avjob_larger(avjob_quad most, avjob_quad found) {
  const avjob_quad_bits magnitude = {0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff};
  avjob_quad size = (avjob_quad)((avjob_quad_bits)found & magnitude);
  avjob_quad_bits is_more = (avjob_quad_bits)(size > most);
  return (avjob_quad)((is_more & (avjob_quad_bits)size) | (~is_more & (avjob_quad_bits)most));
}

// The largest magnitude of `count` samples, a multiple of four.
static inline float avjob_magnitude(const float *samples, size_t count) {
  avjob_quad most = {0, 0, 0, 0};
  for (size_t at = 0; at < count; at += 4)
    most = avjob_larger(most, *(const avjob_loose_quad *)(samples + at));
  float largest = most[0];
  for (int i = 1; i < 4; i++)
    if (most[i] > largest) largest = most[i];
  return largest;
}

// Raises four `peaks` to the magnitudes of `places` values between each of four samples and the next.
// `filter` has the coefficients of all places for the first of `taps`, each four times, and so on;
// it begins taps / 2 - 1 samples before.
static inline __attribute__((always_inline)) avjob_quad avjob_peaks(
    const float *samples, const avjob_quad *filter, size_t taps, const int places,
    avjob_quad peaks) {
  avjob_quad sums[8];
  for (int place = 0; place < places; place++) sums[place] = (avjob_quad){0, 0, 0, 0};
  const float *first = samples - (taps / 2 - 1);
  for (size_t tap = 0; tap < taps; tap++, filter += places) {
    avjob_quad four = *(const avjob_loose_quad *)(first + tap);
    for (int place = 0; place < places; place++) sums[place] += filter[place] * four;
  }
  for (int place = 0; place < places; place++) peaks = avjob_larger(peaks, sums[place]);
  return peaks;
}

// For each number of places one function, so that the sums stay in registers.
static inline avjob_quad avjob_peaks_of_3(const float *samples, const avjob_quad *filter,
                                          size_t taps, avjob_quad peaks) {
  return avjob_peaks(samples, filter, taps, 3, peaks);
}

static inline avjob_quad avjob_peaks_of_7(const float *samples, const avjob_quad *filter,
                                          size_t taps, avjob_quad peaks) {
  return avjob_peaks(samples, filter, taps, 7, peaks);
}

static inline avjob_quad avjob_peaks_of_8(const float *samples, const avjob_quad *filter,
                                          size_t taps, avjob_quad peaks) {
  return avjob_peaks(samples, filter, taps, 8, peaks);
}
