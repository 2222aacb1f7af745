#!/usr/bin/env python3
"""Writes media of some megabytes whose headers ask for much more, into the current folder.

Each of them took seconds to minutes, or gigabytes, before avjob bounded what libavformat makes of it.
"""
import struct
import zlib


def syncsafe(number):
    return bytes(number >> shift & 127 for shift in (21, 14, 7, 0))


def write(name, *parts):
    with open(name, "wb") as file:
        file.write(b"".join(parts))


# ID3v2.4 (id3.org, "ID3 tag version 2.4.0", 3.1 and 4).
def frame(name, body, flags=0):
    return name + syncsafe(len(body)) + struct.pack(">H", flags) + body


def tag(*frames):
    body = b"".join(frames)
    return b"ID3\x04\0\0" + syncsafe(len(body)) + body


def numbered(name, count):
    return tag(*(frame(name, b"\x03k%d\0v" % index) for index in range(count)))


text = b"\x03" + b"x" * (1 << 24)
packed = syncsafe(len(text) & 0xFFFFFFF) + zlib.compress(text, 9)
inflating = tag(*(frame(b"TX%c%c" % (65 + i // 26, 65 + i % 26), packed, 9) for i in range(60)))
many = numbered(b"TXXX", 100_000)
# MPEG-1 layer III, 128 kbit/s, 44.1 kHz, of silence.
silence = (b"\xff\xfb\x90\xc0" + bytes(413)) * 20
write("inflating.mp3", inflating, silence)
write("many.mp3", many, silence)
write("private.mp3", numbered(b"PRIV", 100_000), silence)


# Vorbis comments (xiph.org, "Ogg Vorbis I format specification", 5).
def comments(count, key=b"K%d", value=b"v"):
    items = (key % i if b"%" in key else key for i in range(count))
    items = (item + b"=" + value for item in items)
    packed = b"".join(struct.pack("<I", len(item)) + item for item in items)
    return struct.pack("<I", 4) + b"test" + struct.pack("<I", count) + packed


def flac(name, comment):
    information = struct.pack(">HH6xQ16x", 4096, 4096, 8000 << 44 | 15 << 36)
    # A block of 4,096 samples that are 0 (RFC 9639 §9): constant, mono, 16 bits, 8 kHz.
    header = b"\xff\xf8\xc4\x08\0"
    crc = 0
    for byte in header:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1 ^ (0x107 if crc & 128 else 0)) & 0xFF
    block = header + bytes([crc]) + b"\0\0\0"
    check = 0
    for byte in block:
        check ^= byte << 8
        for _ in range(8):
            check = (check << 1 ^ (0x18005 if check & 0x8000 else 0)) & 0xFFFF
    head = b"\x84" + len(comment).to_bytes(3, "big")
    write(name, b"fLaC\0\0\0\x22", information, head, comment, block, struct.pack(">H", check))


flac("many.flac", comments(100_000))
flac("same.flac", comments(400_000, b"KEY"))
flac("long.flac", comments(4_990, b"K", b"v" * 3_300))
flac("keys.flac", comments(18_000, b"K" * 880 + b"%d"))


# Ogg (RFC 3533) with Opus (RFC 7845).
def checksum(data):
    total = 0
    for byte in data:
        total ^= byte << 24
        for _ in range(8):
            total = (total << 1 ^ (0x104C11DB7 if total & 0x80000000 else 0)) & 0xFFFFFFFF
    return total


def page(number, position, flags, lacing, data):
    head = b"OggS\0" + bytes([flags]) + struct.pack("<qII", position, 1, number)
    tail = bytes([len(lacing)]) + bytes(lacing) + data
    return head + struct.pack("<I", checksum(head + bytes(4) + tail)) + tail


def opus(name, comment):
    head = b"OpusHead\x01\x01" + struct.pack("<HIhB", 312, 48000, 0, 0)
    pages = [page(0, 0, 2, [len(head)], head)]
    body = b"OpusTags" + comment
    lacing = [255] * (len(body) // 255) + [len(body) % 255]
    while lacing:
        part, lacing = lacing[:255], lacing[255:]
        data, body = body[: sum(part)], body[sum(part) :]
        pages.append(page(len(pages), -1 if lacing else 0, len(pages) > 1, part, data))
    for index in range(50):
        pages.append(page(len(pages), 960 * (index + 1), 4 * (index == 49), [3], b"\xf8\xff\xfe"))
    write(name, *pages)


opus("many.opus", comments(100_000))


# MP4 (ISO 14496-12).
def box(name, *parts):
    return struct.pack(">I", 8 + sum(map(len, parts))) + name + b"".join(parts)


def full(name, *parts):
    return box(name, bytes(4), *parts)


def mp4(name, samples=0, tracks=1, tags=b"", fragments=b"", configuration=b""):
    config = "0380808022000100048080801440150000000001f4000001f40005808080021210068080800102"
    sound = struct.pack(">6xH8xHHHHI", 1, 2, 16, 0, 0, 44100 << 16)
    entry = box(b"mp4a", sound, full(b"esds", bytes.fromhex(config)))
    if configuration:
        entry = struct.pack(">I", 0x7FFFFFFF) + b"mp4a" + sound + configuration
    table = box(
        b"stbl",
        full(b"stsd", struct.pack(">I", 1), entry),
        full(b"stts", struct.pack(">III", 1, samples, 1024)),
        full(b"stsz", struct.pack(">II", 6, samples)),
        full(b"stsc", struct.pack(">IIII", 1, 1, samples, 1)),
        full(b"stco", struct.pack(">II", 1, 36)),
    )
    reference = box(b"dinf", full(b"dref", struct.pack(">I", 1), box(b"url ", b"\0\0\0\1")))
    media = box(
        b"mdia",
        full(b"mdhd", struct.pack(">IIIIHH", 0, 0, 44100, 0, 0x55C4, 0)),
        full(b"hdlr", b"\0\0\0\0soun" + bytes(13)),
        box(b"minf", full(b"smhd", bytes(4)), reference, table),
    )
    movie = b"".join(
        box(b"trak", full(b"tkhd", struct.pack(">IIIII60x", 0, 0, index + 1, 0, 0)), media)
        for index in range(tracks)
    )
    header = full(b"mvhd", struct.pack(">IIII76xI", 0, 0, 44100, 0, 9999))
    extends = box(b"mvex", full(b"trex", struct.pack(">IIIII", 1, 1, 1024, 6, 0)))
    items = full(b"meta", full(b"hdlr", b"\0\0\0\0mdirappl" + bytes(9)), box(b"ilst", tags))
    data = box(b"mdat", b"\x21\x10\x04\x60\x8c\x1c" * 10)
    parts = [header, extends if fragments else b"", movie, box(b"udta", items)]
    write(name, box(b"ftyp", b"M4A \0\0\0\0M4A mp42isom"), data, box(b"moov", *parts), fragments)


def item(index):
    value = box(b"data", struct.pack(">II", 1, 0), b"v")
    return box(b"----", full(b"mean", b"com.apple.iTunes"), full(b"name", b"k%d" % index), value)


run = full(b"trun", struct.pack(">I", 60_000_000))
moof = box(b"moof", full(b"mfhd", b"\0\0\0\1"), box(b"traf", box(b"tfhd", b"\0\2\0\0\0\0\0\1"), run))
mp4("samples.mov", samples=60_000_000)
mp4("tracks.mov", samples=5_000_000, tracks=900)
mp4("fragments.mp4", fragments=moof * 20)
mp4("configuration.mp4", samples=10, configuration=struct.pack(">I", 1 << 30 | 8) + b"hvcC")
mp4("many.m4a", samples=10, tags=b"".join(map(item, range(40_000))))


# RIFF and AIFF.
def chunks(order, *all_of_them):
    return b"".join(
        name + struct.pack(order + "I", len(body)) + body + bytes(len(body) % 2)
        for name, body in all_of_them
    )


def wav(name, *extra):
    form = (b"fmt ", struct.pack("<HHIIHH", 1, 1, 8000, 16000, 2, 16))
    body = b"WAVE" + chunks("<", form, *extra, (b"data", bytes(1600)))
    write(name, b"RIFF" + struct.pack("<I", len(body)), body)


def aiff(name, *extra):
    form = (b"COMM", struct.pack(">HIH", 1, 800, 16) + b"\x40\x0b\xfa" + bytes(7))
    body = b"AIFF" + chunks(">", form, *extra, (b"SSND", bytes(1608)))
    write(name, b"FORM" + struct.pack(">I", len(body)), body)


names = (bytes(65 + i // 26**place % 26 for place in (3, 2, 1, 0)) for i in range(100_000))
wav("list.wav", (b"LIST", b"INFO" + chunks("<", *((name, b"v\0") for name in names))))
wav("many.wav", (b"id3 ", many))
wav("inflating.wav", (b"id3 ", inflating))
aiff("many.aiff", (b"ID3 ", many))
aiff("inflating.aiff", (b"ID3 ", inflating))


# Matroska (RFC 9559), with the tags before the only cluster.
def element(name, *parts):
    body = b"".join(parts)
    return bytes.fromhex(name) + (1 << 56 | len(body)).to_bytes(8, "big") + body


def matroska(name, count, chapters=0):
    entries = b"".join(
        element("B6", element("73C4", struct.pack(">I", i)), element("91", struct.pack(">I", time)))
        for time, i in enumerate(range(chapters, 0, -1))
    )
    tags = b"".join(
        element("67C8", element("45A3", b"K%d" % i), element("4487", b"v")) for i in range(count)
    )
    sound = element("E1", element("B5", struct.pack(">d", 8000)), element("6264", b"\x10"))
    track = element(
        "AE", element("D7", b"\1"), element("73C5", b"\1"), element("83", b"\2"),
        element("86", b"A_PCM/INT/LIT"), sound,
    )
    cluster = element("1F43B675", element("E7", b"\0"), element("A3", b"\x81\0\0\x80", bytes(1600)))
    write(
        name,
        element("1A45DFA3", element("4282", b"matroska")),
        element(
            "18538067", element("1549A966", element("2AD7B1", b"\x0f\x42\x40")),
            element("1654AE6B", track), element("1254C367", element("7373", element("63C0"), tags)),
            element("1043A770", element("45B9", entries)),
            cluster,
        ),
    )


matroska("many.mka", 40_000)
matroska("chapters.mka", 0, 100_000)
