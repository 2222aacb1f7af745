// Has a program run by forkserver.c as though it ran here: its arguments, environment, working
// folder, standard input and outputs, and its end are this process's. The socket has the path of
// this program with `.socket` added.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DESCRIPTORS = 4 };

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

int main(int count, char **arguments) {
  static char request[1 << 17];
  const char *const end = request + sizeof request;
  char *filled = added(request, end, &count, sizeof count);
  for (char **each = arguments; *each; each++) {
    filled = added(filled, end, *each, strlen(*each) + 1);
  }
  for (char **each = environ; *each; each++) filled = added(filled, end, *each, strlen(*each) + 1);

  // What is closed here is /dev/null there.
  while (fcntl(0, F_GETFD) < 0 || fcntl(1, F_GETFD) < 0 || fcntl(2, F_GETFD) < 0) {
    if (open("/dev/null", O_RDWR) > 2) break;
  }
  const int given[DESCRIPTORS] = {0, 1, 2, open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)};
  char control[CMSG_SPACE(sizeof given)];
  struct iovec data = {request, filled - request};
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof given);
  memcpy(CMSG_DATA(header), given, sizeof given);
  int server = connected(), status = 0;
  if (sendmsg(server, &message, 0) < 0) fail("sendmsg");
  if (recv(server, &status, sizeof status, 0) != sizeof status) fail("the server hung up");
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}
