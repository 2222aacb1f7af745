// A sound card that is not there: an alsa-lib plugin (`type avpaced`) that plays or records at the
// pace of a clock, and fails when it is told to.
//
//   clang -O1 -fPIC -shared Tests/Rigs/paced.c -o paced.so -lasound
//
//   pcm_type.avpaced { lib "/absolute/path/of/paced.so" }
//   pcm.card {
//     type avpaced
//     speed 50             # as fast as a real one; default 1
//     stall yes            # waits where it would have an xrun, so that tests at speed hear all on a
//                          # busy machine, too; scripted xruns still come
//     file "in.raw"        # playback: gets every byte that was written to the device
//     loop yes             # capture: what is recorded; then silence, or all over again
//     heard "out.raw"      # playback: gets what was played, without what was dropped
//                          # capture: gets what was read
//     log "events"         # a line for each event: NAME NANOSECONDS CLOCK MOVED: CLOCK_MONOTONIC,
//                          # frames that the card played or recorded, frames that went over
//     xrun_at 48000        # at these counts of played or recorded frames; an xrun comes when all is
//     suspend_at 48000     # played, as if nobody had brought more in time
//     unplug_at 48000      # makes the file `unplugged`, if one is named
//     unplugged "path"     # the card is not there while this file exists (ENODEV)
//     dies_at 48000        # has an xrun then, and again whenever it is looked at, until it is closed:
//                          # PipeWire's plugin after its server has ended; opened again, it lives
//     hangs "path"         # while this file exists nothing moves, and a call that asks a server for
//                          # something waits: PulseAudio's plugin while its server is stopped
//     resume yes           # wakes up again after a suspend with its frames
//     pause yes            # can hold still
//     formats [ S16_LE ]   # what it offers; default FLOAT, S32, S24, S24_3 and S16
//     rates [ 44100 ]      # default 4000 to 384000
//     channels [ 1 2 ]     # default 1 to 32
//     map [ FL FR ]        # the places of its channels
//     hint { show on description "A card" }   # alsa-lib's own: to be listed
//   }
//
// Files grow. Where a card is opened again, the length of `heard` tells at which frame it goes on,
// so that each scripted event comes once.
//
// What a real card has and this does not show: a pointer that moves in steps of a DMA transfer, and
// is late to be seen; a FIFO behind the buffer, so that its delay is a little more; a crystal that
// is not the system's clock; old sound in the buffer, played again when nobody stops it; a resume
// that says EAGAIN until the hardware is awake; hardware that refuses a combination only when it is
// set; another program that has it already (EBUSY); the kernel's poll and its timers.
#define PIC  // alsa-lib's headers ask for it: a plugin that is loaded, not one that is linked in
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { XRUN, SUSPEND, UNPLUG, DIE, NOTHING };
typedef struct { unsigned values[64], count; } list;

typedef struct {
  snd_pcm_ioplug_t io;
  snd_pcm_ioplug_callback_t callbacks;
  double speed;
  int stall, loop, can_pause, can_resume;
  int file, heard, log, timer;
  char *unplugged, *hangs;
  long scripted[NOTHING];  // frames of `clock`; 0: never

  int64_t clock;     // frames that the card has played, or recorded
  int64_t moved;     // frames that went over; where the buffer is empty, the two are equal
  int64_t prepared;  // `clock` when alsa-lib's own count was zero
  int64_t started;   // the time at which `clock` was `base`, in nanoseconds
  int64_t base;
  int64_t flushed;   // frames that `heard` has got
  int runs, was_moved, is_gone, is_dead;
  size_t frame, avail_min;
  char *ring;        // the buffer of a playback card
  list formats, rates, channels, map;
} card;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int plays(const card *c) { return c->io.stream == SND_PCM_STREAM_PLAYBACK; }

static void put(int file, const void *bytes, size_t size) {
  if (file >= 0 && size && write(file, bytes, size) != (ssize_t)size) abort();
}

