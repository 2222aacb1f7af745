// What Swift's importer hides of glibc: functions that <sched.h> and <pthread.h> declare only
// under _GNU_SOURCE. Declared under names of our own, so that they meet no other declaration.
#pragma once

// sched_getaffinity(2)
int avjob_sched_getaffinity(int pid, unsigned long size, void *mask) __asm__("sched_getaffinity");
// pthread_setname_np(3)
int avjob_pthread_setname(unsigned long thread, const char *name) __asm__("pthread_setname_np");
// pipe2(2)
int avjob_pipe2(int *ends, int flags) __asm__("pipe2");
// prctl(2), which is variadic; all of its arguments are words.
int avjob_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
    __asm__("prctl");
// eventfd(2), whose header Swift's Glibc leaves out
int avjob_eventfd(unsigned int count, int flags) __asm__("eventfd");
// signalfd(2)
int avjob_signalfd(int descriptor, const void *signals, int flags) __asm__("signalfd");
