// Has a program run by forkserver.c as though it ran here: its arguments, environment, working
// folder, standard input and outputs, limits, signals and end are this process's. The socket has
// the path of this program with `.socket` added.
//
// FORK_PATIENCE  the most seconds that the program may take: then it is killed, with status 124
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forkrequest.h"

// The program's process, 0 before it has begun.
static volatile sig_atomic_t process;

static int fail(const char *what) {
  perror(what);
  exit(127);
}

static int connected(void) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  ssize_t length = readlink("/proc/self/exe", name.sun_path, sizeof name.sun_path);
  if (length < 0 || length + sizeof ".socket" > sizeof name.sun_path) fail("the socket's path");
  strcpy(name.sun_path + length, ".socket");
  int server = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  // The server may not have come to its socket yet.
  for (int tries = 0; connect(server, (struct sockaddr *)&name, sizeof name) != 0; tries++) {
    if (errno != ENOENT || tries == 1000) fail(name.sun_path);
    usleep(10000);
  }
  return server;
}

static char *added(char *to, const char *const end, const void *bytes, size_t size) {
  if (size > (size_t)(end - to)) errno = E2BIG, fail("arguments and environment");
  memcpy(to, bytes, size);
  return to + size;
}

static void pass_on(int number) { kill(process, number); }

static void give_up(int number) {
  (void)number;
  _exit(124);
}

// What this process has and the program is to have. Signals that are not ignored are passed on from
// the time when they are unblocked.
static Request inherited(int count, sigset_t *passed) {
  Request request = {.count = count, .mask = umask(0)};
  for (int i = 0; i < RLIM_NLIMITS; i++) getrlimit(i, &request.limits[i]);
  sigemptyset(passed);
  for (int i = 1; i < 64; i++) {
    struct sigaction action;
    if (sigaction(i, NULL, &action) == 0 && action.sa_handler == SIG_IGN) {
      request.ignored |= UINT64_C(1) << i;
    }
  }
  const int each[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    if (request.ignored >> each[i] & 1) continue;
    signal(each[i], pass_on);
    sigaddset(passed, each[i]);
  }
  sigprocmask(SIG_BLOCK, passed, NULL);
  return request;
}

static void receive(int server, void *answer, size_t size) {
  ssize_t received;
  do received = recv(server, answer, size, 0);
  while (received < 0 && errno == EINTR);
  if (received != (ssize_t)size) fail("the server hung up");
}

int main(int count, char **arguments) {
  static char message_text[1 << 17];
  const char *const end = message_text + sizeof message_text;
  sigset_t passed;
  const Request request = inherited(count, &passed);
  char *filled = added(message_text, end, &request, sizeof request);
  for (char **each = arguments; *each; each++) {
    filled = added(filled, end, *each, strlen(*each) + 1);
  }
  for (char **each = environ; *each; each++) {
    if (strncmp(*each, "FORK_", 5) == 0) continue;
    filled = added(filled, end, *each, strlen(*each) + 1);
  }

  // What is closed here is /dev/null there.
  while (fcntl(0, F_GETFD) < 0 || fcntl(1, F_GETFD) < 0 || fcntl(2, F_GETFD) < 0) {
    if (open("/dev/null", O_RDWR) > 2) break;
  }
  const int given[DESCRIPTORS] = {0, 1, 2, open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)};
  char control[CMSG_SPACE(sizeof given)];
  struct iovec data = {message_text, filled - message_text};
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof given);
  memcpy(CMSG_DATA(header), given, sizeof given);
  int server = connected(), status = 0;
  pid_t begun;
  if (sendmsg(server, &message, 0) < 0) fail("sendmsg");
  receive(server, &begun, sizeof begun);
  process = begun;
  sigprocmask(SIG_UNBLOCK, &passed, NULL);
  const char *patience = getenv("FORK_PATIENCE");
  if (patience) {
    signal(SIGALRM, give_up);
    alarm(atoi(patience));
  }
  receive(server, &status, sizeof status);
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}
