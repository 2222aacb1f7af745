import MediaComposition

/// What is played of a stream, one piece after the other: frames of it, or silence. A container's edits
/// and holes in its time stamps make them.
struct SoundPieces: Sendable, Hashable {
  struct Piece: Sendable, Hashable {
    /// The first frame of the stream; nil for silence.
    var start: Int64?
    var count: Int64
  }

  private(set) var pieces: [Piece] = []
  /// Whether an edit list has them; else they are what lies between holes.
  var areEdits = false
  /// Where each piece ends in what is played.
  private(set) var ends: [Int64] = []

  /// Frames in all.
  var frameCount: Int64 { ends.last ?? 0 }

  /// Eleven years at the highest rate.
  static let longest: Int64 = 1 << 48
  /// More pieces than any program makes.
  static let most = 1 << 17

  init() {}

  /// Adds a piece behind the others; silence alone where nothing sounds before it is left out.
  ///
  /// - Returns: Whether there is room.
  mutating func append(_ piece: Piece) -> Bool {
    guard piece.count > 0, piece.start != nil || !pieces.isEmpty else { return true }
    let (end, isTooLong) = frameCount.addingReportingOverflow(piece.count)
    guard !isTooLong, end <= Self.longest, pieces.count < Self.most else { return false }
    if let last = pieces.last, (last.start == nil) == (piece.start == nil),
      last.start.map({ $0 + last.count }) == piece.start
    {
      pieces[pieces.count - 1].count += piece.count
      ends[ends.count - 1] = end
    } else {
      pieces.append(piece)
      ends.append(end)
    }
    return true
  }

  /// The frames of the stream where they are played as one; nil where there is more to it.
  var sole: Range<Int64>? {
    guard pieces.count == 1, let start = pieces[0].start else { return nil }
    return start..<start + pieces[0].count
  }

  /// The piece in which a frame of what is played lies, by its number. O(log n).
  func index(of frame: Int64) -> Int { ends.partitioningIndex { $0 > frame } }
}

/// Where the frames of a stream lie on its container's clock, counted in frames as well.
struct MediaClock: Sendable, Hashable {
  /// Frames of the stream from `frame` on, without a hole.
  struct Run: Sendable, Hashable {
    var frame: Int64
    var time: Int64
  }

  /// In order, at least one; between two of them nothing sounds.
  var runs: [Run]
  /// Frames of the stream.
  var end: Int64

  /// A stream without holes, whose first frame lies at `time`.
  init(from time: Int64, count: Int64) { (runs, end) = ([Run(frame: 0, time: time)], count) }

  /// The time behind the last frame.
  var endTime: Int64 { runs[runs.count - 1].time + end - runs[runs.count - 1].frame }

  /// The silence before each run but the first: where it begins and its length.
  var holes: [(time: Int64, count: Int64)] {
    zip(runs, runs.dropFirst()).map { before, next in
      let start = before.time + next.frame - before.frame
      return (start, next.time - start)
    }
  }

  /// Adds what lies in a range of time to what is played.
  ///
  /// - Returns: Whether there is room.
  /// - Complexity: O(log holes + holes in the range)
  func append(_ times: Range<Int64>, to played: inout SoundPieces) -> Bool {
    var place = times.lowerBound
    var index = max(0, runs.partitioningIndex { $0.time > times.lowerBound } - 1)
    while place < times.upperBound {
      guard index < runs.count else {
        return played.append(.init(start: nil, count: times.upperBound - place))
      }
      let run = runs[index]
      let next = index + 1 < runs.count ? runs[index + 1].frame : end
      let runEnd = run.time + next - run.frame
      if place < run.time {
        let silent = min(run.time, times.upperBound) - place
        guard played.append(.init(start: nil, count: silent)) else { return false }
        place += silent
      }
      if place < min(runEnd, times.upperBound) {
        let count = min(runEnd, times.upperBound) - place
        guard played.append(.init(start: run.frame + place - run.time, count: count)) else {
          return false
        }
        place += count
      }
      index += 1
    }
    return true
  }
}
