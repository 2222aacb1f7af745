import Diagnosis
import MediaTime

/// A track of texts in a file, of which an export has the words.
package struct KeptText: Sendable, Hashable, Codable {
  /// The file.
  package var location: MediaLocation
  /// The track's number among the file's streams.
  package var streamIndex: Int

  /// Stream `streamIndex` of a file.
  package init(_ location: MediaLocation, streamIndex: Int) {
    (self.location, self.streamIndex) = (location, streamIndex)
  }
}

extension Composition {
  /// The sources of which words are muted, each once, in the order of their first use: tracks of texts in
  /// their files still have what is not to be read. O(segments · ranges that are muted).
  package var redactedSources: [MediaLocation] {
    var found: [MediaLocation] = []
    collectRedacted(RedactedPart(), &found)
    return found
  }

  /// The sources of which anything is muted, each once, in the order of their first use, whether it has
  /// words or not. O(segments · ranges that are muted).
  package var silencedSources: [MediaLocation] {
    var found: [MediaLocation] = []
    collectRedacted(RedactedPart(hasWords: true), &found)
    return found
  }

  fileprivate func collectRedacted(_ part: RedactedPart, _ found: inout [MediaLocation]) {
    for track in tracks {
      var part = part
      part.isSilent =
        part.isSilent || track.mix.gain == .silence || track.preferredVolume == .silence
      for segment in track.segments { segment.collectRedacted(part, &found) }
    }
  }
}

/// What is known of a part of a composition from what is around it.
private struct RedactedPart {
  /// What is muted of it, in its own time.
  var ranges: [TimeRange] = []
  /// Whether all of it is muted.
  var isSilent = false
  /// Whether it has words that stand instead of its parts' own.
  var hasWords = false
}

extension Segment {
  fileprivate func collectRedacted(_ around: RedactedPart, _ found: inout [MediaLocation]) {
    var part = around
    part.isSilent = around.isSilent || mix.gain == .silence
    part.hasWords = around.hasWords || transcript != nil
    let own = speech?.redactions.map { $0.range.moved(by: target.start) } ?? []
    part.ranges = (around.ranges + own).map { $0.intersection(target) }
      .filter { $0.duration > .zero }
    switch content {
    case .silence: return
    case .asset(let asset):
      guard !part.ranges.isEmpty || part.isSilent && part.hasWords,
        !found.contains(asset.location)
      else { return }
      found.append(asset.location)
    case .composition(let inner):
      part.ranges = part.ranges.map { range in
        let ends = [range.start, range.end].map { time in
          let moment = target.map(time, to: source)
          return isReversed ? source.start + (source.end - moment) : moment
        }
        return TimeRange(start: min(ends[0], ends[1]), end: max(ends[0], ends[1]))
      }
      inner.collectRedacted(part, &found)
    }
  }
}
