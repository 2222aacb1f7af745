#!/usr/bin/python3
"""Walks all tags and chunks of media, and fails if one neither arrives in an output nor is named.

Files of many formats are made with as many tags as each holds, each with a value of its own that is
looked for in the bytes of the outputs. What is not there must be named by `avjob plan`: tags by the
names that `avjob probe` gives them, chunks and frames by their own.

usage: tagwalk.py AVJOB FOLDER [MEDIA…]
"""

import json
import pathlib
import struct
import subprocess
import sys

import mutagen.flac
import mutagen.id3 as id3
import mutagen.mp4

KINDS = ['flac', 'mp3', 'm4a', 'opus', 'ogg', 'wav', 'aiff', 'caf']
# What describes a file and not its sound (docs/job-language.md).
TECHNICAL = {
    'encoder', 'major_brand', 'minor_version', 'compatible_brands', 'creation_time', 'handler_name',
    'vendor_id', 'duration', 'tlen', 'itunsmpb', 'language',
}
made = 0


def token():
    global made
    made += 1
    return f'Value{made:04d}ü'


def run(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, **options)


def chunk(name, body, order='<'):
    return name + struct.pack(order + 'I', len(body)) + body + b'\0' * (len(body) % 2)


def wave(path):
    """WAV with what broadcasters, samplers and editors write; gives tokens and names of chunks."""
    tokens = {name: token() for name in ['INAM', 'IART', 'IPRD', 'ICMT', 'ISBJ', 'IKEY', 'ICOP']}
    info = b''.join(chunk(k.encode(), v.encode() + b'\0') for k, v in tokens.items())
    names = ['iXML', 'axml', 'cart', 'smpl', 'inst', 'PEAK', 'levl', 'acid', '_PMX']
    body = chunk(b'fmt ', struct.pack('<HHIIHH', 1, 1, 44100, 88200, 2, 16))
    body += chunk(b'LIST', b'INFO' + info) + chunk(b'data', b'\0' * 88200)
    body += b''.join(chunk(name.encode(), b'abcd') for name in names)
    body += chunk(b'LIST', b'adtl' + chunk(b'ltxt', b'\0' * 20) + chunk(b'note', b'\0' * 6))
    path.write_bytes(b'RIFF' + struct.pack('<I', len(body) + 4) + b'WAVE' + body)
    return list(tokens.values()), names + ['ltxt', 'note']


def aiff(path):
    tokens = [token() for _ in range(4)]
    # Texts of AIFF have 8 bits.
    texts = zip([b'NAME', b'AUTH', b'(c) ', b'ANNO'], tokens)
    rate = bytes.fromhex('400eac44000000000000')
    body = chunk(b'COMM', struct.pack('>hIh', 1, 44100, 16) + rate, '>')
    body += b''.join(chunk(k, v.encode('latin-1'), '>') for k, v in texts)
    body += chunk(b'SSND', b'\0' * 88208, '>')
    names = ['MARK', 'COMT', 'INST', 'APPL', 'MIDI']
    body += b''.join(chunk(name.encode(), b'abcd', '>') for name in names)
    path.write_bytes(b'FORM' + struct.pack('>I', len(body) + 4) + b'AIFF' + body)
    return tokens, names


def flac(path):
    file = mutagen.flac.FLAC(path)
    tokens = []
    for name in '''TITLE ARTIST ALBUM ALBUMARTIST COMMENT DESCRIPTION GENRE DATE COMPOSER PERFORMER
            ARTISTSORT LABEL ORGANIZATION ISRC MOOD PRODUCER LYRICS MUSICBRAINZ_ALBUMID Shelf
            RELEASEDATE COPYRIGHT'''.split():
        values = [token(), token()]
        file[name] = values
        tokens += values
    application = mutagen.flac.MetadataBlock(b'testdata')
    application.code = 2
    file.metadata_blocks.insert(1, application)
    file.save()
    return tokens, ['APPLICATION']


def mp3(path):
    tags, tokens = id3.ID3(), []
    for name in '''TIT1 TIT2 TIT3 TPE1 TPE2 TPE3 TPE4 TALB TCOM TEXT TCON TPUB TCOP TENC TMED TOPE TOAL
            TOLY TOFN TRSN TOWN TSOT TSOP TSOA TSO2 TSOC TSRC TKEY TMOO TSST TCAT TDES TKWD TGID
            TBPM'''.split():
        value = token()
        tags.add(getattr(id3, name)(encoding=3, text=[value]))
        tokens.append(value)
    for frame in [id3.TXXX, id3.COMM, id3.USLT]:
        for desc in ['', 'Source']:
            value = token()
            tags.add(frame(encoding=3, lang='eng', desc=desc or ('X' if frame is id3.TXXX else ''),
                text=value if frame is id3.USLT else [value]))
            tokens.append(value)
    names = [token(), token()]
    tags.add(id3.TIPL(encoding=3, people=[['producer', names[0]], ['mix', names[1]]]))
    tags.add(id3.PRIV(owner='x', data=b'y'))
    tags.add(id3.POPM(email='a', rating=3, count=1))
    tags.add(id3.GEOB(encoding=3, mime='a/b', filename='f', desc='d', data=b'x'))
    tags.add(id3.RVA2(desc='track', channel=1, gain=-3, peak=0.5))
    tags.add(id3.PCNT(count=3))
    tags.add(id3.UFID(owner='http://other.example', data=b'x'))
    tags.add(id3.SYLT(encoding=3, lang='eng', format=2, type=1, desc='', text=[('La', 1)]))
    tags.save(path)
    old = [token().replace('ü', ''), token().replace('ü', '')]
    with open(path, 'ab') as file:
        items = b''.join(
            struct.pack('<II', len(value), 0) + name + b'\0' + value.encode()
            for name, value in zip([b'Label', b'Own'], old))
        items += struct.pack('<II', 3, 2) + b'Cover Art\0x\0y'
        size = struct.pack('<IIII', 2000, len(items) + 32, 3, 0x80000000)
        file.write(items + b'APETAGEX' + size + b'\0' * 8)
    return tokens + names + old, ['PRIV', 'POPM', 'GEOB', 'RVA2', 'PCNT', 'UFID', 'SYLT', 'Cover Art']


