import Diagnosis
import LibAV
import MediaComposition
import MediaTime

/// Chapters that are no ID3 frames.
extension Prober {
  /// In order of time, each at a time of its own: of several at one, the last counts. The sound
  /// begins at `start` of their clock. Where a file of `frameCount` has no other chapters, its `cues` are
  /// chapters.
  ///
  /// - Returns: The chapters, and what is odd about them.
  func chapters(
    of demuxer: Demuxer, from start: Time, cues: [MediaMarks.Cue] = [], frameCount: Int64 = 0
  ) throws(Failure) -> (chapters: [Chapter], warnings: [Warning]) {
    var (found, oddities): ([Chapter], [String]) = ([], [])
    if demuxer.formatName.hasPrefix("matroska,"),
      let stored = try ContainerFacts.matroskaChapters(in: bytes)
    {
      found = stored.chapters.map { chapter in
        Chapter(
          start: Time(value: chapter.start, timescale: 1_000_000_000), title: chapter.title,
          isInherited: true)
      }
      oddities = stored.oddities
      let together = found.count - Set(found.map(\.start)).count
      if together > 0 {
        oddities.append(
          "\(together) of its chapters \(together == 1 ? "begins" : "begin") where another one does: "
            + "the last of these counts")
      }
    } else {
      found = demuxer.chapters.map { chapter in
        let ticks = Int128(chapter.start) * Int128(chapter.timeBase.numerator)
        return Chapter(
          start: Time(value: Int64(clamping: ticks), timescale: chapter.timeBase.denominator),
          title: chapter.title, isInherited: true)
      }
      let rate = demuxer.bestAudioStream.map { demuxer.streams[$0].sampleRate } ?? 0
      // Of both, cues are exact: comments of FLAC count milliseconds.
      if rate > 0,
        found.isEmpty || demuxer.formatName == "wav"
          || cues.agree(with: found, rate, frameCount: frameCount)
      {
        found = cues.map { cue in
          Chapter(
            start: Time(frames: cue.frame, rate: rate), title: cue.label ?? "", isInherited: true)
        }
      }
    }
    found = found.sortedByStart
    if demuxer.formatName.hasPrefix("mov,") {
      // MP4's have no gaps: the one without a title is the time before the first.
      if let first = found.first, first.title.isEmpty, first.start == .zero, found.count > 1 {
        found.removeFirst()
      }
      oddities += try disagreements(of: demuxer, found)
    }
    let moved = found.map { chapter in
      var moved = chapter
      moved.start = max(.zero, chapter.start - start)
      return moved
    }
    return (moved.lasting(by: \.start), oddities.map { Warning($0, location: location) })
  }

  /// What is odd about an MP4's lists of chapters, of which `chapters` are those that count.
  private func disagreements(
    of demuxer: Demuxer, _ chapters: [Chapter]
  ) throws(Failure) -> [String] {
    let tracks = demuxer.chapterTracks.count
    guard tracks > 0 else { return [] }
    if tracks > 1 { return ["has \(tracks) tracks of chapters: the last one's count"] }
    guard let list = try ContainerFacts.neroChapters(in: bytes), !list.agrees(with: chapters) else {
      return []
    }
    return [
      "has two lists of chapters that differ: the \(chapters.count) of its chapter track count, as in "
        + "QuickTime, and not the \(list.chapters.count) of Nero's list"
    ]
  }
}

extension [MediaMarks.Cue] {
  /// Whether these cues are the chapters, which have been rounded to a millisecond, and may have been
  /// given titles. A cue at the end of the sound, or at the millisecond of the next one, is no chapter.
  fileprivate func agree(with chapters: [Chapter], _ rate: Int, frameCount: Int64) -> Bool {
    let lasting = indices.filter { index in
      let isLast =
        index + 1 == count || self[index + 1].milliseconds(rate) != self[index].milliseconds(rate)
      return self[index].frame < frameCount && isLast
    }.map { self[$0] }
    return [self, lasting].contains { cues in
      cues.count == chapters.count
        && zip(cues, chapters.sortedByStart).allSatisfy { cue, chapter in
          let gap = Time(frames: cue.frame, rate: rate) - chapter.start
          return Swift.max(gap, .zero - gap) <= Time(value: 1, timescale: 1000)
            && (cue.label ?? chapter.title) == chapter.title
        }
    }
  }
}

extension MediaMarks.Cue {
  /// Where it is by the clock of FLAC's comments.
  fileprivate func milliseconds(_ rate: Int) -> Int64 {
    Time(frames: frame, rate: rate).frames(atRate: 1000)
  }
}
