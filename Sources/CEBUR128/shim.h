// libebur128, and the one loop of measuring that has to be quicker than it is there; in C, so that it is
// quick in a debug build, too.
#pragma once

#include <ebur128.h>
#include <stddef.h>

typedef float avjob_four __attribute__((vector_size(16)));
typedef int avjob_four_bits __attribute__((vector_size(16)));

// The magnitudes of `values`, or `most` where that is more.
static inline avjob_four avjob_larger(avjob_four most, avjob_four values) {
  const avjob_four_bits magnitude = {0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff};
  avjob_four found = (avjob_four)((avjob_four_bits)values & magnitude);
  avjob_four_bits isMore = (avjob_four_bits)(found > most);
  return (avjob_four)((isMore & (avjob_four_bits)found) | (~isMore & (avjob_four_bits)most));
}

// The largest magnitude of `count` samples and of up to three places behind each of them. A place's value
// is the sum of the sample and those before it, `taps` in all, each times its coefficient: one of
// `filter[4 * tap + place]`. So many samples less one lie before `samples`, too.
static inline float avjob_true_peak(const float *samples, size_t count, const float *filter,
                                    size_t taps) {
  avjob_four most = {0, 0, 0, 0};
  size_t at = 0;
  // Four samples at a time: they share the loads of the coefficients, and their sums do not wait for
  // each other.
  for (; at + 4 <= count; at += 4) {
    avjob_four first = {0, 0, 0, 0}, second = first, third = first, fourth = first;
    for (size_t tap = 0; tap < taps; tap++) {
      const float *s = samples + (ptrdiff_t)at - (ptrdiff_t)tap;
      const float *f = filter + 4 * tap;
      avjob_four factors = {f[0], f[1], f[2], f[3]};
      first += factors * (avjob_four){s[0], s[0], s[0], s[0]};
      second += factors * (avjob_four){s[1], s[1], s[1], s[1]};
      third += factors * (avjob_four){s[2], s[2], s[2], s[2]};
      fourth += factors * (avjob_four){s[3], s[3], s[3], s[3]};
    }
    const float *s = samples + at;
    most = avjob_larger(most, (avjob_four){s[0], s[1], s[2], s[3]});
    most = avjob_larger(avjob_larger(most, first), second);
    most = avjob_larger(avjob_larger(most, third), fourth);
  }
  for (; at < count; at++) {
    avjob_four sum = {0, 0, 0, 0};
    for (size_t tap = 0; tap < taps; tap++) {
      float s = samples[(ptrdiff_t)at - (ptrdiff_t)tap];
      const float *f = filter + 4 * tap;
      sum += (avjob_four){f[0], f[1], f[2], f[3]} * (avjob_four){s, s, s, s};
    }
    most = avjob_larger(avjob_larger(most, sum), (avjob_four){samples[at], 0, 0, 0});
  }
  float largest = most[0];
  for (int place = 1; place < 4; place++)
    if (most[place] > largest) largest = most[place];
  return largest;
}

typedef double avjob_two __attribute__((vector_size(16)));

// The sum of the squares of `count` samples; `peak` becomes the largest magnitude where that is more.
static inline double avjob_energy(const float *samples, size_t count, float *peak) {
  avjob_two low = {0, 0}, high = {0, 0};
  avjob_four most = {*peak, 0, 0, 0};
  size_t at = 0;
  for (; at + 4 <= count; at += 4) {
    avjob_four four = {samples[at], samples[at + 1], samples[at + 2], samples[at + 3]};
    avjob_two first = {four[0], four[1]}, second = {four[2], four[3]};
    low += first * first;
    high += second * second;
    most = avjob_larger(most, four);
  }
  double sum = (low[0] + high[0]) + (low[1] + high[1]);
  for (int place = 0; place < 4; place++)
    if (most[place] > *peak) *peak = most[place];
  for (; at < count; at++) {
    float sample = samples[at] < 0 ? -samples[at] : samples[at];
    sum += (double)sample * (double)sample;
    if (sample > *peak) *peak = sample;
  }
  return sum;
}

// The sum of `count` values.
static inline double avjob_sum(const double *values, size_t count) {
  avjob_two low = {0, 0}, high = {0, 0};
  size_t at = 0;
  for (; at + 4 <= count; at += 4) {
    low += (avjob_two){values[at], values[at + 1]};
    high += (avjob_two){values[at + 2], values[at + 3]};
  }
  double sum = (low[0] + high[0]) + (low[1] + high[1]);
  for (; at < count; at++) sum += values[at];
  return sum;
}
