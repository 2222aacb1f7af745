// Preloaded into a process, resolves names below ".rig" as a stranger's DNS may: loopback.rig to
// 127.0.0.1 and metadata.rig to 169.254.169.254. With RIG_NO_SOCKETS in the environment, the process
// has no descriptor left for a TCP socket.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **found) {
  static int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
  if (name && !strcmp(name, "loopback.rig")) name = "127.0.0.1";
  if (name && !strcmp(name, "metadata.rig")) name = "169.254.169.254";
  return real(name, service, hints, found);
}

int socket(int family, int type, int protocol) {
  static int (*real)(int, int, int);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "socket");
  int is_tcp = (family == AF_INET || family == AF_INET6) && (type & 0xF) == SOCK_STREAM;
  if (is_tcp && getenv("RIG_NO_SOCKETS")) {
    errno = EMFILE;
    return -1;
  }
  return real(family, type, protocol);
}
