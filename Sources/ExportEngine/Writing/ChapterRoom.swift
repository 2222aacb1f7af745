import Diagnosis
import ExportGraph
import MediaComposition
import MediaTime

extension Sink {
  /// Requires that the file holds these chapters, so that they are read as they are written.
  ///
  /// - Throws: `mendJob`, at the first chapter that it does not hold.
  func requireRoom(
    for chapters: [(chapter: Chapter, frames: Range<Int64>)], sampleRate: Int
  ) throws(Failure) {
    let capabilities = self.capabilities
    guard let bounds = capabilities.chapterBounds, let first = chapters.first else { return }
    let name = capabilities.hasID3 ? "an ID3 tag" : capabilities.name
    let remedy = "leave some out, or write them beside it: 'chapters: podlove'"
    var (room, beside) = (bounds.count, "")
    if bounds.fillsGap, first.frames.lowerBound > 0 { room -= 1 }
    // Of a number of four digits libavformat reads three (`ogm_chapter`).
    if capabilities.tagForm == .vorbisComments, marks.cueSheet != nil,
      let last = commentNumbers(count: chapters.count).last
    {
      (room, beside) = (room - (last + 1 - chapters.count), " beside its cue sheet")
    }
    guard chapters.count <= room else {
      throw Failure(
        .mendJob,
        "\(name) holds \(room) chapters\(beside), and these are \(chapters.count): \(remedy)",
        origin: chapters[room].chapter.origin)
    }
    if let limit = bounds.titleBytes,
      let long = chapters.first(where: { $0.chapter.title.utf8.count > limit })
    {
      throw Failure(
        .mendJob,
        "\(name) holds titles of \(limit) bytes, and that of a chapter has "
          + "\(long.chapter.title.utf8.count): shorten it", origin: long.chapter.origin)
    }
    guard let clock = bounds.rate else { return }
    func moment(_ frame: Int64) -> Int64 {
      Time(frames: frame, rate: sampleRate).frames(atRate: clock)
    }
    for (one, next) in zip(chapters, chapters.dropFirst())
    where moment(one.frames.lowerBound) == moment(next.frames.lowerBound) {
      throw Failure(
        .mendJob,
        "the chapters '\(one.chapter.title)' and '\(next.chapter.title)' begin within a millisecond, "
          + "which \(name) does not tell apart: \(remedy)", origin: next.chapter.origin)
    }
  }

  /// The numbers of its chapters in comments, from 0 on: beside a cue sheet those of its tracks, which begin
  /// with them. libavformat has both in one list, by number (`flac_read_header`, `ogm_chapter`).
  func commentNumbers(count: Int) -> [Int] {
    let tracks = marks.cueSheet?.tracks.filter(\.isAudio).map { Int($0.number) } ?? []
    guard let last = tracks.last else { return Array(0..<count) }
    let isRising = zip(tracks, tracks.dropFirst()).allSatisfy { $0 < $1 }
    // No track has a number of 256 or more.
    guard isRising, tracks.count <= count else { return Array(256..<256 + count) }
    return tracks + (0..<count - tracks.count).map { last + 1 + $0 }
  }
}
