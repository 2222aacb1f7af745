// What Swift's importer cannot see of FFmpeg: macros with casts, and variadic functions.
#pragma once
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <libavcodec/ac3_parser.h>
#include <libavcodec/avcodec.h>
#include <libavcodec/vorbis_parser.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/base64.h>
#include <libavutil/channel_layout.h>
#include <libavutil/cpu.h>
#include <libavutil/crc.h>
#include <libavutil/dict.h>
#include <libavutil/display.h>
#include <libavutil/error.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/md5.h>
#include <libavutil/murmur3.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libavutil/sha.h>
#include <libswresample/swresample.h>
#include <string.h>

static inline int avjob_averror(int posix) { return AVERROR(posix); }
static inline int avjob_averror_eof(void) { return AVERROR_EOF; }
static inline int avjob_averror_invaliddata(void) { return AVERROR_INVALIDDATA; }
static inline int avjob_averror_input_changed(void) { return AVERROR_INPUT_CHANGED; }
static inline int64_t avjob_nopts(void) { return AV_NOPTS_VALUE; }

static inline int avjob_averror_eagain(void) { return AVERROR(EAGAIN); }

// The frames by which packets of Opus are later in Matroska than they are heard: a block's time is that of
// the sound before it is delayed (RFC 9559, 5.1.4.1.25). Since libavformat 59.31 the muxer adds them.
static inline int64_t avjob_matroska_lead(const AVCodecParameters *parameters) {
#if LIBAVFORMAT_VERSION_INT < AV_VERSION_INT(59, 31, 100)
  return parameters->codec_id == AV_CODEC_ID_OPUS ? parameters->initial_padding : 0;
#else
  return 0;
#endif
}

// avio_alloc_context for an output. What it writes is const since libavformat 61.
static inline AVIOContext *avjob_alloc_output(uint8_t *buffer, int size, void *opaque,
                                              int (*write)(void *, const uint8_t *, int),
                                              int64_t (*seek)(void *, int64_t, int)) {
#if LIBAVFORMAT_VERSION_MAJOR < 61
  int (*write_packet)(void *, uint8_t *, int) = (int (*)(void *, uint8_t *, int))write;
#else
  int (*write_packet)(void *, const uint8_t *, int) = write;
#endif
  return avio_alloc_context(buffer, size, 1, opaque, NULL, write_packet, seek);
}

// Makes an output's stream like one of an input, for packets that are copied. Side data, such as the
// matrix by which a picture is turned, are the parameters' since libavformat 61. The shape of pixels that
// the container has stands in the stream, and MP4's muxer takes that of the parameters (`pasp`).
//
// Without `keeps_dolby_vision` the record of Dolby Vision (`dvcC`, `dvvC`) is left out.
static inline int avjob_copy_stream(AVStream *to, const AVStream *from, const AVOutputFormat *format,
                                    int keeps_dolby_vision) {
  int status = avcodec_parameters_copy(to->codecpar, from->codecpar);
  if (status < 0) return status;
  unsigned int tag = 0;
  if (format->codec_tag && av_codec_get_id(format->codec_tag, from->codecpar->codec_tag) !=
                               from->codecpar->codec_id)
    to->codecpar->codec_tag =
        av_codec_get_tag2(format->codec_tag, from->codecpar->codec_id, &tag) ? tag : 0;
#if LIBAVFORMAT_VERSION_MAJOR < 61
  for (int i = 0; i < from->nb_side_data; i++) {
    if (from->side_data[i].type == AV_PKT_DATA_DOVI_CONF && !keeps_dolby_vision) continue;
    uint8_t *data =
        av_stream_new_side_data(to, from->side_data[i].type, from->side_data[i].size);
    if (!data) return AVERROR(ENOMEM);
    memcpy(data, from->side_data[i].data, from->side_data[i].size);
  }
#endif
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 100)
  if (!keeps_dolby_vision)
    av_packet_side_data_remove(to->codecpar->coded_side_data, &to->codecpar->nb_coded_side_data,
                               AV_PKT_DATA_DOVI_CONF);
#endif
  to->time_base = from->time_base;
  to->avg_frame_rate = from->avg_frame_rate;
  to->r_frame_rate = from->r_frame_rate;
  to->sample_aspect_ratio = from->sample_aspect_ratio;
  if (from->sample_aspect_ratio.num)
    to->codecpar->sample_aspect_ratio = from->sample_aspect_ratio;
  to->disposition = from->disposition;
  to->start_time = from->start_time;
  to->duration = from->duration;
  return av_dict_copy(&to->metadata, from->metadata, 0);
}

// What a stream has of one kind beside its packets, and how many bytes; NULL where it has none. Side data are
// the parameters' since libavcodec 60.30.
static inline const uint8_t *avjob_stream_side_data(const AVStream *stream,
                                                    enum AVPacketSideDataType type, size_t *size) {
#if LIBAVCODEC_VERSION_INT < AV_VERSION_INT(60, 30, 100)
  return av_stream_get_side_data(stream, type, size);
#else
  const AVPacketSideData *side = av_packet_side_data_get(
      stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, type);
  *size = side ? side->size : 0;
  return side ? side->data : NULL;
#endif
}

