import TestSupport
import Testing

/// Gains for players in the tags of outputs, as ffprobe reads them and ffmpeg's meter measures.
@Suite struct GainTagTests {
  private let stage = Stage()

  /// The gains of a file, by their names in capitals.
  private func gains(_ name: String) throws -> [String: String] {
    let lines = try stage.make(
      "ffprobe -v error -show_entries format_tags:stream_tags -of default=nw=1 \(name)"
    ).text.split(separator: "\n")
    var found: [String: String] = [:]
    for line in lines where line.hasPrefix("TAG:") {
      let parts = line.dropFirst(4).split(separator: "=", maxSplits: 1).map(String.init)
      let key = parts[0].uppercased()
      if key.contains("REPLAYGAIN") || key.contains("R128") { found[key] = parts.last }
    }
    return found
  }

  /// The number that a text begins with.
  private func number(_ text: String?) throws -> Double {
    let text = try #require(text)
    return try #require(Double(text.prefix { "+-.0123456789".contains($0) }))
  }

  private func loudness(_ name: String) throws -> Double {
    try Tool.ebur128(stage.path(name)).integrated
  }

  private func makeTones(_ levels: [String: Double], seconds: Int = 4) throws {
    for (name, level) in levels {
      try stage.make(
        """
        ffmpeg -v error -y -f lavfi -i "aevalsrc=exprs=\(level)*sin(2*PI*1000*t):s=48000" \
          -t \(seconds) \(name).wav
        """)
    }
  }

