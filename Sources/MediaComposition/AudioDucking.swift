import MediaTime

/// How a track is lowered while other tracks of its composition sound: by a fixed depth, attained
/// before they begin.
///
/// The offline counterpart of `AVAudioVoiceProcessingOtherAudioDuckingConfiguration`, with a depth
/// in decibels in place of a level of the system's. A composition holds what comes, so the level of
/// the key tracks is read ahead.
public struct AudioDucking: Sendable, Hashable, Codable {
  /// Names of tracks of the same composition, all of those that have one of them. Their sound is
  /// what they give to the mix: after their own mixes and duckings.
  package var keyTracks: [String]
  /// Decibels by which the track is lowered, 0 … 100.
  package var depth: Double
  /// How long the level falls, straight in decibels, before a key track begins.
  package var attack: Time
  /// How long the level stays down after a key track has ended: pauses between words are no ends.
  package var hold: Time
  /// How long the level rises after that, straight in decibels.
  package var release: Time
  /// A key track sounds while its RMS over 10 ms, in its loudest channel, is at least this.
  package var threshold: Gain

  /// The longest of each of the three times.
  package static let longestTime = Time(value: 30, timescale: 1)

  /// A ducking under tracks of these names. The other defaults suit speech over music: −40 dB is
  /// above the noise of quiet rooms, and below the quiet sounds of words.
  public init(
    under keyTracks: [String], by depth: Double, attack: Time = Time(value: 80, timescale: 1000),
    hold: Time = Time(value: 300, timescale: 1000),
    release: Time = Time(value: 600, timescale: 1000),
    threshold: Gain = Gain(decibels: -40)
  ) {
    self.keyTracks = keyTracks
    self.depth = depth
    self.attack = attack
    self.hold = hold
    self.release = release
    self.threshold = threshold
  }

  /// Whether it names a track, and its depth, times and threshold are within bounds.
  var isValid: Bool {
    !keyTracks.isEmpty && (0...100).contains(depth) && threshold != .silence
      && [attack, hold, release].allSatisfy {
        $0.isNumeric && .zero <= $0 && $0 <= Self.longestTime
      }
  }
}

extension Composition {
  /// A ducking that cannot be, and the index of its track.
  package struct DuckingProblem: Error {
    package var track: Int
    package var error: EditError
  }

  /// The most duckings in a row, each under the track of the next one: rendering nests as deep.
  package static let longestDuckingChain = 4

  /// For each track that is ducked by more than 0 dB, the indices of its key tracks; a track stands
  /// after its keys. O(tracks + keys).
  ///
  /// - Throws: `EditError.invalidDucking`, `unknownTrack`, `circularDucking` or `tooManyDuckings`.
  package func duckings() throws(DuckingProblem) -> [(track: Int, keys: [Int])] {
    let ducked = tracks.indices.filter { tracks[$0].ducking != nil }
    guard !ducked.isEmpty else { return [] }
    let heard = tracks.indices.filter { tracks[$0].mediaType == .audio }
    let named = Dictionary(grouping: heard) { tracks[$0].name }
    var keys: [Int: [Int]] = [:]
    for index in ducked {
      guard let ducking = tracks[index].ducking else { continue }
      guard ducking.isValid else {
        throw DuckingProblem(track: index, error: .invalidDucking(ducking))
      }
      var found: Set<Int> = []
      for name in ducking.keyTracks {
        guard let tracks = named[name] else {
          throw DuckingProblem(track: index, error: .unknownTrack(name))
        }
        found.formUnion(tracks)
      }
      keys[index] = found.sorted()
    }
    // In rounds: tracks whose keys wait for no other one.
    var ordered: [(track: Int, keys: [Int])] = []
    var waiting = ducked
    for _ in 0..<Self.longestDuckingChain where !waiting.isEmpty {
      let blocked = Set(waiting)
      let ready = waiting.filter { blocked.isDisjoint(with: keys[$0] ?? []) }
      ordered += ready.map { ($0, keys[$0] ?? []) }
      waiting = waiting.filter { !blocked.isDisjoint(with: keys[$0] ?? []) }
    }
    if var last = waiting.first {
      // From key to key, so many steps end in a circle, or at a track that waits for none.
      let blocked = Set(waiting)
      func next(_ track: Int) -> Int? { keys[track]?.first(where: blocked.contains) }
      for _ in waiting { last = next(last) ?? last }
      throw DuckingProblem(
        track: last,
        error: next(last) == nil ? .tooManyDuckings : .circularDucking(tracks[last].name ?? ""))
    }
    return ordered.filter { tracks[$0.track].ducking?.depth ?? 0 > 0 }
  }
}
