import Diagnosis
import LibAV
import MediaComposition
import MediaTime

/// The chapters of a file.
extension Prober {
  /// In order of time, each at a time of its own: of several at one, the last counts. The sound, of
  /// `frameCount`, begins at `start` of their clock. Those that `tags` have are joined with the cues of
  /// `marks` (`CuedChapters`).
  ///
  /// - Returns: The chapters, and what is odd about them.
  func chapters(
    of demuxer: Demuxer, from start: Time, _ tags: SourceTags, _ marks: MediaMarks? = nil,
    frameCount: Int64 = 0
  ) throws(Failure) -> (chapters: [Chapter], warnings: [Warning]) {
    var (found, oddities): ([Chapter], [String]) = ([], tags.chapterOddities)
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
      found = (tags.chapters ?? demuxedChapters(of: demuxer)).sortedByStart
      if let marks { oddities += join(marks, with: &found, of: demuxer, frameCount: frameCount) }
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

  /// Those that libavformat reads. Of a FLAC and a WAV it has those of tags and of cues in one list, in
  /// which one with the number of another takes its place.
  private func demuxedChapters(of demuxer: Demuxer) -> [Chapter] {
    guard !["flac", "wav"].contains(demuxer.formatName) else { return [] }
    return demuxer.chapters.map { chapter in
      let ticks = Int128(chapter.start) * Int128(chapter.timeBase.numerator)
      return Chapter(
        start: Time(value: Int64(clamping: ticks), timescale: chapter.timeBase.denominator),
        title: chapter.title, isInherited: true)
    }
  }

  /// Joins the cues of a file with the chapters of its tags. Where the two differ, the cues of a WAV
  /// count, as programs that write WAV have them, and elsewhere the tags, as other programs read them.
  ///
  /// - Returns: What is odd about them.
  private func join(
    _ marks: MediaMarks, with found: inout [Chapter], of demuxer: Demuxer, frameCount: Int64
  ) -> [String] {
    let rate = demuxer.bestAudioStream.map { demuxer.streams[$0].sampleRate } ?? 0
    guard rate > 0 else { return [] }
    let cues = CuedChapters(marks.cues, rate: rate, frameCount: frameCount)
    let isWave = demuxer.formatName == "wav"
    let listed = found.lasting(by: \.start)
    let joined = cues.joined(with: listed, prefersCues: isWave)
    found = joined.chapters
    guard joined.differs else { return [] }
    let isSheet = marks.cueSheet != nil && marks.chunks.isEmpty
    let name = isSheet ? "cue sheet" : demuxer.formatName == "aiff" ? "markers" : "cues"
    let lists = [("tags", listed.count), (name, cues.count)]
    let (first, second) = isWave ? (lists[1], lists[0]) : (lists[0], lists[1])
    return [
      "has two lists of chapters that differ: the \(first.1) of its \(first.0) count, and not the "
        + "\(second.1) of its \(second.0)"
    ]
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
