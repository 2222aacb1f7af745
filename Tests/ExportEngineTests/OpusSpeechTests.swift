import MediaComposition
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// Opus of SILK and hybrid packets, whose decoders come to the same samples after no fixed time. The
/// slow twin is libopus, from the start.
@Suite("Opus made for speech")
struct OpusSpeechTests {
  private let folder = TestFolder()

  @Test(
    "at any place its samples are those that libopus decodes from the start",
    arguments: [
      ("--bitrate 10 --speech", "s.opus"), ("--bitrate 32 --speech", "s.opus"),
      ("--bitrate 12 --speech --framesize 60", "s.opus"), ("--bitrate 12 --speech", "s.mp4"),
      ("--bitrate 12 --speech", "s.webm"),
    ])
  func anywhere(_ options: String, _ name: String) throws {
    let probed = try encode(options, to: name)
    let whole = try decoded(name)
    // ffmpeg decodes the last packet of an MP4 whole.
    let frames = Int(probed.asset.frameCount)
    #expect(0..<(name.hasSuffix(".mp4") ? 960 : 1) ~= whole.count - frames)
    var dice = Dice(5)
    for reading in 0..<6 {
      let stream = try open(probed)
      var starts = (0..<4).map { _ in Int.random(in: 0..<frames - 9000, using: &dice) }
      if reading == 0 { starts = [0, 48_000] + starts + [frames - 4800] }
      for start in starts {
        let length = min(frames - start, Int.random(in: 4000...9000, using: &dice))
        let range = try stream.samples(Int64(start)..<Int64(start + length))[0]
        let isSame = whole[start..<start + length].elementsEqual(range)
        #expect(isSame, "from \(start)")
      }
    }
  }

  @Test("decoding begins at places that were found, of a stream with pauses at its start")
  func places() throws {
    let probed = try encode("--bitrate 12 --speech", to: "s.opus")
    guard case .converging(let finder?) = probed.facts.access else {
      Issue.record("\(probed.facts.access)")
      return
    }
    #expect(try finder.place(before: 480_000, in: probed.facts, unless: .init()) == nil)
    let place = try finder.place(before: 2_500_000, in: probed.facts, unless: .init())
    #expect(place.map { $0.frame - $0.feedFrom >= 32 * 960 && $0.frame <= 2_500_000 } == true)
    // OPUS_SET_DTX.
    let paused = try encode("--bitrate 12 --speech --set-ctl-int 4016=1", to: "d.opus", pause: 5)
    guard case .converging(nil) = paused.facts.access else {
      Issue.record("\(paused.facts.access)")
      return
    }
    let music = try encode("--bitrate 96 --music", to: "m.opus")
    #expect(music.facts.access == .anchors(stride: 1 << 17, preRoll: 1 << 15))
  }

  /// A minute of speech, with a pause of so many seconds after ten.
  private func encode(
    _ options: String, to name: String, pause: Int = 0
  ) throws -> ProbedStream {
    let path = folder.path(name)
    try Tool.succeed(
      "sh", "-c",
      """
      cd \(folder.path(""))
      ffmpeg -v error -y -i \(Fixture.path("librivox-sonnet.mp3")) -ac 1 -ar 48000 s.wav
      sox s.wav p.wav pad \(pause)@10
      opusenc --quiet \(options) p.wav p.opus
      if [ \(name) != p.opus ]; then
        ffmpeg -v error -y -i p.opus -c copy -strict -2 \(name)
      fi
      """)
    return try Prober.probe(.file(FilePath(path)), stream: nil)
  }

  /// Without `-request_sample_fmt` FFmpeg has libopus round to 16 bits, which hybrid packets do not
  /// have.
  private func decoded(_ name: String) throws -> [Float] {
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-c:a", "libopus", "-request_sample_fmt", "flt", "-i",
      folder.path(name), "-f", "f32le", "-"
    ).floats
  }

  private func open(_ probed: ProbedStream) throws -> any Sound {
    switch probed.facts.reader {
    case .counted(let index): try CountedStream.open(probed.facts, index, Damage())
    case .demuxer, .mpegAudio, .chained, .silence: try DemuxedStream.open(probed.facts, Damage())
    }
  }
}