static void tell(card *c, const char *event) {
  char line[128];
  int length = snprintf(line, sizeof line, "%s %lld %lld %lld\n", event, (long long)now(),
                        (long long)c->clock, (long long)c->moved);
  put(c->log, line, length);
}

// ---- The clock ---------------------------------------------------------------------------------

static void run(card *c, int runs) {
  c->runs = runs;
  c->started = now();
  c->base = c->clock;
}

// Writes down what was played, out of the ring.
static void flush(card *c) {
  for (int64_t size = c->io.buffer_size, count; c->ring && c->flushed < c->clock;) {
    int64_t at = c->flushed % size, rest = c->clock - c->flushed;
    count = rest < size - at ? rest : size - at;
    put(c->heard, c->ring + at * c->frame, count * c->frame);
    c->flushed += count;
  }
}

static int is_gone(card *c) {
  return c->is_gone |= c->unplugged && access(c->unplugged, F_OK) == 0;
}

static int hangs(card *c) { return c->hangs && access(c->hangs, F_OK) == 0; }

// Asks the server.
static void ask(card *c) {
  while (hangs(c)) usleep(1000);
}

static void halt(card *c, snd_pcm_state_t state, const char *event) {
  run(c, 0);
  snd_pcm_ioplug_set_state(&c->io, state);
  tell(c, event);
}

