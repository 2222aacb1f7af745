// The functions of libfdk-aac that avjob calls, as its second binary interface has them (2.0.0, of
// 2018, and newer). They are declared here, not taken from the library's headers: most distributions
// do not have those in their free parts. The library is loaded when a job asks for its encoder, and
// not linked.
#pragma once
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

typedef struct AACENCODER avjob_fdk_encoder;

// What an encoder says of itself, once its settings are complete.
struct avjob_fdk_info {
  unsigned largest_packet;     // bytes
  unsigned largest_ancillary;  // bytes
  unsigned buffered;           // frames that wait for a whole packet
  unsigned channel_count;
  unsigned frame_length;  // frames of a packet
  unsigned delay;         // frames before the sound, with those of the decoder's band replication
  unsigned core_delay;    // frames before the sound, without them
  unsigned char configuration[64];  // AudioSpecificConfig (ISO 14496-3, 1.6.2.1)
  unsigned configuration_size;
};

struct avjob_fdk_buffers {
  int count;
  void **buffers;
  int *identifiers;
  int *sizes;          // bytes
  int *element_sizes;  // bytes
};

struct avjob_fdk_input {
  int sample_count;  // of all channels; -1 at the end
  int ancillary_count;
};

struct avjob_fdk_output {
  int byte_count;
  int sample_count;  // taken, of all channels
  int ancillary_count;
  int reservoir;
};

// A module of the library, in a list of `avjob_fdk_modules`.
struct avjob_fdk_module {
  const char *title;
  const char *date;
  const char *time;
  int id;
  int version;
  unsigned flags;
  char text[32];
};

struct avjob_fdk {
  int (*Open)(avjob_fdk_encoder **, unsigned modules, unsigned channels);
  int (*Close)(avjob_fdk_encoder **);
  int (*Encode)(avjob_fdk_encoder *, const struct avjob_fdk_buffers *in,
                const struct avjob_fdk_buffers *out, const struct avjob_fdk_input *,
                struct avjob_fdk_output *);
  int (*Info)(avjob_fdk_encoder *, struct avjob_fdk_info *);
  int (*GetLibInfo)(struct avjob_fdk_module *);
  int (*oder_SetParam)(avjob_fdk_encoder *, int parameter, unsigned value);
  unsigned (*oder_GetParam)(avjob_fdk_encoder *, int parameter);
};

// Numbers of settings, and some of their values.
static const long avjob_fdk_object_type = 0x0100;
static const long avjob_fdk_bit_rate = 0x0101;
static const long avjob_fdk_rate_mode = 0x0102;  // 0 is constant; 1 to 5 are qualities
static const long avjob_fdk_sample_rate = 0x0103;
static const long avjob_fdk_channel_mode = 0x0106;
static const long avjob_fdk_channel_order = 0x0107;
static const long avjob_fdk_wave_order = 1;
static const long avjob_fdk_afterburner = 0x0200;
static const long avjob_fdk_transport = 0x0300;
static const long avjob_fdk_raw = 0;  // packets without a frame around them
static const long avjob_fdk_signalling = 0x0302;
static const long avjob_fdk_compatible = 1;  // HE-AAC is named behind the core's own configuration

// States.
static const int avjob_fdk_no_memory = 0x21;
static const int avjob_fdk_eof = 0x80;  // the end of a stream, which is no error

static const int avjob_fdk_modules = 39;
static const int avjob_fdk_encoder_module = 4;

// Fills `table` from the library of a name (dlopen(3)). Gives 0 where the library is not there or
// lacks a function. Called by one thread.
static inline int avjob_load_fdk(const char *name, struct avjob_fdk *table) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
#define AVJOB_LOAD(field) \
  ((table->field = (__typeof__(table->field))dlsym(library, "aacEnc" #field)) != NULL)
  if (AVJOB_LOAD(Open) && AVJOB_LOAD(Close) && AVJOB_LOAD(Encode) && AVJOB_LOAD(Info) &&
      AVJOB_LOAD(GetLibInfo) && AVJOB_LOAD(oder_SetParam) &&
      AVJOB_LOAD(oder_GetParam))
    return 1;
#undef AVJOB_LOAD
  dlclose(library);
  return 0;
}

// Encodes `frame_count` frames of 16-bit samples side by side, of which `taken` receives how many
// were used; -1 flushes. `written` receives the bytes of a packet, or 0.
static inline int avjob_fdk_encode(const struct avjob_fdk *fdk, avjob_fdk_encoder *encoder,
                                   const int16_t *samples, int frame_count, int channel_count,
                                   unsigned char *bytes, int size, int *taken, int *written) {
  void *in_buffer = (void *)samples, *out_buffer = bytes;
  int in_identifier = 0, out_identifier = 3;  // sound, and packets
  int in_size = (frame_count < 0 ? 0 : frame_count) * channel_count * 2, in_element = 2;
  int out_element = 1;
  struct avjob_fdk_buffers in = {1, &in_buffer, &in_identifier, &in_size, &in_element};
  struct avjob_fdk_buffers out = {1, &out_buffer, &out_identifier, &size, &out_element};
  struct avjob_fdk_input input = {frame_count < 0 ? -1 : frame_count * channel_count, 0};
  struct avjob_fdk_output output;
  memset(&output, 0, sizeof(output));
  int status = fdk->Encode(encoder, &in, &out, &input, &output);
  *taken = output.sample_count / channel_count;
  *written = output.byte_count;
  return status;
}