  @Test("the gain of each format's file is what a meter finds in the file")
  func formats() throws {
    try makeTones(["t": 0.5])
    let names = ["a.flac", "a.mp3", "a.m4a", "a.ogg", "a.opus", "a.aiff", "old.mp3"]
    let outputs = names.map { name in
      "{ file: \(name), gain_tags: track\(name == "old.mp3" ? ", id3: 2.3" : "") }"
    }.joined(separator: ", ")
    let result = try stage.job("clip: t.wav\nmetadata: { title: Tone }\noutput: [\(outputs)]\n")
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    for name in names {
      let (gains, loudness) = (try gains(name), try loudness(name))
      guard name != "a.opus" else {
        #expect(abs(try number(gains["R128_TRACK_GAIN"]) / 256 - (-23 - loudness)) <= 0.1)
        #expect(gains.count == 1 && gains["R128_TRACK_GAIN"]?.count == 6)
        continue
      }
      #expect(Set(gains.keys) == ["REPLAYGAIN_TRACK_GAIN", "REPLAYGAIN_TRACK_PEAK"], "\(name)")
      #expect(gains["REPLAYGAIN_TRACK_GAIN"]?.hasSuffix(" dB") == true)
      #expect(
        abs(try number(gains["REPLAYGAIN_TRACK_GAIN"]) - (-18 - loudness)) <= 0.1, "\(name)")
      #expect(abs(try number(gains["REPLAYGAIN_TRACK_PEAK"]) - 0.5) <= 0.06, "\(name)")
    }
    // Each file is as whole as without gains.
    try stage.make("flac --silent --test a.flac && mp3val a.mp3 && opusinfo a.opus > .info")
    #expect(!(try stage.make("cat .info").text.contains("WARNING")))
    try stage.make(
      "for name in a.* old.mp3; do ffmpeg -v error -xerror -i $name -f null - || exit 1; done")
    let name = try stage.make(
      "/usr/bin/python3 -c \"import mutagen.mp4; print(*mutagen.mp4.MP4('a.m4a').tags)\""
    ).text
    #expect(name.contains("----:com.apple.iTunes:replaygain_track_gain"), "\(name)")
  }

  @Test("gains of a source make room for those of the output, and are not called left out")
  func stale() throws {
    try makeTones(["t": 0.5])
    try stage.make(
      """
      flac --silent t.wav -o s.flac
      metaflac --set-tag='Replaygain_Track_Gain=-1.00 dB' --set-tag='REPLAYGAIN_ALBUM_GAIN=-2.00 dB' \\
        --set-tag='REPLAYGAIN_REFERENCE_LOUDNESS=83.0 dB' s.flac
      """)
    let result = try stage.job(
      """
      jobs:
        same: { clip: s.flac, output: { file: same.flac, codec: same, gain_tags: track } }
        soft:
          clip: s.flac
          gain: -6 dB
          output: [{ file: soft.flac, gain_tags: track }, { file: soft.opus, gain_tags: track }]
        none: { clip: s.flac, output: { file: none.flac, codec: same, gain_tags: none } }
      """)
    #expect(result.status == 0, "\(result.errors)")
    let told = try stage.run("avjob plan job.yaml").errors
    #expect(told.contains("'soft.flac': REPLAYGAIN_ALBUM_GAIN"), "\(told)")
    #expect(!told.contains("'soft.flac': Replaygain_Track_Gain"), "\(told)")
    for name in ["same.flac", "soft.flac"] {
      let gains = try gains(name)
      #expect(Set(gains.keys) == ["REPLAYGAIN_TRACK_GAIN", "REPLAYGAIN_TRACK_PEAK"], "\(name)")
      let wanted = -18 - (try loudness(name))
      #expect(abs(try number(gains["REPLAYGAIN_TRACK_GAIN"]) - wanted) <= 0.1, "\(name)")
    }
    #expect(try gains("soft.opus").keys.sorted() == ["R128_TRACK_GAIN"])
    #expect(try gains("none.flac")["REPLAYGAIN_TRACK_GAIN"] == "-1.00 dB")
  }

  @Test("gains of an Opus file give way to measured ones, and its R128 counts beside ReplayGain")
  func opus() throws {
    try makeTones(["t": 0.5], seconds: 1)
    try stage.make(
      """
      opusenc --quiet --comment R128_TRACK_GAIN=-500 --comment REPLAYGAIN_TRACK_GAIN=-9dB t.wav s.opus
      """)
    try stage.write(
      "job.yaml",
      """
      clip: s.opus
      output:
        - a.flac
        - { file: same.opus, codec: same }
        - { file: m.flac, gain_tags: track }

      """)
    let result = try stage.run("avjob run job.yaml")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try gains("a.flac") == ["REPLAYGAIN_TRACK_GAIN": "3.05 dB"])
    #expect(try gains("same.opus") == ["R128_TRACK_GAIN": "-500"])
    #expect(try gains("m.flac").count == 2)
    for name in ["a.flac", "same.opus"] {
      #expect(
        result.errors.contains("'\(name)': REPLAYGAIN_TRACK_GAIN of the source left out"),
        "\(result.errors)")
    }
    #expect(!result.errors.contains("'m.flac'"), "\(result.errors)")
  }

  @Test("silence has no gain, which a warning says, and its file is whole")
  func silence() throws {
    let result = try stage.job(
      "silence: 2s\noutput: [{ file: s.flac, gain_tags: track }, { file: s.mp3, gain_tags: track }]\n"
    )
    #expect(result.status == 0)
    for name in ["s.flac", "s.mp3"] {
      #expect(
        result.errors.contains("'\(name)'") && result.errors.contains("the track has no gain"))
      #expect(try gains(name).isEmpty, "\(name)")
    }
    try stage.make("flac --silent --test s.flac")
  }

  @Test("files of an album have its gain, and all are made anew when one of them changes")
  func album() throws {
    // Levels so near that a meter takes no notice of how the sounds are joined.
    try makeTones(["one": 0.5, "two": 0.3], seconds: 6)
    try stage.write(
      "job.yaml",
      """
      jobs:
        one: { clip: one.wav, output: { file: one.flac, gain_tags: album } }
        two: { clip: two.wav, output: { file: two.mp3, gain_tags: album } }
        other:
          clip: two.wav
          metadata: { album: Other }
          output: { file: other.opus, gain_tags: album }
      defaults: { metadata: { album: Tones } }
      """)
    func check() throws {
      try stage.make(
        "ffmpeg -v error -y -i one.wav -i two.wav -filter_complex concat=n=2:v=0:a=1 all.wav")
      let wanted = -18 - (try loudness("all.wav"))
      var texts: Set<String> = []
      for name in ["one.flac", "two.mp3"] {
        let gains = try gains(name)
        #expect(abs(try number(gains["REPLAYGAIN_ALBUM_GAIN"]) - wanted) <= 0.1, "\(name)")
        #expect(
          abs(try number(gains["REPLAYGAIN_TRACK_GAIN"]) - (-18 - (try loudness(name)))) <= 0.1)
        texts.formUnion([
          gains["REPLAYGAIN_ALBUM_GAIN"] ?? "", gains["REPLAYGAIN_ALBUM_PEAK"] ?? "",
        ])
      }
      #expect(texts.count == 2)
      let other = try gains("other.opus")
      #expect(
        abs(try number(other["R128_ALBUM_GAIN"]) - (try number(other["R128_TRACK_GAIN"]))) <= 25)
    }
    #expect(try stage.run("avjob run --quiet job.yaml").errors == "")
    try check()
    try stage.make("cp two.mp3 before.mp3; avjob run --quiet --isolate --force job.yaml")
    #expect(try stage.run("cmp two.mp3 before.mp3").status == 0)
    try makeTones(["one": 0.2], seconds: 6)
    try stage.make("avjob run --quiet job.yaml")
    try check()
    #expect(try stage.run("cmp -s two.mp3 before.mp3").status == 1)
  }

  @Test("a group of one gain is an album, whose gain is that of its level")
  func group() throws {
    try makeTones(["one": 0.5, "two": 0.1])
    let result = try stage.job(
      """
      defaults: { loudness: { integrated: -20 LUFS, group: season } }
      jobs:
        one: { clip: one.wav, output: { file: one.flac, gain_tags: album } }
        two: { clip: two.wav, output: { file: two.flac, gain_tags: album } }
      """)
    #expect(result.status == 0, "\(result.errors)")
    for name in ["one.flac", "two.flac"] {
      #expect(abs(try number(try gains(name)["REPLAYGAIN_ALBUM_GAIN"]) - 2) <= 0.1, "\(name)")
    }
  }

  @Test("gains are refused where no player looks for them, a tag gives them, or no album is named")
  func refused() throws {
    try makeTones(["t": 0.5], seconds: 1)
    for (job, words) in [
      ("output: { file: x.wav, gain_tags: track }", "'gain_tags' of WAV"),
      ("output: { file: x.flac, gain_tags: album }", "of an output without an album"),
      (
        "metadata: { replaygain_track_gain: -1 dB }\noutput: { file: x.flac, gain_tags: track }",
        "which 'metadata' gives, too"
      ),
      ("output: { file: x.flac, gain_tags: both }", "write 'track'"),
    ] {
      let result = try stage.job("clip: t.wav\n\(job)\n")
      #expect(result.status == 2 && result.errors.contains(words), "\(result.errors)")
    }
  }
}