// Lets the card play or record until now. Negative: an xrun.
static int advance(card *c) {
  if (is_gone(c) && c->io.state != SND_PCM_STATE_DISCONNECTED)
    halt(c, SND_PCM_STATE_DISCONNECTED, "unplug");
  if (c->is_dead) return -EPIPE;
  if (c->runs && hangs(c)) run(c, 1);
  if (!c->runs) return 0;
  int64_t limit = plays(c) ? c->moved : c->moved + (int64_t)c->io.buffer_size;
  int64_t next = c->base + (int64_t)((now() - c->started) * 1e-9 * c->io.rate * c->speed);
  if (next > limit) next = limit;
  int event = NOTHING;
  for (int i = 0; i < NOTHING; i++)
    if (c->scripted[i] > c->clock && c->scripted[i] <= next) next = c->scripted[event = i];
  int is_late = event == NOTHING && next == limit && c->io.state == SND_PCM_STATE_RUNNING;
  if (is_late && !c->stall) event = XRUN;
  if (event == XRUN) next = limit;
  if (next > c->clock) c->clock = next;
  if (is_late) run(c, 1);
  flush(c);
  if (event == UNPLUG) {
    c->is_gone = 1;
    if (c->unplugged) close(open(c->unplugged, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    halt(c, SND_PCM_STATE_DISCONNECTED, "unplug");
  }
  if (event == SUSPEND) halt(c, SND_PCM_STATE_SUSPENDED, "suspend");
  if (event == DIE) c->is_dead = 1;
  if (event == XRUN || event == DIE) halt(c, c->io.state, event == DIE ? "die" : "xrun");
  return event == XRUN || event == DIE ? -EPIPE : 0;
}

// ---- What alsa-lib calls -----------------------------------------------------------------------

static int on_start(snd_pcm_ioplug_t *io) {
  card *c = io->private_data;
  ask(c);
  run(c, 1);
  tell(c, "start");
  return 0;
}

static int on_stop(snd_pcm_ioplug_t *io) {
  card *c = io->private_data;
  ask(c);
  // Where it was when somebody looked last, so that what a drop loses can be told to the frame.
  int is_drained = io->state == SND_PCM_STATE_DRAINING && c->clock >= c->moved;
  tell(c, is_drained ? "drained" : "drop");
  run(c, 0);
  return 0;
}

static int on_prepare(snd_pcm_ioplug_t *io) {
  card *c = io->private_data;
  ask(c);
  if (is_gone(c)) return -ENODEV;
  // What was not played by now never will be, and what was not read is lost.
  c->moved = c->prepared = c->flushed = c->clock;
  c->was_moved = 0;
  run(c, 0);
  return 0;
}

static snd_pcm_sframes_t on_pointer(snd_pcm_ioplug_t *io) {
  card *c = io->private_data;
  int status = advance(c);
  return status < 0 ? status : c->clock - c->prepared;
}

static int on_pause(snd_pcm_ioplug_t *io, int pauses) {
  card *c = io->private_data;
  if (pauses) advance(c);
  run(c, !pauses);
  tell(c, pauses ? "pause" : "unpause");
  return 0;
}

// alsa-lib's own way through a drain forgets a suspend in it.
static int on_drain(snd_pcm_ioplug_t *io) {
  card *c = io->private_data;
  if (!c->runs && c->clock < c->moved) on_start(io);
  do advance(c);
  while (!io->nonblock && c->runs && c->clock < c->moved && !usleep(1000));
  if (io->state == SND_PCM_STATE_SUSPENDED) return -ESTRPIPE;
  if (io->state == SND_PCM_STATE_DISCONNECTED) return -ENODEV;
  return c->clock < c->moved ? -EAGAIN : 0;
}

static int on_resume(snd_pcm_ioplug_t *io) {
  card *c = io->private_data;
  if (!c->can_resume) return -ENOSYS;
  run(c, 1);
  snd_pcm_ioplug_set_state(io, SND_PCM_STATE_RUNNING);
  tell(c, "resume");
  return 0;
}

// Frames of the capture's file from `moved` on.
static void record(card *c, char *bytes, size_t size) {
  struct stat facts = {0};
  memset(bytes, 0, size);
  if (c->file < 0 || fstat(c->file, &facts) || facts.st_size == 0) return;
  off_t whole = facts.st_size - facts.st_size % (off_t)c->frame, at = c->moved * c->frame;
  while (size && whole && (c->loop || at < whole)) {
    size_t rest = whole - at % whole, count = size < rest ? size : rest;
    if (pread(c->file, bytes, count, at % whole) != (ssize_t)count) abort();
    bytes += count, size -= count, at += count;
  }
}

static snd_pcm_sframes_t on_transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas,
                                     snd_pcm_uframes_t offset, snd_pcm_uframes_t count) {
  card *c = io->private_data;
  if (io->state == SND_PCM_STATE_DISCONNECTED) return -ENODEV;
  char *bytes = (char *)areas->addr + (areas->first + areas->step * offset) / 8;
  if (plays(c)) {
    put(c->file, bytes, count * c->frame);
    for (size_t i = 0; i < count; i++)
      memcpy(c->ring + (c->moved + i) % io->buffer_size * c->frame, bytes + i * c->frame, c->frame);
  } else {
    record(c, bytes, count * c->frame);
    put(c->heard, bytes, count * c->frame);
  }
  c->moved += count;
  if (!c->was_moved++) tell(c, "transfer");
  return count;
}

static int on_hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *params) {
  card *c = io->private_data;
  (void)params;
  c->frame = snd_pcm_format_physical_width(io->format) / 8 * io->channels;
  free(c->ring);
  c->ring = plays(c) ? calloc(io->buffer_size, c->frame) : NULL;
  struct stat facts;
  if (c->heard >= 0 && !fstat(c->heard, &facts)) c->clock = facts.st_size / c->frame;
  if (c->clock) c->scripted[DIE] = 0;
  // A quarter of a period: somebody who waits is late by no more than that.
  int64_t tick = (int64_t)(io->period_size * 1e9 / io->rate / c->speed / 4);
  tick = tick < 100000 ? 100000 : tick > 10000000 ? 10000000 : tick;
  struct itimerspec timer = {{0, tick}, {0, tick}};
  return timerfd_settime(c->timer, 0, &timer, NULL) ? -errno : 0;
}

static int on_sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *params) {
  snd_pcm_uframes_t frames = 1;
  snd_pcm_sw_params_get_avail_min(params, &frames);
  ((card *)io->private_data)->avail_min = frames;
  return 0;
}

