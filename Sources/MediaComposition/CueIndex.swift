import MediaTime
import Transcripts

/// Finds the cues that are said in a range.
package final class CueIndex {
  let transcript: Transcript
  /// The latest end of the cues below each node of a binary tree, whose root is 1 and in which the nodes
  /// below `n` are `2 * n` and `2 * n + 1`; the last half are the cues.
  private let latestEnds: [Time]
  private let leafCount: Int

  /// O(cues).
  package init(_ transcript: Transcript) {
    self.transcript = transcript
    var leaves = 1
    while leaves < transcript.cues.count { leaves *= 2 }
    var ends = Array(repeating: Time.negativeInfinity, count: 2 * leaves)
    for (index, cue) in transcript.cues.enumerated() { ends[leaves + index] = cue.range.end }
    for node in stride(from: leaves - 1, to: 0, by: -1) {
      ends[node] = max(ends[2 * node], ends[2 * node + 1])
    }
    (leafCount, latestEnds) = (leaves, ends)
  }

  /// Calls `body` with the index of each cue of which some is said from `start` until `end`, in order;
  /// with one of no length if it is there. O(log cues) for each of them.
  func forEachCue(from start: Time, until end: Time, _ body: (Int) -> Void) {
    let count = transcript.cues.partitioningIndex { $0.range.start >= end }
    visit(1, of: 0..<leafCount, before: count, endingAfter: start) { index in
      let range = transcript.cues[index].range
      if range.end > start || range.start == start { body(index) }
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

  /// The cues of which some is said in a range, whole. O(log cues) for each of them.
  package func transcript(around range: TimeRange) -> Transcript {
    var cues: [Cue] = []
    forEachCue(from: range.start, until: range.end) { cues.append(transcript.cues[$0]) }
    return Transcript(cues, language: transcript.language)
  }
}