// Gives an output's stream a copy of such data.
static inline int avjob_add_stream_side_data(AVStream *stream, enum AVPacketSideDataType type,
                                             const uint8_t *data, size_t size) {
#if LIBAVCODEC_VERSION_INT < AV_VERSION_INT(60, 30, 100)
  uint8_t *own = av_stream_new_side_data(stream, type, size);
#else
  AVPacketSideData *side =
      av_packet_side_data_new(&stream->codecpar->coded_side_data,
                              &stream->codecpar->nb_coded_side_data, type, size, 0);
  uint8_t *own = side ? side->data : NULL;
#endif
  if (!own) return AVERROR(ENOMEM);
  memcpy(own, data, size);
  return 0;
}

// The matrix by which a stream's pictures are shown; NULL where it has none.
static inline const int32_t *avjob_display_matrix(const AVStream *stream) {
  size_t size = 0;
  const uint8_t *data = avjob_stream_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
  return data && size >= 9 * sizeof(int32_t) ? (const int32_t *)data : NULL;
}

// Whether a stream's pictures have a record of Dolby Vision.
static inline int avjob_has_dolby_vision(const AVStream *stream) {
  size_t size = 0;
  return avjob_stream_side_data(stream, AV_PKT_DATA_DOVI_CONF, &size) != NULL;
}

// Whether this FFmpeg reads and writes what containers hide of pictures (`clap`, `PixelCrop…`), and has it
// of a stream: since 7.1.
static inline int avjob_has_cropping(const AVStream *stream) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 19, 100)
  size_t size = 0;
  return avjob_stream_side_data(stream, AV_PKT_DATA_FRAME_CROPPING, &size) != NULL;
#else
  return 0;
#endif
}

// Whether an encoder takes pictures of a format; so it does where it says of none what it takes.
static inline int avjob_takes_format(const AVCodec *encoder, enum AVPixelFormat format) {
#if LIBAVCODEC_VERSION_INT < AV_VERSION_INT(61, 13, 100)
  const enum AVPixelFormat *formats = encoder->pix_fmts;
#else
  const void *list = NULL;
  if (avcodec_get_supported_config(NULL, encoder, AV_CODEC_CONFIG_PIX_FORMAT, 0, &list, NULL) < 0)
    return 1;
  const enum AVPixelFormat *formats = list;
#endif
  if (!formats) return 1;
  for (; *formats != AV_PIX_FMT_NONE; formats++)
    if (*formats == format) return 1;
  return 0;
}

// By how many degrees a stream's pictures are turned counterclockwise when they are shown; 0 where it has
// no matrix.
static inline double avjob_rotation(const AVStream *stream) {
  const int32_t *matrix = avjob_display_matrix(stream);
  double angle = matrix ? av_display_rotation_get(matrix) : 0;
  return angle == angle ? angle : 0;
}

// Whether a stream's matrix shows its pictures mirrored: av_display_rotation_get takes that for a turn.
static inline int avjob_is_mirrored(const AVStream *stream) {
  const int32_t *matrix = avjob_display_matrix(stream);
  return matrix && (int64_t)(matrix[0] / 2) * matrix[4] < (int64_t)(matrix[1] / 2) * matrix[3];
}

// Takes away how long a decoded picture was shown (AVFrame.duration, since libavutil 57.30).
static inline void avjob_forget_duration(AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
  frame->duration = 0;
#else
  frame->pkt_duration = 0;
#endif
}

// Which field of a decoded picture is shown first: 1 the upper one, 2 the lower one; 0 where both are of
// one moment (AV_FRAME_FLAG_INTERLACED, since libavutil 58.7).
static inline int avjob_first_field(const AVFrame *frame) {
#ifdef AV_FRAME_FLAG_INTERLACED
  int is_interlaced = frame->flags & AV_FRAME_FLAG_INTERLACED;
  int is_top_first = frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST;
#else
  int is_interlaced = frame->interlaced_frame, is_top_first = frame->top_field_first;
#endif
  return !is_interlaced ? 0 : is_top_first ? 1 : 2;
}

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

// libavfilter, loaded by the first filter and not linked: it would cost each start some 15 ms, for
// the libraries that it brings with it. The types of its functions are those of its headers.
struct avjob_avfilter {
  __typeof__(&avfilter_graph_alloc) graph_alloc;
  __typeof__(&avfilter_graph_free) graph_free;
  __typeof__(&avfilter_graph_alloc_filter) graph_alloc_filter;
  __typeof__(&avfilter_graph_config) graph_config;
  __typeof__(&avfilter_get_by_name) get_by_name;
  __typeof__(&avfilter_init_dict) init_dict;
  __typeof__(&avfilter_init_str) init_str;
  __typeof__(&avfilter_link) link;
  __typeof__(&av_buffersrc_add_frame) buffersrc_add_frame;
  __typeof__(&av_buffersink_get_frame) buffersink_get_frame;
};

