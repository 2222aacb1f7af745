import MPEGAudio
import Splicing
import TestSupport
import Testing

@testable import LAME

/// Settings and a stream for them, which LAME's command encodes too.
struct Stream: Sendable, CustomTestStringConvertible {
  var rateControl: MP3Settings.RateControl
  var quality: Int?
  var sampleRate = 44100
  var channelCount = 2
  var stereoMode = MP3Settings.StereoMode.joint
  var lowpass = MP3Settings.Lowpass.automatic
  var highpass: Int?
  /// Of a variable bit rate.
  var bitRates: ClosedRange<Int>?

  var testDescription: String { "\(settings), \(sampleRate) Hz, \(channelCount) channels" }

  var settings: MP3Settings {
    var settings = MP3Settings(rateControl, quality: quality)
    settings.stereoMode = stereoMode
    settings.lowpass = lowpass
    settings.highpass = highpass
    settings.minimumBitRate = bitRates?.lowerBound
    settings.maximumBitRate = bitRates?.upperBound
    return settings
  }

  /// PCM frames; some MP3 frames, of which the last is not full.
  static let count = 6000

  /// What `lame` is called with.
  var arguments: [String] {
    let mode =
      switch rateControl {
      case .vbr(let quality): ["-V", "\(quality)"]
      case .abr(let bitRate): ["--abr", "\(bitRate / 1000)"]
      case .cbr(let bitRate): ["--cbr", "-b", "\(bitRate / 1000)"]
      }
    let stereo =
      switch stereoMode {
      case .joint: "j"
      case .forced: "f"
      case .simple: "s"
      }
    let sound =
      switch lowpass {
      case .automatic: [String]()
      case .hertz(let frequency): ["--lowpass", "\(frequency)"]
      case .off: ["--lowpass", "-1"]
      }
    let bounds = bitRates.map {
      ["-F", "-b", "\($0.lowerBound / 1000)", "-B", "\($0.upperBound / 1000)"]
    }
    var words = ["lame", "--quiet", "--noreplaygain", "-r", "-s", "\(sampleRate)", "--resample"]
    words += ["\(sampleRate)", "-m", channelCount == 1 ? "m" : stereo] + mode + sound
    words += bounds ?? []
    if let highpass { words += ["--highpass", "\(highpass)"] }
    if let quality { words += ["-q", "\(quality)"] }
    return words
  }

  /// The first frame that `lame` writes, and those behind it; `sound` is 16-bit PCM.
  func encodedByLAME(_ sound: String, _ folder: TestFolder) throws -> [[UInt8]] {
    let path = folder.path("lame.mp3")
    let result = try Tool.run(arguments + [sound, path])
    guard result.status == 0 else { throw ToolFailure(description: result.errors) }
    return frames(of: try readFile(path))
  }
}

@Suite("Info frames beside LAME's own")
struct InfoFrameTests {
  let folder = TestFolder()

  static let sampleRates: [Stream] = MP3Settings.sampleRates.flatMap { rate in
    let means = MP3Settings.meanBitRates(forSampleRate: rate) ?? 0...0
    let controls: [MP3Settings.RateControl] =
      [0, 2, 2.5, 5, 9, 9.9].map { .vbr(quality: $0) }
      + [means.lowerBound, 61_000, means.upperBound].map { .abr(bitRate: $0) }
    return controls.enumerated().map { index, control in
      Stream(rateControl: control, sampleRate: rate, channelCount: 1 + (index + rate / 1000) % 2)
    }
  }
  static let constantRates: [Stream] = MP3Settings.sampleRates.flatMap { rate in
    MP3Settings.bitRates(forSampleRate: rate).flatMap { bitRate in
      (1...2).map {
        Stream(rateControl: .cbr(bitRate: bitRate), sampleRate: rate, channelCount: $0)
      }
    }
  }
  static let meanRates: [Stream] =
    [33, 80, 128, 160, 175, 176, 192, 254, 255, 256, 310].map {
      Stream(rateControl: .abr(bitRate: $0 * 1000))
    }
  static let qualities: [Stream] = (0...9).flatMap { quality in
    [.vbr(quality: 4), .abr(bitRate: 96_000), .cbr(bitRate: 192_000)].map {
      Stream(rateControl: $0, quality: quality)
    }
  }

