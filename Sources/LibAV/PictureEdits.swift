internal import CFFmpeg
import Tagging

/// What is shown of the packets of a picture, and when, in ticks of its packets: a list that grows as they
/// are given.
///
/// One thread at a time: that of the muxer.
package final class PictureEdits {
  /// From a moment of the movie on, up to the next edit, packets are shown from a moment of theirs on.
  package struct Edit: Sendable, Hashable {
    /// By the movie's clock.
    package var start: Int64
    /// By that of the packets.
    package var media: Int64

    package init(start: Int64, media: Int64) { (self.start, self.media) = (start, media) }
  }

  /// In order of time.
  package private(set) var edits: [Edit] = []
  /// When the last edit ends, by the movie's clock.
  package private(set) var end: Int64 = 0

  /// A list without edits.
  package init() {}

  /// Adds an edit behind the others, which lasts until `end`.
  package func append(_ edit: Edit, until end: Int64) {
    edits.append(edit)
    self.end = end
  }

  /// Lets the last edit last to a moment of the movie at least.
  package func extend(until end: Int64) { self.end = max(self.end, end) }

  /// By how much packets of the last edit are later than they are shown.
  var lead: Int64 { edits.last.map { $0.media - $0.start } ?? 0 }

  /// As a track has it whose own clock begins when its first packet is decoded.
  func list(firstDecoded: Int64) -> EditList {
    let ends = edits.dropFirst().map(\.start) + [end]
    return EditList(
      zip(edits, ends).map { edit, end in
        EditList.Edit(
          shown: edit.start..<max(edit.start, end), media: edit.media - firstDecoded)
      })
  }
}

extension Muxer {
  /// Writes what stands behind the packets. libavformat gives a picture one edit at most: where it has a
  /// list of its own, that is put into the index of the MP4 or MOV before it is written, and so is that of
  /// sound which begins after the file's clock, behind its encoder's delay, or which ends between two of the
  /// track's ticks.
  func writeTrailer() throws(LibAVError) {
    let lists = [pictureList].compactMap(\.self) + soundLists
    guard !lists.isEmpty else {
      try checkOutput(av_write_trailer(context), "av_write_trailer")
      return
    }
    try flush()
    output.hold()
    try checkOutput(av_write_trailer(context), "av_write_trailer")
    try flush()
    let isDone = output.release { bytes in
      guard let start = Self.index(in: bytes) else { return nil }
      var index = Array(bytes[start...])
      for list in lists {
        guard
          let changed = list.list.put(
            into: index, handler: list.handler, at: list.place, timescale: list.timescale,
            shownIn: list.clock)
        else { return nil }
        index = changed
      }
      return bytes[..<start] + index
    }
    try checkOutput(
      isDone ? 0 : avjob_averror_invaliddata(), "putting an edit list into the index")
  }

  /// A list for the track of a kind.
  struct TrackEdits {
    var list: EditList
    var handler: String
    /// Its place among the tracks of its kind, from 0 on; nil: it is the only one.
    var place: Int?
    /// Ticks a second of the track, and of what the list shows.
    var timescale: UInt32
    var clock: UInt32
  }

  private var pictureList: TrackEdits? {
    guard let (edits, firstDecoded) = companions?.streams.edits,
      let stream = companions.flatMap({ context.pointee.streams[$0.first] }),
      stream.pointee.time_base.num == 1
    else { return nil }
    let timescale = UInt32(clamping: stream.pointee.time_base.den)
    return TrackEdits(
      list: edits.list(firstDecoded: firstDecoded), handler: "vide", timescale: timescale,
      clock: timescale)
  }

  /// Where the index begins, which is the last atom: last samples of subtitles may stand before it.
  private static func index(in bytes: [UInt8]) -> Int? {
    let name = Array("moov".utf8)
    return bytes.indices.dropLast(7).first { start in
      bytes[start + 4] == name[0] && bytes[start + 4..<start + 8].elementsEqual(name)
        && AtomHead.number(bytes[start..<start + 4]) == UInt64(bytes.count - start)
    }
  }
}
