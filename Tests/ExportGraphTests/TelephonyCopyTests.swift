import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime
import SystemPackage
import Testing

@Suite("Sound of telephones, copied")
struct TelephonyCopyTests {
  @Test("G.711 holds the samples of G.711 alone")
  func companded() throws {
    let segments = ["pcm_mulaw", "pcm_s16le", "pcm_alaw"].enumerated().map { number, codec in
      clip(asset("\(codec).wav", codec), 0..<2, at: Int64(2 * number))
    }
    #expect(
      try lines(copying(segments, .wav(.muLaw))) == [
        "0–16000: pcm_mulaw.wav", "16000–32000: codec", "32000–48000: codec",
      ])
  }

  @Test("G.711 in AIFF is that of a WAV, and PCM in AIFF is none")
  func elsewhere() throws {
    let segments = ["pcm_alaw", "pcm_s16be"].enumerated().map { number, codec in
      clip(asset("\(codec).aiff", codec, in: "aiff"), 0..<2, at: Int64(2 * number))
    }
    #expect(
      try lines(copying(segments, .wav(.aLaw))) == [
        "0–16000: pcm_alaw.aiff", "16000–32000: codec",
      ])
  }

  @Test(
    "GSM and G.722 are copied where a whole file is the output",
    arguments: [
      ("wav", "gsm_ms", Output.Format.wav(.gsm)), ("gsm", "gsm", .raw(.gsm)),
      ("g722", "adpcm_g722", .raw(.g722)), ("wav", "adpcm_g722", .raw(.g722)),
    ])
  func whole(_ container: String, _ codec: String, _ format: Output.Format) throws {
    let asset = asset("a", codec, in: container)
    let plan = try copying([clip(asset, 0..<4, at: 0)], format)
    #expect(plan.method == .whole && lines(plan) == ["0–\(asset.frameCount): a"])
    // In another container packets are others.
    #expect(throws: Failure.self) {
      try copying([clip(asset, 0..<4, at: 0)], codec == "gsm" ? .wav(.gsm) : .wav(.muLaw))
    }
    #expect(throws: Failure.self) {
      try copying([clip(self.asset("b", "pcm_s16le", in: container), 0..<4, at: 0)], format)
    }
    for segments in [
      [clip(asset, 0..<3, at: 0)], [clip(asset, 1..<4, at: 0)],
      [clip(asset, 0..<4, at: 0), clip(asset, 0..<4, at: 4)],
    ] {
      #expect {
        try copying(segments, format)
      } throws: { error in
        (error as? Failure)?.message.contains("is copied as a whole file alone") == true
      }
    }
  }

  /// Four seconds.
  private func asset(_ name: String, _ codec: String, in container: String = "wav") -> Asset {
    let rate = codec == "adpcm_g722" ? 16_000 : 8000
    return Asset(
      location: .file(FilePath(name)), streamIndex: 0, container: container, codec: codec,
      sampleRate: rate, channelLayout: .mono, bitDepth: 16, frameCount: Int64(4 * rate),
      identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
  }

  /// Whole seconds of an asset.
  private func clip(_ asset: Asset, _ seconds: Range<Int64>, at time: Int64) -> Segment {
    func whole(_ seconds: Int64) -> Time { Time(value: seconds, timescale: 1) }
    return Segment(
      .asset(asset),
      source: TimeRange(start: whole(seconds.lowerBound), end: whole(seconds.upperBound)),
      at: whole(time))
  }

  private func copying(_ segments: [Segment], _ format: Output.Format) throws -> CopyPlan {
    var output = Output(path: format.kind == .raw ? "out.raw" : "out.wav", format: format)
    output.copying = Output.Copying()
    let export = Export(
      name: "copy", composition: Composition(tracks: [Track(segments: segments)]),
      outputs: [output])
    return try #require(try Graph(compiling: export).sinks.first?.copied)
  }

  private func lines(_ plan: CopyPlan) -> [String] {
    plan.parts.map { part in
      let reasons = part.reasons.map { "\($0)" }.joined(separator: ", ")
      return "\(part.frames.lowerBound)–\(part.frames.upperBound): "
        + (part.source.map { "\($0.location)" } ?? reasons)
    }
  }
}