  /// Whatever else LAME can be asked for.
  static let others: [Stream] = MP3Settings.StereoMode.allCases.flatMap { mode in
    [.vbr(quality: 2), .abr(bitRate: 192_000), .cbr(bitRate: 128_000)].flatMap { control in
      [
        Stream(rateControl: control, stereoMode: mode),
        Stream(rateControl: control, stereoMode: mode, lowpass: .hertz(12_050)),
        Stream(rateControl: control, stereoMode: mode, lowpass: .off, highpass: 2000),
      ]
    } + [
      Stream(rateControl: .vbr(quality: 4), stereoMode: mode, bitRates: 64_000...192_000),
      Stream(rateControl: .abr(bitRate: 128_000), stereoMode: mode, bitRates: 96_000...224_000),
    ]
  }

  @Test(
    "what LAME says of a stream is what we say, byte for byte",
    arguments: [sampleRates, constantRates, meanRates, qualities, others])
  func likeLAME(streams: [Stream]) throws {
    let sounds = try [1, 2].map { try sound(channelCount: $0) }
    for stream in streams {
      let encoder = try MP3Encoder.open(
        stream.settings, sampleRate: stream.sampleRate, channelCount: stream.channelCount)
      let theirs = try stream.encodedByLAME(sounds[stream.channelCount - 1], folder)
      let header = try #require(theirs.first.flatMap { FrameHeader(startOf: $0) })
      let start = 4 + header.sideInformationLength
      let isConstant = encoder.encoding.method == .constant
      guard theirs[0].dropFirst(start).starts(with: (isConstant ? "Info" : "Xing").utf8) else {
        // LAME leaves out what does not fit; `readers` has such streams.
        #expect(isConstant && theirs[0].count < start + 156, "\(stream.testDescription)")
        continue
      }
      var ours = InfoFrame(like: header, encoding: encoder.encoding)
      for frame in theirs.dropFirst() { ours.add(frame: frame) }
      let padding = (theirs.count - 1) * header.samplesPerFrame - 576 - Stream.count
      let frame = ours.encoded(delay: 576, padding: padding)
      #expect(frame == trueContents(theirs, tagAt: start), "\(stream.testDescription)")
      #expect(ours.length == frame.count && ours.placeholder.count == frame.count)
    }
  }

  @Test(
    "the frame of a stream that many encoders made is true of it",
    arguments: [
      MP3Settings.RateControl.vbr(quality: 5), .abr(bitRate: 96_000), .cbr(bitRate: 32_000),
    ])
  func chunks(rateControl: MP3Settings.RateControl) throws {
    let setup = try EncoderSetup(.init(rateControl), sampleRate: 44100, channelCount: 1)
    let encoder = ChunkEncoder(
      setup, grid: ChunkGrid(length: 98, warmUp: 49, agreement: 8, shortest: 49))
    var bytes: [UInt8] = []
    let glide = Signal.glide(sampleRate: 44100, count: 500_000)
    try withPlanes([glide]) { try encoder.encode($0, count: glide.count, into: &bytes) }
    let info = try encoder.finish(into: &bytes)
    bytes.replaceSubrange(0..<info.count, with: info)
    let frames = frames(of: bytes)
    let start = 21
    func number(at offset: Int, count: Int = 4) -> Int {
      info[(start + offset)..<(start + offset + count)].reduce(0) { $0 << 8 | Int($1) }
    }
    #expect(info == trueContents(frames, tagAt: start))
    #expect(number(at: 8) == frames.count - 1 && frames.joined().count == bytes.count)
    #expect(number(at: 12) == bytes.count && number(at: 148) == bytes.count)
    #expect(number(at: 152, count: 2) == Int(slowChecksum(bytes.dropFirst(info.count))))
    let gaps = number(at: 141, count: 3)
    #expect((frames.count - 1) * 1152 - gaps >> 12 - gaps & 0xFFF == glide.count)
  }

