// What a copy of a loaded program takes over from the process that asked for it, besides its
// descriptors, working folder, arguments and environment.
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

enum { DESCRIPTORS = 4 };

typedef struct {
  int count;  // of arguments
  mode_t mask;
  uint64_t ignored;  // a bit for each signal
  struct rlimit limits[RLIM_NLIMITS];
} Request;
