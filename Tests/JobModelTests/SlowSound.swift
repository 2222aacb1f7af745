import MediaTime
import Transcripts

/// The slow twin of what maps transcripts: a sound as samples, each of which knows what is said in it.
struct SlowSound {
  /// Samples of a millisecond.
  static let perMillisecond = 4

  /// What is at a moment, whatever is said there.
  enum Presence { case none, sound, silenced }

  struct Sample {
    /// The number of a transcript; -1: nothing is said.
    var transcript: Int16 = -1
    var isReversed = false
    var isMuted = false
    var presence = Presence.none
    /// The sample of the transcript's own sound.
    var moment: Int32 = 0
  }

  /// By the names of the tracks around it, from the outermost.
  var lanes: [[String]: [Sample]]
  /// In samples.
  var count: Int
  /// Whether muted sound was removed: words and cues that went on into it are not read, which samples that
  /// are left cannot tell.
  var hasLostMuted = false

  var milliseconds: Int64 { Int64(count / Self.perMillisecond) }

  /// A recording with the words of a transcript.
  init(_ transcript: Int, milliseconds: Int64) {
    count = Int(milliseconds) * Self.perMillisecond
    lanes = [
      []: (0..<count).map {
        Sample(transcript: Int16(transcript), presence: .sound, moment: Int32($0))
      }
    ]
  }

  init(silent milliseconds: Int64) {
    count = Int(milliseconds) * Self.perMillisecond
    lanes = [:]
  }

  private static func samples(_ milliseconds: Int64) -> Int { Int(milliseconds) * perMillisecond }

  /// Changes all lanes, which then have one length again.
  private mutating func edit(_ body: ([Sample]) -> [Sample]) {
    // Without a lane the length alone would be lost.
    if lanes.isEmpty { lanes[[]] = Array(repeating: Sample(), count: count) }
    lanes = lanes.mapValues(body)
    count = lanes.first?.value.count ?? 0
  }

  mutating func keep(_ start: Int64, _ end: Int64) {
    let before = mutedMoments
    edit { Array($0[Self.samples(start)..<Self.samples(end)]) }
    hasLostMuted = hasLostMuted || before != mutedMoments
  }

  /// How often what is muted is there, by transcript and moment: a loop plays it several times.
  private var mutedMoments: [[Int32]: Int] {
    var found: [[Int32]: Int] = [:]
    for lane in lanes.values {
      for sample in lane where sample.isMuted {
        found[[Int32(sample.transcript), sample.moment], default: 0] += 1
      }
    }
    return found
  }

  mutating func mute(_ start: Int64, _ end: Int64) {
    edit { samples in
      var samples = samples
      for index in Self.samples(start)..<Self.samples(end) { samples[index].isMuted = true }
      return samples
    }
  }

  /// Other words for the whole.
  mutating func say(_ transcript: Int) {
    var said = Array(repeating: Sample(transcript: Int16(transcript)), count: count)
    for index in 0..<count {
      said[index].moment = Int32(index)
      said[index].isMuted = lanes.values.contains { $0[index].isMuted }
      let presences = lanes.values.map { $0[index].presence }
      said[index].presence =
        [.sound, .silenced].first { presences.contains($0) } ?? Presence.none
    }
    lanes = [[]: said]
  }

  mutating func sayNothing() {
    edit { samples in
      samples.map { sample in
        var sample = sample
        (sample.transcript, sample.isMuted, sample.presence) = (-1, false, .silenced)
        return sample
      }
    }
  }

  /// Gives it transcripts of its own, so that nothing around it goes on in its cues.
  mutating func keepApart(_ transcripts: inout [Transcript]) {
    var numbers: [Int16: Int16] = [-1: -1]
    for number in Set(lanes.values.flatMap { $0.map(\.transcript) }).sorted() where number >= 0 {
      numbers[number] = Int16(transcripts.count)
      transcripts.append(transcripts[Int(number)])
    }
    lanes = lanes.mapValues { lane in
      lane.map { sample in
        var sample = sample
        sample.transcript = numbers[sample.transcript] ?? -1
        return sample
      }
    }
  }

  mutating func reverse() {
    edit { samples in
      samples.reversed().map { sample in
        var sample = sample
        sample.isReversed.toggle()
        return sample
      }
    }
  }

  /// Plays it `n / d` times as fast.
  mutating func play(_ n: Int, _ d: Int) {
    let length = count * d / n
    edit { samples in (0..<length).map { samples[(2 * $0 + 1) * n / (2 * d)] } }
  }

  mutating func loop(_ rounds: Int) {
    edit { samples in (0..<rounds).flatMap { _ in samples } }
  }

  /// Takes out cuts, in order, and inserts sounds, in order, both at milliseconds of the unedited sound.
  mutating func edit(
    cuts: [(start: Int64, end: Int64)], insertions: [(at: Int64, sound: SlowSound)]
  ) {
    var parts: [SlowSound] = []
    var time: Int64 = 0
    func add(until end: Int64) {
      var start = time
      for cut in cuts where cut.end > start && cut.start < end {
        if start < cut.start { parts.append(part(start, cut.start)) }
        start = min(cut.end, end)
      }
      if start < end { parts.append(part(start, end)) }
      time = end
    }
    for insertion in insertions {
      add(until: insertion.at)
      parts.append(insertion.sound)
    }
    add(until: milliseconds)
    let (before, hadLost) = (mutedMoments, hasLostMuted)
    self = parts.dropFirst().reduce(parts[0]) { $0.followed(by: $1) }
    let after = mutedMoments
    hasLostMuted =
      hadLost || insertions.contains(where: \.sound.hasLostMuted)
      || before.contains { after[$0.key] ?? 0 < $0.value }
  }

  private func part(_ start: Int64, _ end: Int64) -> SlowSound {
    var part = self
    part.keep(start, end)
    return part
  }

  /// Both in sequence, with silence between them, or with a cross-fade.
  func followed(by next: SlowSound, after gap: Int64 = 0, crossfade: Int64 = 0) -> SlowSound {
    let start = count + Self.samples(gap) - Self.samples(crossfade)
    let seam = start + Self.samples(crossfade) / 2
    var both = SlowSound(silent: 0)
    both.count = start + next.count
    both.hasLostMuted =
      hasLostMuted || next.hasLostMuted
      || crossfade > 0
        && [self, next].contains { $0.lanes.values.contains { $0.contains(where: \.isMuted) } }
    for name in Set(lanes.keys).union(next.lanes.keys) {
      var lane = Array(repeating: Sample(), count: both.count)
      if let own = lanes[name] {
        for index in 0..<min(count, seam) { lane[index] = own[index] }
      }
      if let other = next.lanes[name] {
        for index in (seam - start)..<next.count { lane[start + index] = other[index] }
      }
      both.lanes[name] = lane
    }
    return both
  }

  /// Several at once, on tracks.
  init(_ tracks: [(name: String, sound: SlowSound)]) {
    count = tracks.map(\.sound.count).max() ?? 0
    hasLostMuted = tracks.contains(where: \.sound.hasLostMuted)
    lanes = [:]
    for (name, sound) in tracks {
      for (inner, samples) in sound.lanes {
        lanes[[name] + inner] =
          samples + Array(repeating: Sample(), count: count - samples.count)
      }
    }
  }
}
