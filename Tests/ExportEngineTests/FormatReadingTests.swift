import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// A medium whose timestamps do not count frames, so that it is counted and read from anchors.
private struct Counted: CustomTestStringConvertible {
  var name: String
  var options: String
  /// How far ffmpeg's decode may be off: decoders that take over have other noise.
  var tolerance: Float = 0
  /// Whether the codec is one that anchors are known to work for.
  var hasAnchors = true
  var testDescription: String { name }

  static let all = [
    Counted(name: "aac.mkv", options: "-c:a aac", tolerance: 0.02),
    Counted(name: "aac.ts", options: "-c:a aac", tolerance: 0.02),
    Counted(name: "adts.aac", options: "-c:a aac", tolerance: 0.02),
    Counted(name: "latm.latm", options: "-c:a aac -f latm", tolerance: 0.02),
    Counted(name: "aac.flv", options: "-c:a aac", tolerance: 0.02),
    Counted(name: "a.ac3", options: "-c:a ac3", tolerance: 0.01),
    Counted(name: "a.eac3", options: "-c:a eac3", tolerance: 0.01),
    Counted(name: "ac3.mpg", options: "-c:a ac3 -f vob", tolerance: 0.01),
    Counted(name: "a.dts", options: "-strict -2 -c:a dca"),
    Counted(name: "a.mp2", options: "-c:a mp2"),
    Counted(name: "mp2.mpg", options: "-c:a mp2 -f mpeg"),
    Counted(name: "mp3.mkv", options: "-c:a libmp3lame"),
    Counted(name: "mp3.avi", options: "-c:a libmp3lame"),
    Counted(name: "mp3.wav", options: "-c:a libmp3lame"),
    Counted(name: "flac.mkv", options: "-c:a flac"),
    Counted(name: "flac.ogg", options: "-c:a flac"),
    Counted(name: "pcm.mkv", options: "-c:a pcm_s24le"),
    Counted(name: "pcm.nut", options: "-c:a pcm_s16le -f nut"),
    Counted(name: "a.wv", options: "-c:a wavpack"),
    Counted(name: "a.tta", options: "-c:a tta"),
    Counted(name: "a.thd", options: "-strict -2 -c:a truehd"),
    Counted(name: "vorbis.mkv", options: "-c:a libvorbis"),
    Counted(name: "opus.webm", options: "-c:a libopus"),
    Counted(name: "v1.wma", options: "-c:a wmav1"),
    Counted(name: "v2.wma", options: "-c:a wmav2"),
    Counted(name: "ima.wav", options: "-c:a adpcm_ima_wav"),
    Counted(name: "ms.wav", options: "-c:a adpcm_ms"),
    Counted(name: "gsm.gsm", options: "-c:a libgsm -ar 8000 -ac 1 -t 20"),
    Counted(name: "gsm49.wav", options: "-c:a libgsm_ms -ar 8000 -ac 1 -t 20"),
    Counted(name: "a.g722", options: "-c:a g722 -ar 16000 -ac 1 -t 12"),
    Counted(name: "g726.wav", options: "-c:a g726 -b:a 32k -ar 8000 -ac 1", hasAnchors: false),
    Counted(name: "swf.flv", options: "-c:a adpcm_swf", hasAnchors: false),
    Counted(name: "qt.mov", options: "-c:a adpcm_ima_qt", hasAnchors: false),
    Counted(name: "real.ra", options: "-c:a real_144 -ar 8000 -ac 1 -f rm", hasAnchors: false),
  ]
}

/// Ten seconds and more of music: anchors lie every 2^17 frames.
private let source: (folder: TestFolder, path: String) = {
  let folder = TestFolder()
  do {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", Fixture.path("feelings.ogg"), "-map", "0:a", "-map_metadata",
      "-1", "-t", "20", "-c:a", "pcm_s16le", folder.path("src.wav"))
  } catch {
    Issue.record(error)
  }
  return (folder, folder.path("src.wav"))
}()

/// ffmpeg's names of the decoders that the engine uses, where they are not the codec's.
private let decoders = [
  "opus": "libopus", "mp3": "mp3float", "mp2": "mp2float", "dts": "dca", "speex": "libspeex",
]

