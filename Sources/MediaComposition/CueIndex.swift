import MediaTime
import Transcripts

/// Finds the cues that are said in a range, by their own times and by those of their words, which may be
/// said before their cue or after it.
package final class CueIndex {
  let transcript: Transcript
  /// By cue: when it and its words are said.
  let said: [TimeRange]
  /// The cues by when the first of them is said.
  private let order: [Int]
  /// The latest end of the cues below each node of a binary tree, whose root is 1 and in which the nodes
  /// below `n` are `2 * n` and `2 * n + 1`; the last half are the cues in `order`.
  private let latestEnds: [Time]
  private let leafCount: Int

  /// O(n log n) in the number of cues, O(words).
  package init(_ transcript: Transcript) {
    let said = transcript.cues.map(\.said)
    let order = said.indices.sorted { (said[$0].start, $0) < (said[$1].start, $1) }
    var leaves = 1
    while leaves < order.count { leaves *= 2 }
    var ends = Array(repeating: Time.negativeInfinity, count: 2 * leaves)
    for (leaf, cue) in order.enumerated() { ends[leaves + leaf] = said[cue].end }
    for node in stride(from: leaves - 1, to: 0, by: -1) {
      ends[node] = max(ends[2 * node], ends[2 * node + 1])
    }
    self.transcript = transcript
    (self.said, self.order, leafCount, latestEnds) = (said, order, leaves, ends)
  }

  /// Calls `body` with the index of each cue of which some is said from `start` until `end`, in the order
  /// in which they begin to be said; with one of no length if it is there. O(log cues) for each of them.
  func forEachCue(from start: Time, until end: Time, _ body: (Int) -> Void) {
    let count = order.partitioningIndex { said[$0].start >= end }
    visit(1, of: 0..<leafCount, before: count, endingAfter: start) { leaf in
      let range = said[order[leaf]]
      if range.end > start || range.start == start { body(order[leaf]) }
    }
  }

  /// Visits the leaves below a node that come before a count and do not end before a time.
  private func visit(
    _ node: Int, of leaves: Range<Int>, before count: Int, endingAfter time: Time,
    _ body: (Int) -> Void
  ) {
    guard leaves.lowerBound < count, latestEnds[node] >= time else { return }
    guard leaves.count > 1 else { return body(leaves.lowerBound) }
    let middle = leaves.lowerBound + leaves.count / 2
    visit(2 * node, of: leaves.lowerBound..<middle, before: count, endingAfter: time, body)
    visit(2 * node + 1, of: middle..<leaves.upperBound, before: count, endingAfter: time, body)
  }

  /// The transcripts of parts of the timeline: for each the cues of which some is said in it, whole.
  ///
  /// A cue without times of words is said in the part that has half of it. Of one that is said in several
  /// parts, none of which has half, the part with the longest piece has that piece as the cue, so that no
  /// text is lost. O(log cues) for each of them.
  package func transcripts(around parts: [TimeRange]) -> [Transcript] {
    let cues = transcript.cues
    var heard = Array(repeating: Time.zero, count: cues.count)
    var longest: [Int: (piece: TimeRange, part: Int)] = [:]
    let found = parts.enumerated().map { part, range in
      var indices: [Int] = []
      forEachCue(from: range.start, until: range.end) { index in
        indices.append(index)
        let piece = cues[index].range.intersection(range)
        heard[index] = heard[index] + piece.duration
        if longest[index].map({ $0.piece.duration < piece.duration }) ?? true {
          longest[index] = (piece, part)
        }
      }
      return indices
    }
    longest = longest.filter { index, place in
      let length = cues[index].range.duration
      return place.piece.duration * 2 < length && heard[index] * 2 >= length
        && CueWords(cues[index]) == nil
    }
    return found.enumerated().map { part, indices in
      let own = indices.map { index in
        var cue = cues[index]
        if let place = longest[index], place.part == part {
          (cue.range, cue.settings) = (place.piece, nil)
        }
        return cue
      }
      return Transcript(own, language: transcript.language)
    }
  }
}

extension Cue {
  /// From the first to the last moment at which the cue or a word of it is said.
  var said: TimeRange {
    words.reduce(range) { said, word in word.range.map { said.union($0) } ?? said }
  }
}
