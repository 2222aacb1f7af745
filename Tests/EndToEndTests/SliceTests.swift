import TestSupport
import Testing

/// How a medium is made, from `src.wav` (four seconds of music), `pic.png` and `$V` (a video input
/// of ffmpeg's). Four seconds: decoders take over from one another every 2^17 frames.
private struct Medium: CustomTestStringConvertible {
  var name: String
  var make: String
  var testDescription: String { name }

  init(_ name: String, _ make: String) {
    self.name = name
    self.make = make
  }

  /// By ffmpeg, with some options.
  init(_ name: String, ffmpeg options: String) {
    self.init(name, "ffmpeg -v error -i src.wav \(options) \(name)")
  }

  /// By ffmpeg, with a picture that moves.
  init(_ name: String, video options: String) {
    self.init(name, "ffmpeg -v error $V -i src.wav -map 0:v -map 1:a \(options) \(name)")
  }

  static let all =
    [
      Medium("u8.wav", ffmpeg: "-c:a pcm_u8"), Medium("s16.wav", ffmpeg: "-c:a pcm_s16le"),
      Medium("s24.wav", ffmpeg: "-c:a pcm_s24le"), Medium("s32.wav", ffmpeg: "-c:a pcm_s32le"),
      Medium("f32.wav", ffmpeg: "-c:a pcm_f32le"), Medium("f64.wav", ffmpeg: "-c:a pcm_f64le"),
      Medium("rf64.wav", ffmpeg: "-rf64 always"), Medium("mono8k.wav", ffmpeg: "-ac 1 -ar 8000"),
      Medium("11k.wav", ffmpeg: "-ar 11025"), Medium("96k.wav", ffmpeg: "-ar 96000"),
      Medium("192k.wav", ffmpeg: "-ar 192000 -t 1.5"),
      Medium("5.1.wav", ffmpeg: "-af 'pan=5.1|c0=c0|c1=c1|c2=.5*c0|c3=.2*c1|c4=.3*c0|c5=.1*c1'"),
      Medium("s16.flac", ffmpeg: "-sample_fmt s16"),
      Medium("s24.flac", ffmpeg: "-sample_fmt s32"),
      Medium("5.1.flac", ffmpeg: "-af aformat=channel_layouts=5.1"),
      Medium("vbr.mp3", "lame --quiet -V4 src.wav vbr.mp3"),
      Medium("cbr.mp3", "lame --quiet -b 128 src.wav cbr.mp3"),
      Medium("untagged.mp3", "lame --quiet -t -b 96 src.wav untagged.mp3"),
      Medium("tiny.mp3", "lame --quiet -b 8 -m m --resample 8 src.wav tiny.mp3"),
      Medium("cover.mp3", "lame --quiet -V2 --tt Title --ti pic.png src.wav cover.mp3"),
      Medium(
        "ape.mp3",
        """
        lame --quiet -V6 src.wav ape.mp3
        /usr/bin/python3 -c 'import mutagen.apev2 as a; t = a.APEv2(); t["Title"] = "x"
        t.save("ape.mp3")'
        """),
    ] + [
      Medium("lc.m4a", ffmpeg: "-c:a aac -b:a 128k"),
      Medium("alac.m4a", ffmpeg: "-c:a alac"),
      Medium("ffmpeg.ogg", ffmpeg: "-c:a libvorbis"),
      Medium("oggenc.ogg", "oggenc -Q -q 3 -o oggenc.ogg src.wav"),
      Medium("ffmpeg.opus", ffmpeg: "-c:a libopus -b:a 64k"),
      Medium("opusenc.opus", "opusenc --quiet --bitrate 96 src.wav opusenc.opus"),
      Medium("mpeg4.mp4", video: "-c:v mpeg4 -c:a aac"),
      Medium("faststart.mp4", video: "-c:v mpeg4 -c:a aac -movflags +faststart"),
      Medium("aac.mkv", video: "-c:v mpeg4 -c:a aac"),
      Medium("flac.mkv", video: "-c:v mpeg4 -c:a flac"),
      Medium("opus.webm", video: "-c:v libvpx -deadline realtime -c:a libopus"),
      Medium("vorbis.webm", video: "-c:v libvpx -deadline realtime -c:a libvorbis"),
      Medium("theora.ogv", video: "-c:v libtheora -c:a libvorbis"),
      Medium("camera.ogv", "cp $FIXTURES/camera.ogv camera.ogv"),
      Medium("pcm.mov", video: "-c:v mpeg4 -c:a pcm_s16be"),
      Medium("mp3.avi", video: "-c:v mpeg4 -c:a libmp3lame"),
      Medium("pcm.avi", video: "-c:v mpeg4 -c:a pcm_s16le"),
      Medium("mp2.ts", video: "-c:v mpeg2video -c:a mp2"),
      Medium("aac.ts", video: "-c:v mpeg2video -c:a aac"),
    ]
}

/// What all media are made from.
private let material: Stage = {
  let stage = Stage()
  do {
    try stage.make(
      """
      ffmpeg -v error -i $FIXTURES/feelings.ogg -map 0:a -map_metadata -1 -af atrim=end_sample=176400 \
        -c:a pcm_s16le src.wav
      ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=1:r=1 -frames:v 1 pic.png
      """)
  } catch {
    Issue.record(error)
  }
  return stage
}()

@Suite("A clip is the slice of the whole")
struct SliceTests {
  @Test("bit for bit, whatever the medium and wherever the clip starts", arguments: Medium.all)
  fileprivate func slices(_ medium: Medium) throws {
    let stage = Stage()
    try stage.make(
      """
      ln -s \(material.path("src.wav")) \(material.path("pic.png")) .
      V='-f lavfi -i testsrc=s=64x48:d=4:r=10'
      \(medium.make)
      """)
    let wholeResult = try stage.job(
      "clip: \(medium.name)\noutput: { file: whole.wav, wav: 32 bit float }\n")
    #expect(wholeResult.status == 0)
    let whole = try WAVFile(stage.path("whole.wav"))
    let end = whole.frameCount
    // From the end to the start, so that no decoder has an easy way on; over an anchor; a sample.
    let anchor = min(1 << 17, end / 2)
    let ranges = [
      end - 12_345..<end, end / 3 + 1..<end / 3 + 2, anchor - 7..<anchor + 5001,
      end / 2 + 77..<end / 2 + 9077, 1..<1153, end - 1..<end,
    ]
    var job = "jobs:\n"
    for (index, range) in ranges.enumerated() {
      job += """
          \(index):
            clip: \(medium.name)
            from: \(range.lowerBound) samples
            to: \(range.upperBound) samples
            output: { file: \(index).wav, wav: 32 bit float }

        """
    }
    let result = try stage.job(job)
    #expect(
      result.status == 0 && result.errors == wholeResult.errors.replacing("1:7", with: "3:11"))
    for (index, range) in ranges.enumerated() {
      let clip = try WAVFile(stage.path("\(index).wav"))
      #expect(clip.frameCount == range.count)
      #expect(clip.data == whole.slice(range), "\(range)")
    }
  }
}
