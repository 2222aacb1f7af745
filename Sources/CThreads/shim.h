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
// memfd_create(2)
int avjob_memfd_create(const char *name, unsigned int flags) __asm__("memfd_create");
// eventfd(2), whose header Swift's Glibc leaves out
int avjob_eventfd(unsigned int count, int flags) __asm__("eventfd");
// mallopt(3), whose header Swift's Glibc leaves out
int avjob_mallopt(int parameter, int value) __asm__("mallopt");
// signalfd(2)
int avjob_signalfd(int descriptor, const void *signals, int flags) __asm__("signalfd");

// stack_t of <signal.h>, which would bring pid_t with it, as a type of this module's.
typedef struct {
  void *start;
  int flags;
  unsigned long size;
} avjob_stack;
// sigaltstack(2)
int avjob_sigaltstack(const avjob_stack *stack, avjob_stack *before) __asm__("sigaltstack");

// Runs a thread's work with room for handlers of signals beside its stack, so that they run also where
// that has overflowed (SA_ONSTACK): at the near end of the stack, which an overflow does not reach.
// Where somebody has seen to that already, as sanitizers do, nothing is done.
enum { avjob_signal_stack_size = 1 << 15 };
static inline void avjob_with_signal_stack(void (*work)(void *), void *argument) {
  enum { disabled = 2 };  // SS_DISABLE
  char memory[avjob_signal_stack_size];
  avjob_stack before = {0, 0, 0}, stack = {memory, 0, sizeof memory};
  int is_ours = !avjob_sigaltstack(0, &before) && before.flags & disabled;
  if (is_ours) avjob_sigaltstack(&stack, 0);
  work(argument);
  if (is_ours) avjob_sigaltstack(&before, 0);
}

// Where the kernel has put argc, argv and the environment of this process (System V ABI, "Initial
// Stack and Register State"); of glibc's dynamic linker. In a program without one it is a word off.
extern void *avjob_stack_end __asm__("__libc_stack_end");
// getauxval(3), whose header Swift's Glibc leaves out
unsigned long avjob_getauxval(unsigned long type) __asm__("getauxval");
// argv[0], of <errno.h> under _GNU_SOURCE
extern char *avjob_invocation_name __asm__("program_invocation_name");

// argv of this process, and with it argc, found without /proc; null where they are not where they
// should be. To be called before anything changes the words of the command line.
static inline char **avjob_arguments(int *count) {
  enum { most = 1 << 24 };
  long *start = (long *)avjob_stack_end;
  if (!start) return 0;
  for (int offset = 0; offset < 2; offset++) {
    char **words = (char **)(start + offset + 1);
    long argc = start[offset];
    if (argc < 1 || argc > most || words[0] != avjob_invocation_name || words[argc]) continue;
    *count = (int)argc;
    return words;
  }
  return 0;
}
