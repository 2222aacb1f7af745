// Bounds on what libavformat makes of a file: how many tags and chapters, how many bytes of inflated
// tags, and how large tables. libavformat has no option for them: its dictionaries and its chapters
// take time that grows with the square of their entries, a tag that is given again copies what was
// there, a frame of ID3v2 inflates to a thousand times its size, and eight bytes of
// an MP4 announce an index of gigabytes.
//
// The functions of libavutil and zlib that libavformat calls for these are defined here once more, and
// the dynamic linker prefers the program's own. Each calls the library's, unless a bound is in force and
// used up. Where this is linked into a shared library, nothing is bounded.
#pragma once

// From now on, on this thread: `tags` entries of a dictionary, `chapters` of a file, `passed` bytes of
// tags that are compared or copied for others, `inflated` bytes of tags, and `tables` bytes of large
// arrays, all arrays together. 0 tags: no bounds.
void avjob_bound_reading(
    int tags, int chapters, long passed, unsigned long inflated, unsigned long tables);

// zlib's `uncompress`, without bounds: 0, and in `size` how many bytes there are; else its error.
int avjob_inflate(
    unsigned char *target, unsigned long *size, const unsigned char *source, unsigned long length);

// How many tags and chapters were refused since, on this thread.
int avjob_refused_tags(void);
// How many arrays were.
int avjob_refused_tables(void);
