// Stops a program before its main, when all of its libraries are loaded, and lets a copy of the
// process run on for each request of forkclient.c: a start of ffmpeg then costs a fork instead of
// 170 libraries. Preloaded.
//
// FORK_SERVER  the path of the socket that requests come by
//
// A request is one message: descriptors 0, 1, 2 and the working folder; the number of arguments,
// the arguments, and the environment, each ended by a NUL. The answer is the status that wait(2)
// gave. Who hangs up before that ends the copy.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int (*Main)(int, char **, char **);

enum { DESCRIPTORS = 4, MOST_COPIES = 64 };
static Main program;
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

// The rest of a request as an array of its strings, ended by NULL.
static char **strings(char **from, const char *end, int most) {
  int count = 0;
  char **all = NULL;
  while (*from < end && count < most) {
    all = realloc(all, (count + 2) * sizeof *all);
    all[count++] = *from;
    *from += strlen(*from) + 1;
  }
  if (!all) all = calloc(1, sizeof *all);
  all[count] = NULL;
  return all;
}

// Becomes the program that was asked for.
static _Noreturn void become(char *request, size_t size, const int *given) {
  int count;
  memcpy(&count, request, sizeof count);
  char *text = request + sizeof count, *end = request + size;
  char **arguments = strings(&text, end, count);
  environ = strings(&text, end, 1 << 20);
  // Those that were given have higher numbers than the three that they become.
  for (int i = 0; i < 3; i++) dup2(given[i], i);
  if (fchdir(given[3]) != 0) fail("fchdir");
  close_range(3, ~0U, 0);
  sigprocmask(SIG_UNBLOCK, &child_ends, NULL);
  exit(program(count, arguments, environ));
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

static int serve(int count, char **arguments, char **environment) {
  const char *path = getenv("FORK_SERVER");
  if (!path) return program(count, arguments, environment);
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
    Main main, int count, char **arguments, void (*start)(void), void (*finish)(void),
    void (*loaderFinish)(void), void *stackEnd) {
  int (*real)(Main, int, char **, void (*)(void), void (*)(void), void (*)(void), void *) =
      dlsym(RTLD_NEXT, "__libc_start_main");
  program = main;
  return real(serve, count, arguments, start, finish, loaderFinish, stackEnd);
}
