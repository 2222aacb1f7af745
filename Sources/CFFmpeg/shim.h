// What Swift's importer cannot see of FFmpeg: macros with casts, and variadic functions.
#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>

static inline int avjob_averror(int posix) { return AVERROR(posix); }
static inline int avjob_averror_eof(void) { return AVERROR_EOF; }
static inline int avjob_averror_invaliddata(void) { return AVERROR_INVALIDDATA; }
static inline int avjob_averror_exit(void) { return AVERROR_EXIT; }
static inline int64_t avjob_nopts(void) { return AV_NOPTS_VALUE; }
