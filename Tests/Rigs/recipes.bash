#!/usr/bin/env bash
# Makes the media that Jobs/recipes names, short or empty where their sound does not matter.
# usage: recipes.bash FOLDER FIXTURES
set -euo pipefail
cd "$1"
fixtures=$2

# Silence costs no space until somebody reads it.
# usage: silence FILE.wav SECONDS
silence() {
  /usr/bin/python3 - "$@" <<'PYTHON'
import struct, sys
size = int(sys.argv[2]) * 16_000
with open(sys.argv[1], "wb") as file:
    file.write(b"RIFF" + struct.pack("<I", size + 36) + b"WAVEfmt "
               + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16_000, 2, 16)
               + b"data" + struct.pack("<I", size))
    file.truncate(size + 44)
PYTHON
}

convert() { ffmpeg -nostdin -v error -y "$@"; }

mkdir -p media raw/42 lectures ads catalogue/2026 chapters assets/ui en de music/more jingles memos inbox video \
  voice ingest
music=$fixtures/feelings.ogg
voice=$fixtures/librivox-sonnet.mp3

convert -stream_loop 2 -i "$music" -t 75 media/theme.wav
silence raw/42/host.wav 1500
silence raw/42/guest.wav 1500
silence raw/42/talk.wav 1500
printf 'WEBVTT\n\n00:01.000 --> 00:03.000\nHello.\n\n21:00.000 --> 21:02.000\nIce.\n' >raw/42/talk.vtt
convert -f lavfi -i color=red:s=64x64 -frames:v 1 media/cover.jpg
cp media/cover.jpg cover.jpg
printf '0:00 Hello\n20:00 Ice\n' >raw/42/chapters.txt

for name in week pre mid post; do convert -i "$music" -ss 12 -t 4 -ac 1 -ar 8000 "ads/$name.mp3"; done
silence long.wav 2500
for name in one two; do lame --quiet -b 32 long.wav "catalogue/2026/$name.mp3"; done
printf 'file,at1,at2,at3\n2026/one.mp3,1:30,20:00,41:10\n2026/two.mp3,0:45,18:20,37:00\n' >ads.csv

convert -i "$voice" -ss 0 -t 20 -ar 44100 chapters/ch2.wav
convert -i "$voice" -ss 20 -t 20 -ar 44100 chapters/ch10.wav
sox -n -r 44100 -c 2 roomtone.wav synth 5 pinknoise vol -66dB

convert -i "$music" live.wav
printf 'FILE "live.wav" WAVE\nTRACK 01 AUDIO\nTITLE "One"\nINDEX 01 00:00:00\n' >live.cue
printf 'TRACK 02 AUDIO\nTITLE "Two"\nINDEX 01 00:12:30\n' >>live.cue

convert -i "$music" -t 3 assets/start.wav
convert -i "$voice" -t 2 assets/ui/click.wav

printf 'lesson,en,de\n1,one,eins\n2,three,drei\n1,two,zwei\n' >words.csv
for word in one two three; do espeak-ng -v en -w "en/$word.wav" "$word"; done
for word in eins zwei drei; do espeak-ng -v de -w "de/$word.wav" "$word"; done

silence lecture.wav 4000
# Ten seconds of voice in each of the stretches that stay.
convert -i "$voice" -t 10 -ar 8000 -ac 1 -f s16le words.raw
for second in 5 1000 3300 3900; do
  dd if=words.raw of=lecture.wav bs=1000 oflag=seek_bytes conv=notrunc status=none \
    seek=$((44 + second * 16000))
done

convert -f lavfi -i anullsrc=r=8000:cl=mono -t 2400 music/1.flac
cp music/1.flac music/2.flac
cp music/1.flac music/10.flac
convert -i "$music" -t 8 music/more/a.flac
convert -i "$music" -t 8 music/more/b.mp3
convert -i "$music" -t 8 music/more/c.m4a
convert -i "$voice" -t 3 jingles/id.wav
convert -i "$voice" -t 3 jingles/hour.wav

convert -i "$voice" -t 5 memos/2.m4a
sox "$fixtures/voice-8k.wav" memos/1.amr-nb trim 0 5
mv memos/1.amr-nb memos/1.amr
convert -i "$voice" -t 5 'inbox/Ann - Rain.wav'

convert -f lavfi -i color=red:s=64x64:d=8 -i "$music" -t 8 -c:v libx264 -c:a aac video/GH2.MP4
cp video/GH2.MP4 video/GH10.MP4

printf 'lecture,from,to,title\nweek-1,0:02.5,0:07.3,Ice\nweek-2,0:01,0:06.9,Water\n' >lectures.csv
for name in lectures/week-1 lectures/week-2 media/opening media/credits; do
  cp video/GH2.MP4 "$name.mp4"
done
# Half an hour of one picture a second.
convert -f lavfi -i color=blue:s=64x64:r=1:d=1500 -i raw/42/host.wav -c:v libx264 -g 10 -c:a aac \
  -ac 1 raw/conversation.mp4

convert -i "$music" -ss 10 -t 6 cymbal.wav
convert -i "$music" -ss 20 -t 5 drone.wav

for lang in en de fr es it no; do for length in 30 60; do
  convert -i "$voice" -t $((length * 4 / 5)) "voice/$lang-${length}s.wav"
done; done
convert -stream_loop 2 -i "$music" -t 61 bed.wav

convert -stream_loop 17 -i "$voice" -c copy interview.mp3
printf '0:00 Childhood\n14:05 School: the end\n' >stamps.txt

convert -i "$voice" -c:a pcm_s24le -ar 48000 ingest/tape-1.wav
rm -f long.wav words.raw
