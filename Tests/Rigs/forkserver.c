// Stops a program before its own constructors and its main, when all of its libraries are loaded,
// and lets a copy of the process run on for each request of forkclient.c: a start of ffmpeg then
// costs a fork instead of 170 libraries. Preloaded.
//
// FORK_SERVER  the path of the socket that requests come by
//
// A request is one message: descriptors 0, 1, 2 and the working folder; what forkrequest.h says;
// the arguments, and the environment, each ended by a NUL. The answers are the copy's number, and
// the status that wait(2) gave. Who hangs up before that ends the copy.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forkrequest.h"

typedef int (*Main)(int, char **, char **);
typedef int (*Start)(Main, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

enum { MOST_COPIES = 64 };
// What the loader gave, for the C library's own start of the program.
static struct {
  Main main;
  Start start;
  void (*initialize)(void), (*finish)(void), (*unload)(void);
  void *stack_end;
} program;
static sigset_t child_ends;
static struct {
  pid_t process;
  int client;
} copies[MOST_COPIES];
static int copy_count;

static int fail(const char *what) {
  perror(what);
  exit(127);
}

// Becomes the program that was asked for.
static _Noreturn void become(char *message, size_t size, const int *given) {
  Request request;
  memcpy(&request, message, sizeof request);
  // As the kernel gives them to a program: on the stack, the number of arguments, the arguments,
  // the environment, each ended by NULL, and the strings behind. Swift looks for its arguments
  // there.
  char strings[size], *all[size];
  memcpy(strings, message, size);
  long next = 0;
  all[next++] = (char *)(long)request.count;
  char **arguments = all + next;
  char *string = strings + sizeof request;
  for (; string < strings + size; string += strlen(string) + 1) {
    if (next == 1 + request.count) all[next++] = NULL;
    all[next++] = string;
  }
  if (next == 1 + request.count) all[next++] = NULL;
  all[next] = NULL;
  environ = arguments + request.count + 1;
  program_invocation_name = arguments[0];
  // Those that were given have higher numbers than the three that they become.
  for (int i = 0; i < 3; i++) dup2(given[i], i);
  if (fchdir(given[3]) != 0) fail("fchdir");
  close_range(3, ~0U, 0);
  umask(request.mask);
  for (int i = 0; i < RLIM_NLIMITS; i++) setrlimit(i, &request.limits[i]);
  for (int i = 1; i < 64; i++) {
    if (request.ignored >> i & 1) signal(i, SIG_IGN);
  }
  sigprocmask(SIG_UNBLOCK, &child_ends, NULL);
  exit(program.start(
      program.main, request.count, arguments, program.initialize, program.finish, program.unload,
      program.stack_end));
}

static void take(int client) {
  static char request[1 << 18];
  char control[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
  struct iovec data = {request, sizeof request};
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t size = recvmsg(client, &message, 0);
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (size <= 0 || !header || header->cmsg_len != CMSG_LEN(DESCRIPTORS * sizeof(int))) {
    close(client);
    return;
  }
  int given[DESCRIPTORS];
  memcpy(given, CMSG_DATA(header), sizeof given);
  pid_t process = fork();
  if (process == 0) become(request, size, given);
  for (int i = 0; i < DESCRIPTORS; i++) close(given[i]);
  if (process < 0) fail("fork");
  send(client, &process, sizeof process, MSG_NOSIGNAL);
  copies[copy_count].process = process;
  copies[copy_count++].client = client;
}

static void answer_ended(int signals) {
  struct signalfd_siginfo seen;
  if (read(signals, &seen, sizeof seen) < 0) fail("read");
  int status;
  pid_t process;
  while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
    int index = 0;
    while (copies[index].process != process) index++;
    send(copies[index].client, &status, sizeof status, MSG_NOSIGNAL);
    close(copies[index].client);
    copies[index] = copies[--copy_count];
  }
}

static _Noreturn void serve(const char *path) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  const int most = sizeof name.sun_path;
  if (snprintf(name.sun_path, most, "%s.new", path) >= most) fail("the socket's path");
  int entrance = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  if (bind(entrance, (struct sockaddr *)&name, sizeof name) != 0) fail("bind");
  if (listen(entrance, MOST_COPIES) != 0) fail("listen");
  // Who finds it is heard.
  if (rename(name.sun_path, path) != 0) fail("rename");
  sigemptyset(&child_ends);
  sigaddset(&child_ends, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_ends, NULL);
  int signals = signalfd(-1, &child_ends, 0);
  while (1) {
    struct pollfd watched[2 + MOST_COPIES] = {
        {.fd = signals, .events = POLLIN},
        {.fd = copy_count < MOST_COPIES ? entrance : -1, .events = POLLIN}};
    for (int i = 0; i < copy_count; i++) watched[2 + i].fd = copies[i].client;
    if (poll(watched, 2 + copy_count, -1) < 0) fail("poll");
    for (int i = 0; i < copy_count; i++) {
      if (watched[2 + i].revents & POLLHUP) kill(copies[i].process, SIGKILL);
    }
    if (watched[0].revents) answer_ended(signals);
    if (watched[1].revents) take(accept(entrance, NULL, NULL));
  }
}

int __libc_start_main(
    Main main, int count, char **arguments, void (*initialize)(void), void (*finish)(void),
    void (*unload)(void), void *stack_end) {
  Start start = (Start)dlsym(RTLD_NEXT, "__libc_start_main");
  const char *path = getenv("FORK_SERVER");
  if (!path) return start(main, count, arguments, initialize, finish, unload, stack_end);
  program = (typeof(program)){main, start, initialize, finish, unload, stack_end};
  serve(path);
}