def m4a(path):
    tags, tokens = mutagen.mp4.MP4(path), []
    for name in '''©nam ©ART ©alb aART ©wrt ©day ©cmt desc ldes ©gen ©lyr ©grp cprt soar sonm soal soaa
            soco sosn tvsh tven tvnn catg keyw egid purl ©mvn ©wrk purd ©xyz'''.split():
        tags[name] = [token()]
        tokens += tags[name]
    for name in ['com.apple.iTunes:ISRC', 'com.apple.iTunes:Shelf', 'org.example:own']:
        values = [token(), token()]
        tags['----:' + name] = [mutagen.mp4.MP4FreeForm(value.encode()) for value in values]
        tokens += values
    tags.save()
    return tokens, []


def opus(path):
    import mutagen.oggopus
    file, tokens = mutagen.oggopus.OggOpus(path), []
    for name in ['title', 'artist', 'comment', 'description', 'artistsort', 'own']:
        file[name] = [token(), token()]
        tokens += file[name]
    file.save()
    return tokens, []


def matroska(path):
    """FFmpeg's own, with a subtitle."""
    value = token()
    (path.parent / 's.srt').write_text('1\n00:00:00,000 --> 00:00:01,000\nHello\n')
    run('ffmpeg', '-v', 'error', '-y', '-i', path.parent / 't.wav', '-i', path.parent / 's.srt',
        '-map', '0', '-map', '1', '-c:s', 'srt', '-metadata', f'title={value}', '-metadata', f'own={value}2', path)
    return [value, value + '2'], ['subtitles of stream']


def forms(text):
    return [text.encode(form) for form in ('utf-8', 'utf-16-le', 'latin-1')
        if form != 'latin-1' or all(ord(c) < 256 for c in text)]


def walk(avjob, source, tokens, names):
    """What is lost without a word, a line each."""
    lost = []
    probe = json.loads(run(avjob, 'probe', '--json', source.name, cwd=source.parent).stdout)
    keys = {}
    for key, value in probe['media'][0]['metadata'].items():
        for one in value if isinstance(value, list) else [value]:
            keys.setdefault(one, []).append(key)
    targets = [f'out/{source.name}.{kind}' for kind in KINDS]
    job = source.parent / 'walk.yaml'
    job.write_text(f'clip: "{source.name}"\noutput: {json.dumps(targets)}\n')
    told = run(avjob, 'plan', job.name, cwd=source.parent).stderr.decode().splitlines()
    run(avjob, 'run', '--quiet', '--force', job.name, cwd=source.parent)
    for name in names:
        if not any(name in line for line in told):
            lost.append(f'{source.name}: {name} is not named')
    for target in targets:
        content = (source.parent / target).read_bytes()
        notes = '\n'.join(line for line in told if f"'{target}'" in line)
        for value in tokens:
            if any(form in content for form in forms(value)):
                continue
            known = [key for found, held in keys.items() if value in found for key in held]
            # Lists of people are fields of their own elsewhere.
            known += ['PRODUCER', 'MIXER'] if 'TIPL' in known else []
            if not any(key in notes for key in known):
                lost.append(f'{target}: {value} ({", ".join(known) or "not read"})')
    return lost


def main():
    avjob, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    (folder / 'out').mkdir(exist_ok=True)
    sine = ['ffmpeg', '-v', 'error', '-y', '-f', 'lavfi', '-i', 'sine=duration=1:sample_rate=44100']
    run(*sine, folder / 't.wav')
    lost = []
    for name, make in [('s.flac', flac), ('s.mp3', mp3), ('s.m4a', m4a), ('s.opus', opus)]:
        run('ffmpeg', '-v', 'error', '-y', '-i', folder / 't.wav', folder / name)
        lost += walk(avjob, folder / name, *make(folder / name))
    for name, make in [('w.wav', wave), ('a.aiff', aiff), ('m.mka', matroska)]:
        lost += walk(avjob, folder / name, *make(folder / name))
    for medium in map(pathlib.Path, sys.argv[3:]):
        copy = folder / medium.name
        copy.write_bytes(medium.read_bytes())
        facts = json.loads(run('ffprobe', '-v', 'error', '-of', 'json', '-show_format',
            '-show_streams', copy).stdout)
        streams = [one for one in facts['streams'] if one['codec_type'] == 'audio']
        tags = [one.get('tags', {}) for one in [facts['format']] + streams]
        values = [v for one in tags for k, v in one.items() if k.lower() not in TECHNICAL and v]
        lost += walk(avjob, copy, values, [])
    print('\n'.join(lost))
    sys.exit(1 if lost else 0)


if __name__ == '__main__':
    main()
