import TestSupport
import Testing

/// Files that end before what they hold does, as downloads and recordings that broke off.
@Suite("Files that were cut short")
struct CutShortTests {
  private let stage = Stage()

  /// Makes `name` with ffmpeg, and `seventy-` and `tail-` that lack three tenths of it and 37 bytes.
  private func make(_ name: String, _ options: String) throws {
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i anoisesrc=d=4:a=0.3:seed=3:r=44100 -ac 2 \(options) \(name)
      size=$(stat -c %s \(name))
      head -c $((size * 7 / 10)) \(name) > seventy-\(name)
      head -c $((size - 37)) \(name) > tail-\(name)
      head -c $((size - 1000)) \(name) > thousand-\(name)
      """)
  }

  /// What was read of a file was read whole, or is called short: without 'strict' by a warning, with it
  /// by a failure.
  private func expectNamed(_ name: String) throws {
    let plain = try stage.run("avjob compress -q --force \(name) -o out.flac")
    let isNamed = ["can be decoded", "before its last frame does"].contains(
      where: plain.errors.contains)
    #expect(plain.status == 0 && isNamed, "\(name): \(plain.errors)")
    let strict = try stage.run("avjob compress -q --force --strict \(name) -o out.flac")
    #expect(
      strict.status == 1 && strict.errors.contains("'strict' refuses it"),
      "\(name): \(strict.errors)")
  }

  @Test(
    "Each container's file that lacks its end is called short",
    arguments: [
      ("pcm.wav", ""), ("pcm.w64", ""), ("rf64.wav", "-rf64 always"), ("pcm.aiff", ""),
      ("pcm.au", ""), ("pcm.caf", ""), ("pcm.avi", "-c:a pcm_s16le"),
      ("pcm.mkv", "-c:a pcm_s16le"), ("pcm.nut", "-c:a pcm_s16le"), ("adpcm.wav", "-c:a adpcm_ms"),
      ("ulaw.wav", "-c:a pcm_mulaw"), ("mp3.wav", "-c:a libmp3lame"), ("flac.flac", ""),
      ("flac.ogg", "-c:a flac"), ("flac.mka", "-c:a flac"), ("vorbis.ogg", "-c:a libvorbis"),
      ("vorbis.mka", "-c:a libvorbis"), ("opus.opus", ""), ("opus.webm", "-c:a libopus"),
      ("live.webm", "-c:a libopus -live 1"), ("a.mp3", ""), ("a.mp2", ""), ("a.ac3", ""),
      ("a.aac", ""), ("a.dts", "-c:a dca -strict -2"), ("a.ts", "-c:a aac"),
      ("a.wma", "-c:a wmav2"),
      ("a.tta", ""), ("a.wv", ""), ("a.flv", "-c:a aac"), ("mp3.avi", "-c:a libmp3lame"),
      ("ac3.avi", "-c:a ac3"), ("a.mpg", "-c:a mp2 -f mpeg"),
      ("fast.m4a", "-c:a aac -movflags faststart"), ("alac.m4a", "-c:a alac -movflags faststart"),
      ("fragments.mp4", "-c:a aac -movflags frag_keyframe+empty_moov -frag_duration 500000"),
    ])
  func cut(name: String, options: String) throws {
    try make(name, options)
    try expectNamed("seventy-\(name)")
    // What is there of the last packet is no other file.
    let thousand = try stage.run("avjob probe thousand-\(name)")
    #expect(!thousand.errors.contains("behind its sound"), "\(name): \(thousand.errors)")
    // The last bytes of these are an index, a tag or an end mark, without any of the sound.
    if !["pcm.nut", "a.tta", "a.wv", "a.mpg", "fragments.mp4"].contains(name) {
      try expectNamed("tail-\(name)")
    }
    let whole = try stage.run("avjob compress -q --force --strict \(name) -o out.flac")
    #expect(whole.status == 0 && whole.errors == "", "\(name): \(whole)")
  }

  @Test("An MP4 whose index is missing is called short, and no unknown format")
  func index() throws {
    try make("aac.m4a", "-c:a aac")
    let result = try stage.run("avjob compress -q seventy-aac.m4a -o out.flac")
    #expect(result.status == 1, "\(result)")
    #expect(
      result.errors.contains("bytes are missing, and its index (moov) with them"),
      "\(result.errors)")
    try expectNamed("tail-aac.m4a")
  }

  @Test("A file that ends within its header is called short, and no fault of the disk")
  func header() throws {
    try stage.make(
      """
      ffmpeg -v error -f lavfi -i anoisesrc=d=0.2:r=44100 -metadata title=Noise a.flac \
        -metadata title=Noise a.mka a.aiff -ar 48000 a.opus
      ffmpeg -v error -f lavfi -i testsrc=size=64x64 -frames:v 1 a.png
      flac -s -d a.flac -o a.wav && flac -s --no-padding --picture=a.png a.wav -o picture.flac
      """)
    for (name, count) in [
      ("a.flac", 20), ("a.flac", 60), ("picture.flac", 200), ("a.mka", 200), ("a.aiff", 14),
    ] {
      let result = try stage.run("head -c \(count) \(name) > cut-\(name); avjob probe cut-\(name)")
      #expect(
        result.status == 1
          && result.errors.contains(
            "'cut-\(name)': was cut short: it ends where more has to follow")
          && result.errors.contains("copy or download it again"), "\(name): \(result.errors)")
    }
    for (name, count) in [("a.flac", 200), ("a.opus", 60)] {
      let result = try stage.run("head -c \(count) \(name) > cut-\(name); avjob probe cut-\(name)")
      #expect(
        result.status == 1 && result.errors.contains("'cut-\(name)': ends before its sound"),
        "\(name): \(result.errors)")
    }
  }

  @Test("Of a file of which more is missing than is there nothing is made")
  func most() throws {
    try make("pcm.caf", "")
    try stage.make("head -c 200000 pcm.caf > third.caf")
    let result = try stage.run("avjob compress -q third.caf -o out.flac; ls out.flac")
    #expect(result.errors.contains("bytes are missing, more than the 200000 that are there"))
    #expect(result.text == "")
  }
}