static int on_revents(snd_pcm_ioplug_t *io, struct pollfd *polled, unsigned count,
                      unsigned short *events) {
  card *c = io->private_data;
  (void)polled, (void)count;
  snd_pcm_sframes_t available = snd_pcm_avail_update(io->pcm);
  snd_pcm_state_t state = snd_pcm_state(io->pcm);
  *events = 0;
  if (available < 0 || state == SND_PCM_STATE_SUSPENDED || state == SND_PCM_STATE_DISCONNECTED)
    *events = POLLERR;
  else if (available >= (snd_pcm_sframes_t)c->avail_min)
    *events = plays(c) ? POLLOUT : POLLIN;
  // The timer stays due for somebody who comes back without having moved anything.
  uint64_t ticks;
  if (!*events && read(c->timer, &ticks, sizeof ticks) < 0 && errno != EAGAIN) return -errno;
  return 0;
}

static snd_pcm_chmap_t *on_get_chmap(snd_pcm_ioplug_t *io) {
  card *c = io->private_data;
  snd_pcm_chmap_t *map = calloc(1, sizeof *map + sizeof c->map.values);
  if (!map || c->map.count != io->channels) return free(map), NULL;
  map->channels = io->channels;
  memcpy(map->pos, c->map.values, sizeof c->map.values);
  return map;
}

static void forget(card *c) {
  int files[] = {c->file, c->heard, c->log, c->timer};
  for (int i = 0; i < 4; i++)
    if (files[i] >= 0) close(files[i]);
  free(c->ring);
  free(c->unplugged);
  free(c->hangs);
  free(c);
}

static int on_close(snd_pcm_ioplug_t *io) {
  card *c = io->private_data;
  ask(c);
  advance(c);
  tell(c, "close");
  forget(c);
  return 0;
}

// ---- Opening -----------------------------------------------------------------------------------

static int read_bool(snd_config_t *value) { return snd_config_get_bool(value) > 0; }
static char *read_text(snd_config_t *value) {
  const char *text;
  return snd_config_get_string(value, &text) < 0 ? NULL : strdup(text);
}

static int open_file(snd_config_t *value, int flags) {
  const char *path = NULL;
  if (snd_config_get_string(value, &path) < 0) return -1;
  return open(path, flags | O_CLOEXEC, 0600);
}

// A list of numbers, or of names that `number` knows.
static list read_list(snd_config_t *values, int (*number)(const char *)) {
  list result = {.count = 0};
  snd_config_iterator_t i, next;
  snd_config_for_each(i, next, values) {
    long value = 0;
    const char *name;
    snd_config_t *entry = snd_config_iterator_entry(i);
    if (!snd_config_get_string(entry, &name)) value = number(name);
    else snd_config_get_integer(entry, &value);
    if (result.count < 64) result.values[result.count++] = value;
  }
  return result;
}

static int format_number(const char *name) { return snd_pcm_format_value(name); }
static int position_number(const char *name) { return (int)snd_pcm_chmap_from_string(name); }

static void offer(card *c, int type, list values, unsigned least, unsigned most) {
  if (values.count) snd_pcm_ioplug_set_param_list(&c->io, type, values.count, values.values);
  else snd_pcm_ioplug_set_param_minmax(&c->io, type, least, most);
}

