// What Swift's importer cannot see of FFmpeg: macros with casts, and variadic functions.
#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/base64.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>

static inline int avjob_averror(int posix) { return AVERROR(posix); }
static inline int avjob_averror_eof(void) { return AVERROR_EOF; }
static inline int avjob_averror_invaliddata(void) { return AVERROR_INVALIDDATA; }
static inline int avjob_averror_input_changed(void) { return AVERROR_INPUT_CHANGED; }
static inline int64_t avjob_nopts(void) { return AV_NOPTS_VALUE; }

static inline int avjob_averror_eagain(void) { return AVERROR(EAGAIN); }

// How many samples the demuxer asks to drop at a packet's start and end
// (AV_PKT_DATA_SKIP_SAMPLES: two little-endian 32-bit counts, then two bytes of reason).
static inline int avjob_packet_skip(const AVPacket *packet, uint32_t *start, uint32_t *end) {
  size_t size = 0;
  const uint8_t *data = av_packet_get_side_data(packet, AV_PKT_DATA_SKIP_SAMPLES, &size);
  if (!data || size < 10) return 0;
  *start = data[0] | data[1] << 8 | data[2] << 16 | (uint32_t)data[3] << 24;
  *end = data[4] | data[5] << 8 | data[6] << 16 | (uint32_t)data[7] << 24;
  return 1;
}

// The native mask of a layout, 0 where its channels have no places.
static inline uint64_t avjob_layout_mask(const AVChannelLayout *layout) {
  return layout->order == AV_CHANNEL_ORDER_NATIVE ? layout->u.mask : 0;
}

static inline int avjob_averror_decoder_not_found(void) { return AVERROR_DECODER_NOT_FOUND; }

// One layout on both sides: swr must convert samples, never mix channels.
static inline int avjob_swr_alloc(struct SwrContext **context, int channels, int input_rate,
                                  enum AVSampleFormat input_format, int output_rate) {
  AVChannelLayout layout;
  av_channel_layout_default(&layout, channels);
  return swr_alloc_set_opts2(context, &layout, AV_SAMPLE_FMT_FLTP, output_rate, &layout,
                             input_format, input_rate, 0, NULL);
}

static inline int avjob_averror_encoder_not_found(void) { return AVERROR_ENCODER_NOT_FOUND; }
static inline int avjob_averror_option_not_found(void) { return AVERROR_OPTION_NOT_FOUND; }
