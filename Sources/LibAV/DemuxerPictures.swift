internal import CFFmpeg

/// A picture that a container attaches to its sound, which libavformat shows as a stream.
package struct AttachedPicture: Sendable, Hashable {
  /// The stream's, among all of the file's.
  package let streamIndex: Int
  /// Whether it is marked as the front cover, of several pictures.
  package let isFrontCover: Bool
  /// Whether it is marked as the file's icon.
  package let isIcon: Bool
  /// Whether it is the first one of a track that has the pictures of chapters
  /// (`AV_DISPOSITION_TIMED_THUMBNAILS`).
  package let isOfChapters: Bool
}

extension Demuxer {
  /// The pictures that the header holds: ID3's `APIC`, MP4's `covr`, FLAC's and Ogg's
  /// `METADATA_BLOCK_PICTURE`, Matroska's attachments (`AV_DISPOSITION_ATTACHED_PIC`). Nothing is
  /// decoded.
  package var pictures: [AttachedPicture] {
    streams.filter(\.isAttachedPicture).map { stream in
      func tag(_ name: String) -> String {
        stream.metadata.first { $0.key.lowercased() == name }?.value.lowercased() ?? ""
      }
      return AttachedPicture(
        streamIndex: stream.index,
        // ID3v2.4 §4.14, type 3; RFC 9559, 21.1: the names of cover art.
        isFrontCover: tag("comment") == "cover (front)" || tag("filename").hasPrefix("cover."),
        // Types 1 and 2 (`ff_id3v2_picture_types`).
        isIcon: tag("comment").hasSuffix("file icon") || tag("comment").hasPrefix("32x32 pixels"),
        isOfChapters: stream.pointer.pointee.disposition & AV_DISPOSITION_TIMED_THUMBNAILS != 0)
    }
  }

  /// Whether the file holds a moving picture beside its sound.
  package var hasMovingPicture: Bool { streams.contains(where: \.isMovingPicture) }

  /// Packets that are read for the first pictures, and the bytes in them: those of a group that an edit
  /// list hides come first.
  private static let mostPackets = (count: 4096, bytes: 1 << 26)

  /// The times at which the first pictures of a stream are shown, in its ticks and in their order: at
  /// least the first, as soon as no earlier one can follow, and not many more than `count`. Reads the
  /// stream's packets from where the demuxer is, and none of others.
  ///
  /// - Returns: None where it holds no picture, or hides more than are read.
  package func firstPictures(
    of stream: Stream, _ count: Int
  ) throws(LibAVError) -> [Int64] {
    select(stream: stream.index)
    var (times, bytes) = ([Int64](), 0)
    for _ in 0..<Self.mostPackets.count {
      guard bytes < Self.mostPackets.bytes, let packet = try readWhatIsThere() else { break }
      bytes += packet.size
      guard packet.streamIndex == stream.index, let time = packet.timestamp else { continue }
      // A picture is not shown before it is decoded.
      if let first = times.min(), times.count >= count, time &- packet.lateness >= first { break }
      if !packet.isDiscarded { times.append(time) }
    }
    return times.sorted()
  }

  /// When the first picture of a stream is shown and the last one ends, in its ticks; nil where it holds
  /// none that has a time. Reads the stream to its end, and none of others.
  ///
  /// A picture lasts as long as its packet says, or else as long as the one before it.
  ///
  /// - Complexity: O(size)
  package func shownTimes(of stream: Stream) throws(LibAVError) -> Range<Int64>? {
    select(stream: stream.index)
    var (first, last, before, duration) = (Int64.max, Int64.min, Int64.min, Int64(0))
    while let packet = try readWhatIsThere() {
      // AVI has times of decoding alone.
      guard packet.streamIndex == stream.index, !packet.isDiscarded,
        let time = packet.timestamp ?? packet.decodingTime
      else { continue }
      first = min(first, time)
      if time > last {
        (before, last, duration) = (last, time, packet.duration)
      } else {
        before = max(before, time)
      }
    }
    guard first <= last else { return nil }
    if duration <= 0, before > .min { duration = last &- before }
    let end = last.addingReportingOverflow(max(0, duration))
    return end.overflow ? nil : first..<end.partialValue
  }

  /// The bytes of a picture, as they lie in the file; nil where the stream is none.
  package func bytes(ofPicture index: Int) -> [UInt8]? {
    guard let stream = streams.first(where: { $0.index == index }), stream.isAttachedPicture else {
      return nil
    }
    let packet = stream.pointer.pointee.attached_pic
    guard let data = packet.data, packet.size > 0 else { return nil }
    return Array(UnsafeBufferPointer(start: data, count: Int(packet.size)))
  }
}

extension Stream {
  /// How long its header says that each picture is shown, where it says one thing
  /// (`AVStream.avg_frame_rate`, `r_frame_rate`).
  package var pictureDuration: TimeBase? {
    let (mean, real) = (pointer.pointee.avg_frame_rate, pointer.pointee.r_frame_rate)
    guard mean.num > 0, mean.den > 0, (mean.num, mean.den) == (real.num, real.den) else {
      return nil
    }
    return TimeBase(numerator: mean.den, denominator: mean.num)
  }

  /// Whether it is a picture that moves: covers, and the pictures of chapters, are none.
  package var isMovingPicture: Bool {
    let stills = AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS
    return parameters.codec_type == AVMEDIA_TYPE_VIDEO && pointer.pointee.disposition & stills == 0
  }

  /// Whether it is a picture of the file's tags, such as a cover.
  package var isAttachedPicture: Bool {
    pointer.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
      && pointer.pointee.attached_pic.size > 0
  }
}

extension Demuxer {
  /// Tells libavformat where the first cluster of a Matroska lies (RFC 9559, 5.1.3), in which a stream begins
  /// at a tick: where no block of a stream is marked as a key, as of Dirac by FFmpeg, it has no index of it,
  /// goes nowhere, and then goes on with the second one. Behind the header it has read that cluster's name.
  package func noteFirstCluster(beginningAt timestamp: Int64, of stream: Stream) {
    note(timestamp, at: headerEnd - 4, of: stream)
  }
}