@Suite("Reading counted streams")
struct FormatReadingTests {
  @Test(
    "a range is the slice of the whole, and the whole is what ffmpeg decodes",
    arguments: Counted.all)
  fileprivate func counted(_ medium: Counted) throws {
    let folder = TestFolder()
    let path = folder.path(medium.name)
    let seconds = medium.options.contains("-t ") ? "" : "-t 7"
    try Tool.succeed(
      "sh", "-c", "ffmpeg -v error -i \(source.path) \(seconds) \(medium.options) \(path)")
    let probed = try Prober.probe(.file(FilePath(path)), stream: nil)
    if case .counted(let index) = probed.facts.reader {
      #expect(index.anchors.isEmpty == !medium.hasAnchors)
    } else {
      Issue.record("is not counted")
    }
    let whole = try readAll(probed)
    #expect(whole[0].count == Int(probed.asset.frameCount))
    try expectSlices(of: whole, probed)

    // A container that ffmpeg needs to look at longer for is left to its own devices. Its libopus
    // would round to 16 bits.
    // ffmpeg keeps the priming in Matroska, though its muxer names it (from version 7 on).
    let priming = medium.name.hasSuffix(".mkv") ? probed.asset.encoderDelay ?? 0 : 0
    let decoded = try Tool.succeed(
      "ffmpeg", "-v", "error", "-c:a", decoders[probed.asset.codec] ?? probed.asset.codec,
      "-request_sample_fmt", "flt", "-i", path, "-map", "0:a", "-f", "f32le", "-c:a", "pcm_f32le",
      "-"
    ).floats
    let oracle = Array(decoded.dropFirst(priming * whole.count))
    // ffmpeg decodes the last packet of a MOV whole, whatever its edit list says.
    let rest = oracle.count / whole.count - whole[0].count
    #expect(medium.name.hasSuffix(".mov") ? 0..<64 ~= rest : rest == 0)
    var worst: Float = 0
    for channel in whole.indices {
      for frame in 0..<min(whole[0].count, oracle.count / whole.count) {
        worst = max(worst, abs(whole[channel][frame] - oracle[frame * whole.count + channel]))
      }
    }
    #expect(worst <= medium.tolerance)
  }

  /// No tool in the house encodes these: frames of any bits decode to noise of the right length.
  @Test(
    "speech codecs without an encoder have their frames' length",
    arguments: [
      (name: "nb.amr", head: "#!AMR\n", first: [0x3C] as [UInt8], bytes: 31, samples: 160),
      (name: "wb.awb", head: "#!AMR-WB\n", first: [0x44], bytes: 60, samples: 320),
      (name: "v.lbc", head: "#!iLBC30\n", first: [], bytes: 50, samples: 240),
      (name: "v.g729", head: "", first: [], bytes: 10, samples: 80),
    ])
  func speech(
    name: String, head: String, first: [UInt8], bytes: Int, samples: Int
  ) throws {
    let folder = TestFolder()
    var random = Dice(6)
    var file = Array(head.utf8)
    let count = 1000
    for _ in 0..<count {
      file += first
      file += (0..<bytes).map { _ in UInt8.random(in: 0...255, using: &random) & 0x7F }
    }
    try writeFile(folder.path(name), file)
    let probed = try Prober.probe(.file(FilePath(folder.path(name))), stream: nil)
    #expect(probed.asset.frameCount == Int64(count * samples))
    try expectSlices(of: try readAll(probed), probed)
  }

  @Test(
    "pauses that a phone did not send are silent, and what follows keeps its place",
    arguments: ["p.amr-nb", "p.3gp"])
  func pauses(name: String) throws {
    let rate = 8000
    let folder = TestFolder()
    // sox's encoder sends no pauses (the one for wide band writes nothing at all): 3 s of speech, 20 s of nothing, and the same 3 s again.
    try Tool.succeed(
      "sh", "-c",
      """
      cd \(folder.path(""))
      sox \(Fixture.path("voice-8k.wav")) -r \(rate) speech.wav trim 0 3
      sox speech.wav padded.wav pad 0 20
      sox padded.wav speech.wav p.amr-nb
      ffmpeg -v error -f amr -i p.amr-nb -c copy p.3gp
      """)
    let probed = try Prober.probe(.file(FilePath(folder.path(name))), stream: nil)
    #expect(probed.asset.sampleRate == rate)
    #expect(probed.asset.frameCount == Int64(26 * rate))
    let whole = try readAll(probed)[0]
    #expect(whole.count == 26 * rate)
    let (first, second) = (whole[rate..<3 * rate], whole[24 * rate..<26 * rate])
    #expect(Signal.correlation(first, second) > 0.9)
    let isSilent = whole[10 * rate..<20 * rate].allSatisfy { abs($0) < 0.01 }
    #expect(isSilent)
    try expectSlices(of: [whole], probed)
  }

