import Diagnosis
import ExportGraph
import LibAV
import MediaComposition
import MediaTime
import Splicing
import Threads

/// Sounds of sources beside the one that an output is made of, such as those in other languages: cut and
/// joined with the picture, to the sample, and encoded as the output's own sound is, in rates and channels
/// of their own. Where a source lacks one, it is silent.
///
/// One thread at a time. Memory is bounded by a block of each, and what its encoder holds.
final class OtherSounds {
  private var sounds: [any OtherSound] = []
  /// The title, handler and roles of each one's track.
  private var labels: [TrackLabels] = []
  private var leftOut: [Warning] = []

  /// What sources could not give.
  var warnings: [Warning] {
    leftOut + sounds.flatMap { Renderer.damageWarnings(of: [$0.renderer]) }
  }

  /// None.
  init() {}

  /// Those of a plan, in the codec of its output, whose own sound begins `delay` after the file's clock:
  /// they begin with that.
  ///
  /// - Throws: As opening a source, where it can be read by a probe.
  init(
    of plan: PicturePlan, like sink: Sink, _ format: AudioFormat, delayedBy delay: Time,
    from library: MediaLibrary, unless cancellation: CancellationFlag
  ) throws(Failure) {
    // Whole samples, by which the own sound is moved: so edges of both are rounded alike.
    let rate = format.sampleRate
    let delay = Time(frames: delay.frames(atRate: rate), rate: rate)
    for track in plan.sounds {
      let assets = try assets(of: track, plan, library)
      let found = assets.compactMap { asset in
        asset.map { AudioFormat(sampleRate: $0.sampleRate, channelLayout: $0.channelLayout) }
      }
      guard !found.isEmpty else { continue }
      let own = OtherSoundFormat(of: found, like: sink.format, format)
      let segments = plan.soundSegments(of: assets, delayedBy: delay)
      let graph = try Graph(compiling: Self.export(segments, like: sink, own))
      let renderer = try Renderer(graph, library: library, cancellation: cancellation)
      sounds.append(try Self.sound(renderer, graph, own.sound, track.first?.language))
      labels.append(try Self.labels(of: track, plan, library))
    }
  }

  /// The labels of the first source's track, of those that have one.
  private static func labels(
    of track: JoinedTrack, _ plan: PicturePlan, _ library: MediaLibrary
  ) throws(Failure) -> TrackLabels {
    for (stream, asset) in zip(track.streams, plan.assets) {
      guard let stream else { continue }
      let streams = try library.openPictures(of: asset).streams
      return streams.first { $0.index == stream.index }?.labels ?? TrackLabels()
    }
    return TrackLabels()
  }

  /// The tracks of all.
  func tracks() throws(LibAVError) -> [SoundTrack] {
    var tracks: [SoundTrack] = []
    for (sound, labels) in zip(sounds, labels) {
      tracks.append(
        try SoundTrack(sound.encoder, language: sound.language, labels: labels) {
          () throws(LibAVError) in
          do throws(Failure) {
            return try sound.next()
          } catch {
            throw LibAVError.refusedPicture(error.message).blamed(on: error)
          }
        })
    }
    return tracks
  }

  /// The sounds of a track, by the plan's sources; nil for what a source does not have, or what cannot be
  /// decoded.
  private func assets(
    of track: JoinedTrack, _ plan: PicturePlan, _ library: MediaLibrary
  ) throws(Failure) -> [Asset?] {
    var found: [Asset?] = []
    for (stream, asset) in zip(track.streams, plan.assets) {
      guard let stream else {
        found.append(nil)
        continue
      }
      do throws(Failure) {
        found.append(try library.asset(at: asset.location, streamIndex: stream.index))
      } catch {
        guard error.remedy != .tryAgain else { throw error }
        leftOut.append(
          Warning(
            "its stream \(stream.index) (\(stream.codec)) is left out of the output: \(error.message)",
            location: asset.location))
        found.append(nil)
      }
    }
    return found
  }

  /// An export of one track alone, as an output has it.
  private static func export(
    _ segments: [Segment], like sink: Sink, _ own: OtherSoundFormat
  ) -> Export {
    var output = sink.output
    output.request = .exactly(own.format)
    (output.sampleRate, output.channelLayout) = (own.sound.sampleRate, own.sound.channelLayout)
    (output.video, output.loudness, output.conform) = (Output.Video.none, nil, nil)
    (output.copying, output.metadata) = (nil, Metadata())
    return Export(
      name: "", composition: Composition(tracks: [Track(segments: segments)]),
      sampleRate: own.sound.sampleRate, channelLayout: own.sound.channelLayout, outputs: [output])
  }

