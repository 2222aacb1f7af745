// A terminal that is being used without lines and echo, and how it is put back, also by a process that
// crashes: here, since what a signal's handler does may allocate and lock nothing (signal-safety(7)).
// (The importer takes over a function's own variables, and no others; each Swift file that used them
// would get some of its own: only `TerminalMode.swift` does.)
#pragma once
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

typedef struct {
  volatile sig_atomic_t has_mode, has_cursor;
  int input, output;
  struct termios mode;
  struct sigaction before[_NSIG];
} avjob_terminal;

static inline avjob_terminal *avjob_terminal_state(void) {
  static avjob_terminal state;
  return &state;
}

// Whether a signal ends a process that has not asked for it (signal(7)), and nobody else takes it.
static inline int avjob_terminal_ends(int number) {
  switch (number) {
    case SIGKILL: case SIGSTOP:  // which nobody can take
    case SIGTSTP: case SIGTTIN: case SIGTTOU:
    case SIGCONT: case SIGCHLD: case SIGURG: case SIGWINCH:
    case SIGINT: case SIGTERM: case SIGHUP:  // `SignalQueue`'s
    case SIGPIPE: case SIGXFSZ:  // ignored: writing fails
      return 0;
    default:
      // The first ones of real time are glibc's own.
      return number < __SIGRTMIN || number >= SIGRTMIN;
  }
}

static inline void avjob_terminal_put_back(void) {
  avjob_terminal *terminal = avjob_terminal_state();
  int code = errno;
  // In the background it is a shell's.
  int group = terminal->has_mode ? tcgetpgrp(terminal->input) : 0;
  if (terminal->has_mode && (group < 0 || group == getpgrp()))
    tcsetattr(terminal->input, TCSANOW, &terminal->mode);
  // DECTCEM: the cursor is shown; last, since a terminal that was stopped (Ctrl-S), or that nobody
  // reads, does not take it, and shall not keep the process: the descriptor does not wait.
  if (terminal->has_cursor && write(terminal->output, "\x1b[?25h", 6) != 6) errno = 0;
  terminal->has_mode = terminal->has_cursor = 0;
  errno = code;
}

static inline void avjob_terminal_rescue(int number) {
  avjob_terminal_put_back();
  // And then what would have happened without us.
  sigaction(number, &avjob_terminal_state()->before[number], NULL);
  raise(number);
}

static inline void avjob_terminal_arm(void) {
  // This thread's handler needs room where its stack has overflowed; threads of `Thread` have some.
  static char memory[1 << 15];
  stack_t before, stack = {.ss_sp = memory, .ss_size = sizeof memory};
  if (!sigaltstack(NULL, &before) && before.ss_flags & SS_DISABLE) sigaltstack(&stack, NULL);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = avjob_terminal_rescue;
  action.sa_flags = SA_ONSTACK;
  // Among them SIGTTOU, which would stop who puts a terminal back from the background.
  sigfillset(&action.sa_mask);
  for (int number = 1; number < _NSIG; number++)
    if (avjob_terminal_ends(number))
      sigaction(number, &action, &avjob_terminal_state()->before[number]);
}

static inline void avjob_terminal_disarm(void) {
  for (int number = 1; number < _NSIG; number++)
    if (avjob_terminal_ends(number))
      sigaction(number, &avjob_terminal_state()->before[number], NULL);
}

// Keys come one by one, and unseen, from `input`, and the cursor of `output` is hidden; -1: not.
static inline int avjob_terminal_take(int input, int output) {
  avjob_terminal *terminal = avjob_terminal_state();
  terminal->input = input;
  terminal->output = output;
  if (input >= 0) {
    if (tcgetattr(input, &terminal->mode)) return -1;
    struct termios mode = terminal->mode;
    mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    terminal->has_mode = 1;
    if (tcsetattr(input, TCSANOW, &mode)) {
      terminal->has_mode = 0;
      return -1;
    }
  }
  if (output >= 0) {
    terminal->has_cursor = 1;
    // One that was stopped keeps its cursor, and its keys are heard all the same.
    if (write(output, "\x1b[?25l", 6) < 0 && errno != EAGAIN) return -1;
  }
  return 0;
}
