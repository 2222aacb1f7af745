import ExportGraph
import LibAV
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportEngine

/// Whether the FFmpeg that is linked encodes AMR.
let hasAMR = Encoder.Codec.amr(bitRate: 12_200).isAvailable

@Suite("The predicted facts of an output")
struct PredictionTests {
  let folder = TestFolder()

  /// Some settings of a kind.
  private func formats(_ kind: Output.Kind) -> [Output.Format] {
    let samples: [Output.SampleFormat] = [.int16, .int24, .float32]
    return switch kind {
    case .mp3:
      [.vbr(quality: 2), .vbr(quality: 5), .abr(bitRate: 48_000), .cbr(bitRate: 64_000)]
        .map { .mp3(MP3Settings($0)) }
    case .wav: samples.map { .wav($0) }
    case .aiff: samples.map { .aiff($0) }
    case .caf: (samples + [.ima4]).map { .caf($0) }
    // A job says what is read without a header.
    case .raw: []
    case .flac: [.flac(bitDepth: 16), .flac(bitDepth: 24)]
    case .alac: [.alac(bitDepth: 16), .alac(bitDepth: 24)]
    case .aac: [.m4a(bitRate: 128_000)]
    case .vorbis: [.vorbis(.standard), .vorbis(.quality(1))]
    case .opus: [.opus(bitRate: 96_000)]
    case .amr: hasAMR ? [.amr(bitRate: 12_200), .amr(bitRate: 4750)] : []
    }
  }

  private func rates(_ kind: Output.Kind) -> [Int] {
    switch kind.capabilities.sampleRates {
    case .only(let rates): rates
    case .upTo:
      [8000, 44_100, 48_000, 96_000, 192_000].filter(kind.capabilities.sampleRates.contains)
    }
  }

  /// Writes a sound of some length, and says what was predicted and what is found.
  private func write(
    _ format: Output.Format, rate: Int, layout: ChannelLayout, count: Int,
    metadata: Metadata = Metadata(), chapters: [Chapter] = []
  ) throws -> (predicted: Asset, found: Asset) {
    let path = folder.path("a." + format.kind.capabilities.extensions[0])
    let channels = (0..<layout.count).map {
      Signal.noise(seed: UInt64($0), count: count, amplitude: 0.1)
    }
    try writeSound(
      channels, to: path, format, sampleRate: rate, layout: layout, metadata: metadata,
      chapters: chapters)
    let sink = Sink(
      node: 0, frames: 0..<Int64(count), output: Output(path: FilePath(path), format: format),
      metadata: metadata, chapters: chapters, isDithered: false)
    let sound = AudioFormat(sampleRate: rate, channelLayout: layout)
    let node = Node(.mix([]), format: sound, frames: 0..<Int64(count))
    let predicted = try #require(Graph(nodes: [node], sinks: [sink]).predictedAssets.first)
    return (predicted, try MediaLibrary().asset(at: FilePath(path)))
  }

  @Test("equal those of probing it, in each format", arguments: Output.Kind.allCases)
  func facts(kind: Output.Kind) throws {
    var dice = Dice(UInt64(kind.rawValue.utf8.reduce(0) { $0 * 31 + Int($1) }))
    let layouts = kind.capabilities.layouts ?? ChannelLayout.named.map(\.value)
    for rate in rates(kind) {
      for layout in layouts {
        let possible = formats(kind).filter { $0.problem(sampleRate: rate, layout: layout) == nil }
        guard let format = possible.randomElement(using: &dice) else { continue }
        let count = Int(dice.number(1..<5000))
        let (predicted, found) = try write(format, rate: rate, layout: layout, count: count)
        let what: Comment = "\(format) at \(rate) Hz, \(layout.name), \(count) frames"
        #expect(predicted.frameCount == found.frameCount, what)
        #expect(predicted.sampleRate == found.sampleRate, what)
        #expect(predicted.channelLayout == found.channelLayout, what)
        #expect(predicted.bitDepth == found.bitDepth, what)
        #expect(predicted.codec == found.codec && predicted.container == found.container, what)
        #expect(predicted.streamIndex == found.streamIndex, what)
        #expect(predicted.mp3Settings?.rateControl == found.mp3Settings?.rateControl, what)
        #expect(predicted.isPredicted && !found.isPredicted)
      }
    }
  }

  @Test(
    "are the tags and chapters that its format holds",
    arguments: Output.Kind.allCases.filter { $0 != .raw && ($0 != .amr || hasAMR) })
  func tags(kind: Output.Kind) throws {
    var metadata = Metadata()
    for (key, value) in [
      ("title", "Dünen"), ("artist", "Ann"), ("album", "Deep"), ("track", "3/12"),
      ("genre", "Speech"), ("comment", "two\nlines"), ("mood", "calm"),
    ] {
      metadata[key] = value
    }
    let chapters = [
      Chapter(start: .zero, title: "One"),
      Chapter(start: Time(value: 4001, timescale: 44_100), title: "Two"),
    ]
    let rate = kind.capabilities.sampleRates.nearest(to: 44_100)
    let (predicted, found) = try write(
      formats(kind)[0], rate: rate, layout: kind == .amr ? .mono : .stereo, count: 20_000,
      metadata: metadata, chapters: chapters)
    func pairs(_ metadata: Metadata) -> [String: String] {
      Dictionary(uniqueKeysWithValues: metadata.items.map { ($0.key.lowercased(), $0.value) })
    }
    #expect(pairs(predicted.metadata) == pairs(found.metadata))
    #expect(predicted.chapters.map(\.title) == found.chapters.map(\.title))
    for (a, b) in zip(predicted.chapters, found.chapters) {
      let distance = a.start > b.start ? a.start - b.start : b.start - a.start
      #expect(distance <= Time(value: 1, timescale: 1000) && b.isInherited && a.isInherited)
    }
  }
}