  private static func sound(
    _ renderer: Renderer, _ graph: Graph, _ format: AudioFormat, _ language: String?
  ) throws(Failure) -> any OtherSound {
    guard let sink = graph.sinks.first else { throw Failure(.reportBug, "has no sound to encode") }
    let own = try recipe(for: sink, format: format) { _, _ in nil }
    do throws(LibAVError) {
      let encoder = try own.openEncoder()
      switch own.codec {
      case .flac(let bitDepth), .alac(let bitDepth):
        let samples = try IntegerSamples(
          own, bitDepth: bitDepth, channelCount: format.channelLayout.count, crew: Crew())
        return EncodedSound(renderer, sink, encoder, own, samples, language)
      case .aac, .vorbis, .opus, .amr, .ima4, .pcm, .muLaw, .aLaw, .g722, .gsm:
        return EncodedSound(renderer, sink, encoder, own, FloatSamples(), language)
      }
    } catch {
      throw error.machineFailure
    }
  }
}

extension PicturePlan {
  /// What sounds with its pictures of other sounds of its sources, one after the other, from the start of
  /// the file's clock on, `delay` before the output's own sound.
  ///
  /// The first and the last one are as open as the pictures are (`PictureReels.ranges`): from a source that
  /// is played from its start all is heard that lies before its own sound, and of one that is played to
  /// its end all that lies behind it.
  fileprivate func soundSegments(of others: [Asset?], delayedBy delay: Time) -> [Segment] {
    var segments: [Segment] = []
    var end = Time.zero
    /// Is silent up to a moment.
    func goOn(to moment: Time) {
      guard end < moment else { return }
      segments.append(
        Segment(.silence, source: TimeRange(start: .zero, duration: moment - end), at: end))
      end = moment
    }
    let heard = spans.flatMap(\.heard)
    for (place, span) in heard.enumerated() {
      guard let other = others[span.asset] else { continue }
      // A delay is that of a source that is played from its start.
      let lead = place == 0 ? delay : .zero
      // Each counts from its own start.
      let start = span.source.start + assets[span.asset].start - other.start - lead
      var wanted = TimeRange(start: start, duration: span.source.duration + lead)
      if place == heard.count - 1, playsToEnd, other.duration > wanted.end {
        wanted = TimeRange(start: start, end: other.duration)
      }
      let there = wanted.intersection(TimeRange(start: .zero, duration: other.duration))
      guard there.duration > .zero else { continue }
      goOn(to: span.target.start + delay - lead + (there.start - wanted.start))
      segments.append(Segment(.asset(other), source: there, at: end))
      end = end + there.duration
    }
    goOn(to: duration + delay)
    return segments
  }

  /// Whether what is heard last is a source that is played to its end.
  private var playsToEnd: Bool {
    guard let last = spans.last, last.entering.isEmpty else { return false }
    return isToEnd(spans.count - 1)
  }
}

/// One of them.
private protocol OtherSound: AnyObject {
  var renderer: Renderer { get }
  var encoder: LibAV.Encoder { get }
  var language: String? { get }

  /// The next packet, timed in frames of the sound; nil at the end.
  func next() throws(Failure) -> Packet?
}

/// A sound that is rendered and encoded as its packets are asked for.
private final class EncodedSound<Samples: EncodedSamples>: OtherSound {
  let renderer: Renderer
  let encoder: LibAV.Encoder
  let language: String?
  private let part: LibAVPart<Samples.Sample>
  private var samples: Samples
  private let master: Node.ID
  private let frameCount: Int64
  private var position: Int64 = 0
  private let block: AudioBuffer
  private var pending: ArraySlice<Placed<Packet>> = []
  private var isDone = false

  init(
    _ renderer: Renderer, _ sink: Sink, _ encoder: LibAV.Encoder, _ recipe: LibAVRecipe,
    _ samples: Samples, _ language: String?
  ) {
    (self.renderer, self.encoder, self.language) = (renderer, encoder, language)
    let isFLAC = if case .flac = recipe.codec { true } else { false }
    part = LibAVPart(encoder, at: 0, isFLAC: isFLAC)
    (self.samples, master, frameCount) = (samples, sink.node, Int64(sink.frames.count))
    block = AudioBuffer(channelCount: encoder.channelCount, capacity: Renderer.blockSize)
  }

  func next() throws(Failure) -> Packet? {
    while pending.isEmpty, !isDone { pending = try encoded()[...] }
    return pending.popFirst()?.packet
  }

  /// The packets that the next block completes.
  private func encoded() throws(Failure) -> [Placed<Packet>] {
    var packets: [Placed<Packet>] = []
    guard position < frameCount else {
      isDone = true
      try part.finish(into: &packets)
      try Renderer.requireHeard([renderer])
      return packets
    }
    let end = min(position + Int64(Renderer.blockSize), frameCount)
    try renderer.read(position..<end, of: master, into: block)
    position = end
    try samples.convert(block) { planes, count throws(Failure) in
      try part.encode(planes, from: 0, count: count, into: &packets)
    }
    return packets
  }
}
