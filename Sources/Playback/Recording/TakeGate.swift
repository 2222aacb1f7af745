import ExportEngine
import MediaTime

/// Decides which frames are recorded: from the first sound on, until silence, up to a length. A
/// value of the writing thread.
struct TakeGate {
  enum Step: Equatable {
    /// Hold the frames, in case sound follows.
    case hold(Range<Int>)
    /// Record this many of the held frames, the oldest first, and drop the others.
    case release(Int)
    case record(Range<Int>)
    case end(Recording.End)
  }

  private let startLevel: Float?
  private let silence: RecordingSettings.Silence?
  private let silentFrames: Int64
  /// Frames that are still to be recorded; nil without a length.
  private(set) var left: Int64?
  private(set) var isWaiting: Bool
  private var hasHeard = false
  private var quiet: Int64 = 0

  /// Frames that are recorded before the start: the pre-roll, or half a second before the first
  /// sound.
  let leadFrames: Int

  init(_ settings: RecordingSettings, sampleRate: Int) {
    startLevel = settings.startLevel
    leadFrames = max(1, Int(settings.preRoll?.frames(atRate: sampleRate) ?? Int64(sampleRate / 2)))
    silence = settings.silence
    silentFrames = max(1, settings.silence?.duration.frames(atRate: sampleRate) ?? 1)
    left = settings.duration?.frames(atRate: sampleRate)
    isWaiting = settings.startLevel != nil
  }

  /// Sets the number of frames that are still to be recorded.
  mutating func limit(to frames: Int64) { left = frames }

  /// The instructions for `range` of a block after `held` frames, in order. O(n) in the samples.
  mutating func pass(_ block: AudioBuffer, _ range: Range<Int>, held: Int) -> [Step] {
    var steps: [Step] = []
    var range = range
    if isWaiting, let startLevel {
      let start = first(in: block, range, isQuiet: false, startLevel) ?? range.upperBound
      if start > range.lowerBound { steps.append(.hold(range.lowerBound..<start)) }
      guard start < range.upperBound else { return steps }
      isWaiting = false
      let released = taken(of: min(leadFrames, held + start - range.lowerBound))
      steps.append(.release(released))
      range = start..<range.upperBound
    }
    var end: Recording.End?
    if let silence, let stop = silenceEnd(in: block, range, silence.level) {
      range = range.lowerBound..<stop
      end = .silence
    }
    let count = taken(of: range.count)
    steps.append(.record(range.prefix(count)))
    if left == 0 { end = .duration }
    if let end { steps.append(.end(end)) }
    return steps
  }

  /// Counts up to `count` frames as recorded, such as those before the start, the oldest first; returns
  /// how many.
  mutating func taken(of count: Int) -> Int {
    guard let left else { return count }
    let taken = Int(min(Int64(count), left))
    self.left = left - Int64(taken)
    return taken
  }

  /// How many of `count` lost frames are recorded as silence, and whether that is the end.
  mutating func passSilence(_ count: Int64) -> (count: Int64, isEnd: Bool) {
    guard !isWaiting else { return (0, false) }
    let taken = taken(of: Int(clamping: count))
    return (Int64(taken), left == 0)
  }

  /// The index after the frame that completes the silence; nil without one.
  private mutating func silenceEnd(
    in block: AudioBuffer, _ range: Range<Int>, _ level: Float
  ) -> Int? {
    var index = range.lowerBound
    while index < range.upperBound {
      // A run of silence, then one of sound.
      let sound = first(in: block, index..<range.upperBound, isQuiet: false, level)
      let run = (sound ?? range.upperBound) - index
      if hasHeard {
        if quiet + Int64(run) >= silentFrames { return index + Int(silentFrames - quiet) }
        quiet += Int64(run)
      }
      guard let sound else { return nil }
      hasHeard = true
      quiet = 0
      index =
        first(in: block, sound..<range.upperBound, isQuiet: true, level) ?? range.upperBound
    }
    return nil
  }

  /// The first quiet frame, with all channels below a level, or the first other one.
  private func first(
    in block: AudioBuffer, _ range: Range<Int>, isQuiet: Bool, _ level: Float
  ) -> Int? {
    var index = range.lowerBound
    while index < range.upperBound {
      var largest: Float = 0
      var channel = 0
      while channel < block.channelCount {
        largest = max(largest, abs(block.planes[channel][index]))
        channel += 1
      }
      if (largest < level) == isQuiet { return index }
      index += 1
    }
    return nil
  }
}
