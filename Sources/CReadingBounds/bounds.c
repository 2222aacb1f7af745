#define _GNU_SOURCE
#include "CReadingBounds.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// libavutil's and zlib's declarations (dict.h, mem.h, zlib.h), as far as they are needed: including
// theirs would give attributes to ours.
typedef struct AVDictionary AVDictionary;
typedef struct AVDictionaryEntry {
  char *key, *value;
} AVDictionaryEntry;
extern int av_dict_count(const AVDictionary *dictionary);
extern void av_free(void *memory);
enum { DONT_STRDUP_KEY = 4, DONT_STRDUP_VAL = 8, APPEND = 32, Z_BUF_ERROR = -5 };

static _Thread_local struct {
  int tags, chapters, refused_tags, refused_tables;
  // Bytes that looking for tags and lengthening them may pass, one by one.
  long passed;
  unsigned long inflated, tables;
} bounds;

void avjob_bound_reading(
    int tags, int chapters, long passed, unsigned long inflated, unsigned long tables) {
  bounds.tags = tags;
  bounds.chapters = chapters;
  bounds.refused_tags = bounds.refused_tables = 0;
  bounds.passed = passed;
  bounds.inflated = inflated;
  bounds.tables = tables;
}

int avjob_refused_tags(void) { return bounds.refused_tags; }
int avjob_refused_tables(void) { return bounds.refused_tables; }

// `NEXT(f)`: the library's function of this name (dlsym(3)).
#define NEXT(name)                                                                        \
  ({                                                                                      \
    static _Atomic(void *) known;                                                         \
    void *found = __atomic_load_n((void **)&known, __ATOMIC_RELAXED);                     \
    if (!found) {                                                                         \
      found = dlsym(RTLD_NEXT, #name);                                                    \
      __atomic_store_n((void **)&known, found, __ATOMIC_RELAXED);                         \
    }                                                                                     \
    (__typeof__(&name))found;                                                             \
  })

// Whether so many bytes may still be passed.
static int may_pass(size_t bytes) {
  if (bounds.passed < 0 || bytes > (size_t)bounds.passed) {
    bounds.passed = -1;
    return 0;
  }
  bounds.passed -= (long)bytes;
  return 1;
}

// A key is compared with each of the dictionary, at worst to its end.
AVDictionaryEntry *av_dict_get(
    const AVDictionary *dictionary, const char *key, const AVDictionaryEntry *last, int flags) {
  if (bounds.tags && *key && !may_pass(av_dict_count(dictionary) * (strlen(key) + 1))) return NULL;
  return NEXT(av_dict_get)(dictionary, key, last, flags);
}

// Whether a tag may be set beside others. What is appended copies the value that is there.
static int may_set(const AVDictionary *others, const char *key, const char *value, int flags) {
  if (av_dict_count(others) >= bounds.tags) return 0;
  if (!may_pass(av_dict_count(others) * (strlen(key) + 1))) return 0;
  if (!(flags & APPEND)) return 1;
  AVDictionaryEntry *known = NEXT(av_dict_get)(others, key, NULL, flags);
  return !known || may_pass(strlen(known->value) + strlen(value));
}

int av_dict_set(AVDictionary **dictionary, const char *key, const char *value, int flags) {
  if (bounds.tags && *dictionary && value && !may_set(*dictionary, key, value, flags)) {
    bounds.refused_tags++;
    if (flags & DONT_STRDUP_KEY) av_free((void *)key);
    if (flags & DONT_STRDUP_VAL) av_free((void *)value);
    // An error would end the reading of some formats, and what is left out is no damage.
    return 0;
  }
  return NEXT(av_dict_set)(dictionary, key, value, flags);
}

// Chapters and programs: of each new one, its number is looked for among the others.
int av_dynarray_add_nofree(void *array, int *count, void *element) {
  if (bounds.tags && *count >= bounds.chapters) {
    bounds.refused_tags++;
    return -ENOMEM;
  }
  return NEXT(av_dynarray_add_nofree)(array, count, element);
}

int uncompress(
    unsigned char *target, unsigned long *size, const unsigned char *source, unsigned long length) {
  if (bounds.tags) {
    if (*size > bounds.inflated) {
      bounds.refused_tags++;
      return Z_BUF_ERROR;
    }
    bounds.inflated -= *size;
  }
  return NEXT(uncompress)(target, size, source, length);
}

int avjob_inflate(
    unsigned char *target, unsigned long *size, const unsigned char *source, unsigned long length) {
  __typeof__(&uncompress) next = NEXT(uncompress);
  return next ? next(target, size, source, length) : Z_BUF_ERROR;
}

// A refused array is one whose size overflows, which each of the functions reports in its own way.
static size_t granted(size_t count, size_t size) {
  enum { large = 1 << 20 };
  size_t bytes;
  if (!bounds.tags || __builtin_mul_overflow(count, size, &bytes) || bytes < large) return count;
  if (bytes > bounds.tables) {
    bounds.refused_tables++;
    return SIZE_MAX;
  }
  bounds.tables -= bytes;
  return count;
}

void *av_malloc_array(size_t count, size_t size) {
  return NEXT(av_malloc_array)(granted(count, size), size);
}

void *av_calloc(size_t count, size_t size) { return NEXT(av_calloc)(granted(count, size), size); }

void *av_realloc_array(void *memory, size_t count, size_t size) {
  return NEXT(av_realloc_array)(memory, granted(count, size), size);
}

int av_reallocp_array(void *memory, size_t count, size_t size) {
  return NEXT(av_reallocp_array)(memory, granted(count, size), size);
}

void *av_fast_realloc(void *memory, unsigned int *size, size_t least) {
  if (least > *size && granted(least, 1) != least) {
    *size = 0;
    return NULL;
  }
  return NEXT(av_fast_realloc)(memory, size, least);
}
