import MediaComposition
import MediaTime

/// The cues of a file as its chapters, beside those that its tags list: cues are exact to the frame, and
/// tags have titles, links and images, at whole milliseconds.
struct CuedChapters {
  /// Those before the end of the sound, where a chapter lasts, in order of time.
  private let cues: [MediaMarks.Cue]
  /// All of them.
  private let all: [MediaMarks.Cue]
  private let rate: Int

  /// - Parameters:
  ///   - cues: In order of time.
  ///   - rate: Frames of the sound a second.
  ///   - frameCount: Frames of the sound.
  init(_ cues: [MediaMarks.Cue], rate: Int, frameCount: Int64) {
    (all, self.rate) = (cues, rate)
    self.cues = cues.filter { $0.frame < frameCount }
  }

  var count: Int { cues.count }

  /// One list of both. Where they agree, or there is one alone, it has the frames of cues, and what tags
  /// have beside.
  ///
  /// - Parameters:
  ///   - listed: Those of tags, in order of time.
  ///   - prefersCues: Which ones count where the two differ.
  /// - Returns: The chapters, and whether the lists differ.
  /// - Complexity: O(cues + chapters)
  func joined(
    with listed: [Chapter], prefersCues: Bool
  ) -> (chapters: [Chapter], differs: Bool) {
    guard !cues.isEmpty else { return (listed, false) }
    let agrees = listed.isEmpty || agree(with: listed)
    return (agrees || prefersCues ? completed(by: listed) : listed, !agrees)
  }

  /// A millisecond, to which tags round.
  private static let tolerance = Time(value: 1, timescale: 1000)

  /// Whether each chapter begins with a cue that has its title or none, and with each cue a chapter. Of
  /// cues within a millisecond tags have one, and they may have one at the end of the sound.
  private func agree(with listed: [Chapter]) -> Bool {
    var next = 0
    let hasCues = listed.allSatisfy { chapter in
      while next < all.count, start(of: all[next]) + Self.tolerance < chapter.start { next += 1 }
      return all[next...].prefix(Self.mostNear).contains {
        isNear($0, chapter) && $0.isOne(chapter)
      }
    }
    next = 0
    return hasCues
      && cues.allSatisfy { cue in
        while next < listed.count, listed[next].start + Self.tolerance < start(of: cue) {
          next += 1
        }
        return next < listed.count && isNear(cue, listed[next])
      }
  }

  /// The cues as chapters, with titles, links and images of those that begin with them. Of several at one
  /// frame the last one with a title of theirs is the last.
  private func completed(by listed: [Chapter]) -> [Chapter] {
    var (found, isFound): ([Chapter], Bool) = ([], false)
    var next = 0
    for cue in cues {
      let start = start(of: cue)
      while next < listed.count, listed[next].start + Self.tolerance < start { next += 1 }
      let match = listed.indices[next...].prefix(Self.mostNear)
        .filter { isNear(cue, listed[$0]) && cue.isOne(listed[$0]) }
        .min { gap(cue, listed[$0]) < gap(cue, listed[$1]) }
      var chapter = Chapter(start: start, title: cue.label ?? "", isInherited: true)
      if let match {
        (chapter.url, chapter.image) = (listed[match].url, listed[match].image)
        // Cues without a label get such titles in formats that need some (`MarkSettler`).
        let isGenerated = cue.label == nil && listed[match].title == "Marker \(match + 1)"
        if !isGenerated { chapter.title = listed[match].title }
      } else if isFound, found.last?.start == start {
        continue
      }
      isFound = match != nil
      found.append(chapter)
    }
    return found
  }

  /// Cues or chapters within a millisecond that are looked at.
  private static let mostNear = 16

  private func start(of cue: MediaMarks.Cue) -> Time { Time(frames: cue.frame, rate: rate) }

  private func gap(_ cue: MediaMarks.Cue, _ chapter: Chapter) -> Time {
    let gap = start(of: cue) - chapter.start
    return max(gap, .zero - gap)
  }

  private func isNear(_ cue: MediaMarks.Cue, _ chapter: Chapter) -> Bool {
    gap(cue, chapter) <= Self.tolerance
  }
}

extension MediaMarks.Cue {
  /// Whether a chapter has its label, of which AIFF has at most 255 bytes.
  fileprivate func isOne(_ chapter: Chapter) -> Bool {
    guard let label else { return true }
    let isCut = label.utf8.count > 255 - 4 && chapter.title.utf8.starts(with: label.utf8)
    return label == chapter.title || isCut
  }
}