  /// LAME's frame with the table of contents that the frames behind it have (LAME's own is of what
  /// lies behind frames, in kilobits a second), and without the last frame's mode extension, which
  /// says nothing of a silent frame; with the checksum of that.
  private func trueContents(_ frames: [[UInt8]], tagAt start: Int) -> [UInt8] {
    var frame = frames[0]
    frame[3] &= 0xCF
    var ends: [Int] = []
    for frame in frames { ends.append(frame.count + (ends.last ?? 0)) }
    for index in 0..<100 {
      frame[start + 16 + index] = UInt8(
        min(255, ends[index * (frames.count - 1) / 100] * 256 / (ends.last ?? 1)))
    }
    let checksum = slowChecksum(frame[..<(start + 154)])
    frame[start + 154] = UInt8(checksum >> 8)
    frame[start + 155] = UInt8(checksum & 0xFF)
    return frame
  }

  private func slowChecksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
    bytes.reduce(into: UInt16(0)) { crc, byte in
      crc ^= UInt16(byte)
      for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xA001 }
    }
  }

  private func sound(channelCount: Int) throws -> String {
    let path = folder.path("\(channelCount).raw")
    let noise = Signal.noise(seed: 1, count: Stream.count * channelCount)
    try writeFile(
      path, noise.flatMap { sample in withUnsafeBytes(of: Int16(sample * 32767), Array.init) })
    return path
  }

  struct Reading: Sendable, CustomTestStringConvertible {
    var settings: MP3Settings
    var sampleRate: Int
    var channelCount: Int
    /// As mutagen, mediainfo and mpg123 put it, of LAME 3.100.
    var words: [String]
    /// The same of the linked LAME: LAME 4 has another default quality, too, but for VBR.
    var wordsOfLinkedLAME: [String] {
      guard LAMELibrary.version == "4.0" else { return words }
      return words.map {
        $0.replacing("LAME 3.100.0+", with: "LAME 4.0.0").replacing("LAME3.100", with: "LAME4.0 ")
          .replacing("-q 3", with: "-q 4")
      }
    }
    var testDescription: String { "\(settings), \(sampleRate) Hz, \(channelCount) channels" }
  }

  static let readings: [Reading] = [
    Reading(
      settings: .standard, sampleRate: 44100, channelCount: 2,
      words: [
        "VBR LAME 3.100.0+ -V 2 132423 False",
        "VBR LAME3.100 -m j -V 2 -q 0 -lowpass 18.5 --vbr-new -b 32 116",
        "MPEG 1.0 L III vbr 44100 j-s",
        "353600,42762240",
      ]),
    Reading(
      settings: .init(.vbr(quality: 0)), sampleRate: 48000, channelCount: 1,
      words: [
        "VBR LAME 3.100.0+ -V 0 144123 False",
        "VBR LAME3.100 -m m -V 0 -q 0 -lowpass 24 --vbr-new -b 32 127",
        "MPEG 1.0 L III vbr 48000 mono",
        "324870,43013376",
      ]),
    Reading(
      settings: .init(.vbr(quality: 5)), sampleRate: 22050, channelCount: 2,
      words: [
        "VBR LAME 3.100.0+ -V 5 66273 False",
        "VBR LAME3.100 -m j -V 5 -q 0 -lowpass 11 --vbr-new -b 8 118",
        "MPEG 2.0 L III vbr 22050 j-s",
        "707200,43499520",
      ]),
    Reading(
      settings: .init(.abr(bitRate: 160_000)), sampleRate: 44100, channelCount: 2,
      words: [
        "ABR LAME 3.100.0+ --preset 160 132423 False",
        "VBR LAME3.100 -m j -V 4 -q 3 -lowpass 17.5 --abr 160 116",
        "MPEG 1.0 L III abr160 44100 j-s",
        "353600,42762240",
      ]),
    Reading(
      settings: .init(.cbr(bitRate: 128_000)), sampleRate: 44100, channelCount: 2,
      words: [
        "CBR LAME 3.100.0+ -b 128 132423 False",
        "CBR LAME3.100 -m j -V 4 -q 3 -lowpass 17 -b 128 116",
        "MPEG 1.0 L III cbr128 44100 j-s",
        "353600,42762240",
      ]),
    Reading(
      settings: .init(.cbr(bitRate: 32_000)), sampleRate: 48000, channelCount: 1,
      words: [
        "CBR LAME 3.100.0+ -b 32 144123 False",
        "VBR LAME3.100 -m m -V 4 -q 3 -lowpass 8.3 -b 32 128",
        "MPEG 1.0 L III cbr32 48000 mono",
        "324870,43013376",
      ]),
    Reading(
      settings: .init(.cbr(bitRate: 8_000)), sampleRate: 8000, channelCount: 1,
      words: [
        "CBR LAME 3.100.0+ -b 8 24123 False",
        "VBR LAME3.100 -m m -V 4 -q 3 -lowpass 3 -b 8 45",
        "MPEG 2.5 L III cbr8 8000 mono",
        "1949220,44706816",
      ]),
  ]

  @Test("readers that nobody here wrote find in a file what was put in", arguments: readings)
  func readers(_ example: Reading) throws {
    let path = folder.path("a.mp3")
    let count = 30 * example.sampleRate / 10 + 123
    let glide = Signal.glide(sampleRate: example.sampleRate, count: count)
    let bytes = try encoded(
      Array(repeating: glide, count: example.channelCount), example.settings,
      sampleRate: example.sampleRate)
    try writeFile(path, bytes)
    let mutagen = try Tool.succeed(
      "/usr/bin/python3", "-c",
      """
      import sys, mutagen.mp3
      info = mutagen.mp3.MP3(sys.argv[1]).info
      print(str(info.bitrate_mode).split(".")[1], info.encoder_info, info.encoder_settings,
        round(info.length * info.sample_rate), info.sketchy)
      """, path
    ).text.split(separator: "\n").joined()
    let mediainfo = try Tool.succeed(
      "mediainfo",
      "--Inform=Audio;%BitRate_Mode% %Encoded_Library% %Encoded_Library_Settings% %FrameCount%",
      path
    ).text.split(separator: "\n").joined()
    let mpg123 = try Tool.run(["mpg123", "-v", "-t", path]).errors.split(separator: "\n")
      .filter { $0.hasPrefix("MPEG ") }.joined()
    let ffprobe = try Tool.succeed(
      "ffprobe", "-v", "error", "-of", "csv=p=0", "-show_entries", "stream=start_pts,duration_ts",
      path
    ).text.split(separator: "\n").joined()
    #expect([mutagen, mediainfo, mpg123, ffprobe] == example.wordsOfLinkedLAME)
    #expect(try decoded(path, channelCount: example.channelCount)[0].count == count)
    let raw = folder.path("a.raw")
    try Tool.succeed("mpg123", "-q", "-e", "s16", "-O", raw, path)
    #expect(try readFile(raw).count == count * example.channelCount * 2)
    let lame = try Tool.succeed("lame", "--quiet", "--decode", "-t", path, raw)
    #expect(try readFile(raw).count == count * example.channelCount * 2 && lame.errors == "")
    let warnings = try Tool.succeed("mp3val", path).text.split(separator: "\n")
      .filter { !$0.hasPrefix("INFO") && $0.contains(": ") && !$0.contains("No supported tags") }
    #expect(warnings == [])
    let positions = try Tool.succeed(
      "ffprobe", "-v", "error", "-of", "csv=p=0", "-show_entries", "packet=pos", path
    ).text.split(separator: "\n").compactMap { Int($0.prefix { $0 != "," }) }
    let header = try #require(FrameHeader(startOf: bytes))
    let start = 4 + header.sideInformationLength + 16
    for index in 0..<100 {
      let position = positions[index * positions.count / 100]
      #expect(Int(bytes[start + index]) == position * 256 / bytes.count, "entry \(index)")
    }
  }
}