  @Test("each of one to eight channels keeps its sound and its place", arguments: 1...8)
  func channels(count: Int) throws {
    let folder = TestFolder()
    let voices = (1...count).map { "sine \($0 * 200)" }.joined(separator: " ")
    // sox names no places for 3, 5 and 7 channels of a WAV; ffmpeg's FLAC names the usual ones.
    try Tool.succeed(
      "sh", "-c",
      """
      sox -R -n -r 48000 -c \(count) -b 16 \(folder.path("c.wav")) synth 4000s \(voices) vol 0.5
      ffmpeg -v error -i \(folder.path("c.wav")) \(folder.path("c.flac"))
      """)
    let names = [
      "mono", "stereo", "3 channels", "quad", "5.0", "5.1", "7 channels", "7.1",
    ]
    for name in ["c.wav", "c.flac"] {
      let probed = try Prober.probe(.file(FilePath(folder.path(name))), stream: nil)
      #expect(probed.asset.channelLayout.count == count)
      let isUnplaced = name == "c.wav" && [3, 5, 7].contains(count)
      #expect(
        probed.asset.channelLayout.name == (isUnplaced ? "\(count) channels" : names[count - 1]))
      for (channel, sound) in try readAll(probed).enumerated() {
        let tone = Signal.sine(
          frequency: Double(channel + 1) * 200, sampleRate: 48_000, count: 4000)
        #expect(Signal.correlation(sound, tone) > 0.999)
      }
    }
  }

  @Test("a wrong anchor is not used")
  func movedAnchor() throws {
    let folder = TestFolder()
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-i", source.path, "-t", "9", "-c:a", "ac3", folder.path("a.ac3"))
    var probed = try Prober.probe(.file(FilePath(folder.path("a.ac3"))), stream: nil)
    let whole = try readAll(probed)
    guard case .counted(var index) = probed.facts.reader else {
      Issue.record("AC-3 is counted")
      return
    }
    for anchor in index.anchors.indices { index.anchors[anchor].fingerprint ^= 1 }
    probed.facts.reader = .counted(index)
    try expectSlices(of: whole, probed)
    for anchor in index.anchors.indices { index.anchors[anchor].key.position = 7 }
    probed.facts.reader = .counted(index)
    try expectSlices(of: whole, probed)
  }

  private func open(_ probed: ProbedStream) throws -> any Sound {
    switch probed.facts.reader {
    case .counted(let index): try CountedStream.open(probed.facts, index, Damage())
    case .demuxer: try DemuxedStream.open(probed.facts, Damage())
    case .mpegAudio(let index, let note): try MPEGStream.open(probed.facts, index, note, Damage())
    case .chained(let links):
      ChainedStream(
        links.map { $0.reading(probed.facts.file) }, channelCount: probed.facts.channelCount,
        Damage())
    case .silence: SilentSound()
    }
  }

  private func expectSlices(of whole: [[Float]], _ probed: ProbedStream) throws {
    let frames = whole[0].count
    let stream = try open(probed)
    var dice = Dice(7)
    var starts = (0..<6).map { _ in Int.random(in: 0..<frames, using: &dice) }
    if case .counted(let index) = probed.facts.reader {
      for anchor in index.anchors {
        starts += [-700, -1, 0, 1].map { Int(anchor.frame - probed.facts.origin) + $0 }
      }
    }
    for start in starts.shuffled(using: &dice) where start < frames {
      let length = min(frames - start, Int.random(in: 1...9000, using: &dice))
      let range = try stream.samples(Int64(start)..<Int64(start + length))
      for channel in whole.indices {
        let isSame = whole[channel][start..<start + length].elementsEqual(range[channel])
        #expect(isSame, "\(start) + \(length), channel \(channel)")
      }
    }
  }

  private func readAll(_ probed: ProbedStream) throws -> [[Float]] {
    try open(probed).samples(0..<probed.asset.frameCount)
  }
}
