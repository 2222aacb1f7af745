import MediaComposition
import MediaTime

extension Lowering {
  /// A sequence by itself.
  mutating func composition(of sequence: ItemSequence, origin: Origin) -> Composition? {
    tracks(of: sequence, name: nil, origin: origin).map(Composition.init(tracks:))
  }

  /// Sequences that sound together.
  mutating func composition(of tracks: [ItemTrack]) -> Composition? {
    var lowered: [Track] = []
    var isWhole = true
    for track in tracks {
      let sequence = track.sequence.flattened
      if let tracks = self.tracks(of: sequence, name: track.name, origin: track.origin) {
        lowered += tracks
      } else {
        isWhole = false
      }
    }
    return isWhole ? Composition(tracks: lowered) : nil
  }

  /// A sequence as one track, or as two where items cross-fade: those that sound at once stand on
  /// different tracks.
  private mutating func tracks(
    of sequence: ItemSequence, name: String?, origin: Origin
  ) -> [Track]? {
    guard var placed = placed(sequence) else { return nil }
    // Not in order of writing where `at` says so; the sort is stable.
    placed.sort { $0.start < $1.start }
    guard checkOverlaps(placed) else { return nil }
    var lanes: [[Segment]] = [[], []]
    var lane = 0
    for item in placed {
      if item.crossfade != nil { lane = 1 - lane }
      lanes[lane].append(item.voice.segment(at: item.start))
    }
    return lanes.filter { !$0.isEmpty }.map { Track(name: name, segments: $0, origin: origin) }
  }

  /// A voice with its place in a sequence.
  private struct Placed {
    var voice: Voice
    /// Its place in the order of writing.
    var index: Int
    var start: Time
    /// How long the one before sounds on; nil where it has ended.
    var crossfade: Time?
    /// Where its place is written.
    var origin: Origin

    var end: Time { start + voice.duration }
  }

  private mutating func placed(_ sequence: ItemSequence) -> [Placed]? {
    // Each is lowered, also behind one that failed.
    let voices = sequence.items.map { voice($0) }
    var placed: [Placed] = []
    var isWhole = true
    for (index, item) in sequence.items.enumerated() {
      guard let voice = voices[index] else {
        isWhole = false
        continue
      }
      var next = Placed(
        voice: voice, index: index, start: placed.last?.end ?? .zero,
        origin: item.at?.origin ?? item.origin)
      if let at = item.at {
        guard let start = time(at, rate: sampleRate) else {
          isWhole = false
          continue
        }
        next.start = start
      } else if let fade = item.crossfade ?? (index > 0 ? sequence.crossfade : nil), isWhole {
        guard cross(fade, from: &placed, to: &next) else {
          isWhole = false
          continue
        }
      }
      placed.append(next)
    }
    return isWhole ? placed : nil
  }

  /// Lets `next` start before the last of `placed` has ended, and ramps both.
  private mutating func cross(
    _ fade: Located<Fade>, from placed: inout [Placed], to next: inout Placed
  ) -> Bool {
    guard let duration = time(Located(fade.value.duration, at: fade.origin), rate: sampleRate)
    else { return false }
    guard duration > .zero else { return true }
    guard let before = placed.last?.voice else {
      error(
        "the first item has none before it to cross-fade with", at: fade.origin,
        help: "write 'fade_in'")
      return false
    }
    guard duration + duration <= min(before.duration, next.voice.duration) else {
      let text = Self.text(duration)
      let (a, b) = (Self.text(before.duration), Self.text(next.voice.duration))
      error(
        "a cross-fade of \(text) is longer than half of an item: \(before.name) lasts \(a), \(next.voice.name) \(b)",
        at: fade.origin, notes: [.init("the items join here", at: next.voice.origin)])
      return false
    }
    let curve = fade.value.curve ?? .equalPower
    let end = TimeRange(start: before.duration - duration, duration: duration)
    let start = TimeRange(start: .zero, duration: duration)
    placed[placed.count - 1].voice.mix.envelopes.append(
      VolumeEnvelope([VolumeRamp(from: .unity, to: .silence, over: end, curve: curve)]))
    next.voice.mix.envelopes.append(
      VolumeEnvelope([VolumeRamp(from: .silence, to: .unity, over: start, curve: curve)]))
    next.start = next.start - duration
    next.crossfade = duration
    return true
  }

  /// Whether nothing overlaps but cross-fades.
  private mutating func checkOverlaps(_ placed: [Placed]) -> Bool {
    var isFree = true
    for (a, b) in zip(placed, placed.dropFirst()) where b.start < a.end {
      if b.index == a.index + 1, b.crossfade != nil { continue }
      // The one that says where it starts is to blame; of two, the later written.
      let (blamed, other) = a.index > b.index ? (a, b) : (b, a)
      let start = lengths(b.start, a.end)
      error(
        "items overlap: one starts at \(start.a), before another ends at \(start.b)",
        at: blamed.origin, help: "put it on a track of its own, or let it 'crossfade'",
        notes: [.init("the other one is here", at: other.voice.origin)])
      isFree = false
    }
    return isFree
  }
}

extension ItemSequence {
  /// A sequence of one plain sequence is that sequence.
  fileprivate var flattened: ItemSequence {
    guard items.count == 1, let only = items.first, only.at == nil, only.isPlain,
      case .concat(let inner) = only.content
    else { return self }
    return inner
  }
}

extension Item {
  /// Whether nothing is done to the content.
  fileprivate var isPlain: Bool {
    range == nil && gain == nil && volume.isEmpty && fadeIn == nil && fadeOut == nil
      && chapters.isEmpty
  }
}
