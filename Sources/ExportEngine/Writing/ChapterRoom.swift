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
    let room = bounds.count - (bounds.fillsGap && first.frames.lowerBound > 0 ? 1 : 0)
    guard chapters.count <= room else {
      throw Failure(
        .mendJob, "\(name) holds \(room) chapters, and these are \(chapters.count): \(remedy)",
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
}