static inline const char *avjob_avfilter_name(void) {
  return "libavfilter.so." AV_STRINGIFY(LIBAVFILTER_VERSION_MAJOR);
}

// Whether the library that the headers belong to is there, and has every function of `table`.
static inline int avjob_load_avfilter(struct avjob_avfilter *table) {
  void *library = dlopen(avjob_avfilter_name(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
#define AVJOB_LOAD(field, name) (table->field = (__typeof__(&name))dlsym(library, #name))
  return AVJOB_LOAD(graph_alloc, avfilter_graph_alloc) &&
         AVJOB_LOAD(graph_free, avfilter_graph_free) &&
         AVJOB_LOAD(graph_alloc_filter, avfilter_graph_alloc_filter) &&
         AVJOB_LOAD(graph_config, avfilter_graph_config) &&
         AVJOB_LOAD(get_by_name, avfilter_get_by_name) &&
         AVJOB_LOAD(init_dict, avfilter_init_dict) &&
         AVJOB_LOAD(init_str, avfilter_init_str) && AVJOB_LOAD(link, avfilter_link) &&
         AVJOB_LOAD(buffersrc_add_frame, av_buffersrc_add_frame) &&
         AVJOB_LOAD(buffersink_get_frame, av_buffersink_get_frame);
#undef AVJOB_LOAD
}

// Whether all links of a configured graph have one rate and one number of channels.
static inline int avjob_keeps_format(const AVFilterGraph *graph, int rate, int channels) {
  for (unsigned i = 0; i < graph->nb_filters; i++)
    for (unsigned j = 0; j < graph->filters[i]->nb_outputs; j++) {
      const AVFilterLink *link = graph->filters[i]->outputs[j];
      if (!link || link->sample_rate != rate || link->ch_layout.nb_channels != channels) return 0;
    }
  return 1;
}

// Whether a filter has an option: later versions have more.
static inline int avjob_has_option(const AVFilter *filter, const char *name) {
  const AVClass *options = filter->priv_class;
  return options && av_opt_find(&options, name, NULL, 0, AV_OPT_SEARCH_FAKE_OBJ);
}

static inline int avjob_averror_filter_not_found(void) { return AVERROR_FILTER_NOT_FOUND; }

// Room for a block of planar float with FFmpeg's usual places for so many channels.
static inline int avjob_allocate_float_frame(AVFrame *frame, int channels, int rate, int count) {
  frame->format = AV_SAMPLE_FMT_FLTP;
  frame->sample_rate = rate;
  frame->nb_samples = count;
  av_channel_layout_default(&frame->ch_layout, channels);
  return av_frame_get_buffer(frame, 0);
}

// Writes the name of FFmpeg's usual layout of so many channels.
static inline int avjob_default_layout_name(int channels, char *name, size_t size) {
  AVChannelLayout layout;
  av_channel_layout_default(&layout, channels);
  return av_channel_layout_describe(&layout, name, size);
}

// What a library says of itself: the text that `function`, which takes nothing, gives; NULL where no
// library that is linked has it.
static inline const char *avjob_library_text(const char *function) {
  const char *(*tell)(void) = (const char *(*)(void))dlsym(NULL, function);
  return tell ? tell() : NULL;
}

// The first bytes of the build ID (ld(1), --build-id; elf(5), NT_GNU_BUILD_ID) of a library that is
// loaded, by its name such as libopus.so.0. Gives how many there are: 0 where it is not loaded or has
// none. Reads memory only.
static inline size_t avjob_build_id(const char *name, uint8_t *id, size_t size) {
  // RTLD_NOLOAD; glibc's handle is the library's entry in its list (<link.h>).
  void *handle = dlopen(name, RTLD_LAZY | 4);
  if (!handle) return 0;
  const uint8_t *base = (const uint8_t *)((struct link_map *)handle)->l_addr;
  const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)base;
  size_t count = 0;
  if (base && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0) {
    const ElfW(Phdr) *part = (const ElfW(Phdr) *)(base + head->e_phoff);
    for (int i = 0; i < head->e_phnum && !count; i++) {
      if (part[i].p_type != PT_NOTE) continue;
      const uint8_t *at = base + part[i].p_vaddr, *end = at + part[i].p_memsz;
      while (at + sizeof(ElfW(Nhdr)) <= end && !count) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
        const uint8_t *text = at + sizeof *note, *content = text + (note->n_namesz + 3) / 4 * 4;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(text, "GNU", 4)) {
          count = note->n_descsz < size ? note->n_descsz : size;
          memcpy(id, content, count);
        }
        at = content + (note->n_descsz + 3) / 4 * 4;
      }
    }
  }
  dlclose(handle);
  return count;
}
