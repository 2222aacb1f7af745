import Diagnosis
import MediaComposition

/// Where the next item of a sound begins, before anything is known of it.
package struct JoinPlace: Sendable, Hashable {
  /// As those of a `Join`.
  package var frames: Range<Int64>
  /// Whether the level should go on: not where the job fades or says another gain.
  package var isSteady: Bool
  /// Where the job declares the next item.
  package var origin: Origin

  /// A join at `frames`.
  package init(_ frames: Range<Int64>, isSteady: Bool, origin: Origin = .unknown) {
    self.frames = frames
    self.isSteady = isSteady
    self.origin = origin
  }
}

/// Looks at the joins of a sound that goes by: for clicks, gaps and steps of level.
///
/// It holds a tenth of a second on each side of a join's ends, and the levels of some seconds. One
/// thread at a time.
package struct JoinInspector {
  private let sampleRate: Int
  private let places: [JoinPlace]
  /// The frames that are looked at, in order, and of which place each is an end.
  private let ends: [(frame: Int64, place: Int)]
  /// The next frame.
  private var position: Int64 = 0
  /// Sound from the frame `first` on, up to `position`; none where nothing is needed.
  private var planes: [[Float]]
  private var first: Int64 = 0
  private var levels: LevelTrack
  /// By place; nil for those that were not looked at.
  private var found: [Join?]
  /// Of `ends`, the one that is looked at next.
  private var next = 0
  /// The place whose level is judged next.
  private var judged = 0

  /// An inspector of sound that begins with frame 0.
  ///
  /// - Parameters:
  ///   - sampleRate: Frames a second.
  ///   - channelCount: Channels, at least one.
  ///   - places: The joins in order; none begins before the one before it.
  package init(sampleRate: Int, channelCount: Int, places: [JoinPlace]) {
    self.sampleRate = sampleRate
    self.places = places
    ends = places.enumerated().flatMap { index, place in
      Set([place.frames.lowerBound, place.frames.upperBound]).map { ($0, index) }
    }
    .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    planes = Array(repeating: [], count: channelCount)
    levels = LevelTrack(sampleRate: sampleRate)
    found = Array(repeating: nil, count: places.count)
  }

  /// The joins that were looked at.
  package var joins: [Join] { found.compactMap(\.self) }

  private func frames(_ seconds: Double) -> Int64 { Int64(seconds * Double(sampleRate)) }
  private var reach: Int64 { frames(JoinExamination.reach) }
  private var levelReach: Int64 { frames(LevelTrack.reach) }

  /// Takes the next `count` frames of planar sound.
  package mutating func add(_ sound: UnsafePointer<UnsafeMutablePointer<Float>>, count: Int) {
    guard judged < places.count else { return }
    let end = position + Int64(count)
    let needed = next < ends.count ? ends[next].frame - reach : .max
    if planes[0].isEmpty { first = max(position, min(needed, end)) }
    let start = Int(max(0, first - position))
    for channel in planes.indices where start < count {
      planes[channel] += UnsafeBufferPointer(start: sound[channel] + start, count: count - start)
    }
    // Most sound is far from any join.
    if end + frames(0.1) < places[judged].frames.lowerBound - levelReach {
      levels.skip(to: end)
    } else {
      levels.add(sound, channels: planes.count, count: count)
    }
    position = end
    examine(isLast: false)
  }

  /// Passes over frames that are not rendered: joins near them are not looked at.
  package mutating func skip(_ count: Int64) {
    examine(isLast: true)
    position += count
    while next < ends.count, ends[next].frame - reach < position { next += 1 }
    for channel in planes.indices { planes[channel] = [] }
    levels.skip(to: position)
  }

  /// Looks at what is left once the sound has ended.
  package mutating func finish() { examine(isLast: true) }

  private mutating func examine(isLast: Bool) {
    while next < ends.count {
      let (frame, index) = ends[next]
      guard position >= frame + reach || isLast && position >= frame else { break }
      examine(places[index], index, at: frame)
      next += 1
      forget()
    }
    while judged < places.count {
      let place = places[judged]
      guard next == ends.count || ends[next].frame > place.frames.upperBound else { break }
      if place.isSteady, found[judged] != nil {
        guard position >= place.frames.upperBound + levelReach || isLast else { break }
        if let step = levels.step(at: place.frames, between: items(at: judged)) {
          found[judged]?.flaws.append(.step(decibels: step))
        }
      }
      judged += 1
    }
    let oldest = judged < places.count ? places[judged].frames.lowerBound : position
    levels.forget(before: min(oldest, position) - levelReach)
  }

  private mutating func examine(_ place: JoinPlace, _ index: Int, at frame: Int64) {
    let examination = JoinExamination(
      planes: planes, first: first, sampleRate: sampleRate, frame: frame)
    let flaws = examination.flaws()
    guard let known = found[index] else {
      let picture = examination.picture()
      found[index] = Join(
        frames: place.frames, origin: place.origin, flaws: flaws, shown: picture.frames,
        samples: picture.samples, peak: picture.peak)
      return
    }
    found[index]?.flaws += flaws.filter { !known.flaws.contains($0) }
  }

  /// The frames of the items on both sides of a join: beyond their other ends are other levels.
  private func items(at index: Int) -> Range<Int64> {
    let frames = places[index].frames
    let start = index > 0 ? places[index - 1].frames.upperBound : 0
    let end = index + 1 < places.count ? places[index + 1].frames.lowerBound : .max
    return min(start, frames.lowerBound)..<max(end, frames.upperBound)
  }

  /// Drops the sound that no join needs any more.
  private mutating func forget() {
    let needed = next < ends.count ? ends[next].frame - reach : position
    let spare = min(needed, position) - first
    // Joins may lie close together: what is held is moved once in a while.
    guard spare > reach || needed >= position else { return }
    for channel in planes.indices {
      planes[channel].removeFirst(min(planes[channel].count, Int(spare)))
    }
    first += spare
  }
}