// Negative where the definition has a key that means nothing.
static int configure(card *c, snd_config_t *definition, int plays) {
  int to_file = O_WRONLY | O_CREAT | O_APPEND;
  snd_config_iterator_t i, next;
  snd_config_for_each(i, next, definition) {
    snd_config_t *value = snd_config_iterator_entry(i);
    const char *key;
    if (snd_config_get_id(value, &key) < 0) continue;
    if (!strcmp(key, "speed")) snd_config_get_ireal(value, &c->speed);
    else if (!strcmp(key, "stall")) c->stall = read_bool(value);
    else if (!strcmp(key, "loop")) c->loop = read_bool(value);
    else if (!strcmp(key, "pause")) c->can_pause = read_bool(value);
    else if (!strcmp(key, "resume")) c->can_resume = read_bool(value);
    else if (!strcmp(key, "file")) c->file = open_file(value, plays ? to_file : O_RDONLY);
    else if (!strcmp(key, "heard")) c->heard = open_file(value, to_file);
    else if (!strcmp(key, "log")) c->log = open_file(value, to_file);
    else if (!strcmp(key, "xrun_at")) snd_config_get_integer(value, &c->scripted[XRUN]);
    else if (!strcmp(key, "suspend_at")) snd_config_get_integer(value, &c->scripted[SUSPEND]);
    else if (!strcmp(key, "unplug_at")) snd_config_get_integer(value, &c->scripted[UNPLUG]);
    else if (!strcmp(key, "dies_at")) snd_config_get_integer(value, &c->scripted[DIE]);
    else if (!strcmp(key, "unplugged")) c->unplugged = read_text(value);
    else if (!strcmp(key, "hangs")) c->hangs = read_text(value);
    else if (!strcmp(key, "formats")) c->formats = read_list(value, format_number);
    else if (!strcmp(key, "rates")) c->rates = read_list(value, format_number);
    else if (!strcmp(key, "channels")) c->channels = read_list(value, format_number);
    else if (!strcmp(key, "map")) c->map = read_list(value, position_number);
    else if (strcmp(key, "type") && strcmp(key, "hint")) {
      SNDERR("avpaced knows no '%s'", key);
      return -EINVAL;
    }
  }
  return 0;
}

SND_PCM_PLUGIN_DEFINE_FUNC(avpaced) {
  (void)root;
  card *c = calloc(1, sizeof *c);
  if (!c) return -ENOMEM;
  c->speed = 1;
  c->file = c->heard = c->log = c->timer = -1;
  c->formats = (list){{SND_PCM_FORMAT_FLOAT, SND_PCM_FORMAT_S32, SND_PCM_FORMAT_S24,
                       SND_PCM_FORMAT_S24_3LE, SND_PCM_FORMAT_S16}, 5};
  // alsa-lib's converters want memory-mapped cards below them.
  list accesses = {{SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED}, 2};
  list none = {.count = 0};
  int status = configure(c, conf, stream == SND_PCM_STREAM_PLAYBACK);
  if (status < 0) return forget(c), status;
  if (is_gone(c)) return forget(c), -ENODEV;
  ask(c);
  c->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  c->callbacks = (snd_pcm_ioplug_callback_t){
      .start = on_start, .stop = on_stop, .pointer = on_pointer, .transfer = on_transfer,
      .close = on_close, .hw_params = on_hw_params, .sw_params = on_sw_params,
      .prepare = on_prepare, .drain = on_drain, .pause = c->can_pause ? on_pause : NULL,
      .resume = on_resume, .poll_revents = on_revents, .get_chmap = on_get_chmap};
  c->io = (snd_pcm_ioplug_t){
      .version = SND_PCM_IOPLUG_VERSION, .name = "A sound card that is not there",
      .flags = SND_PCM_IOPLUG_FLAG_MONOTONIC | SND_PCM_IOPLUG_FLAG_BOUNDARY_WA,
      .callback = &c->callbacks, .private_data = c, .poll_fd = c->timer, .poll_events = POLLIN};
  status = snd_pcm_ioplug_create(&c->io, name, stream, mode);
  if (status < 0) return forget(c), status;
  offer(c, SND_PCM_IOPLUG_HW_ACCESS, accesses, 0, 0);
  offer(c, SND_PCM_IOPLUG_HW_FORMAT, c->formats, 0, 0);
  offer(c, SND_PCM_IOPLUG_HW_RATE, c->rates, 4000, 384000);
  offer(c, SND_PCM_IOPLUG_HW_CHANNELS, c->channels, 1, 32);
  offer(c, SND_PCM_IOPLUG_HW_PERIOD_BYTES, none, 64, 1 << 20);
  offer(c, SND_PCM_IOPLUG_HW_PERIODS, none, 2, 1024);
  tell(c, "open");
  *pcmp = c->io.pcm;
  return 0;
}
SND_PCM_PLUGIN_SYMBOL(avpaced);
