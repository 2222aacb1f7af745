internal import CFFmpeg

/// A picture that a container attaches to its sound, which libavformat shows as a stream.
package struct AttachedPicture: Sendable, Hashable {
  /// The stream's, among all of the file's.
  package let streamIndex: Int
  /// Whether it is marked as the front cover, of several pictures.
  package let isFrontCover: Bool
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
        isFrontCover: tag("comment") == "cover (front)" || tag("filename").hasPrefix("cover."))
    }
  }

  /// Whether the file holds a moving picture beside its sound.
  package var hasMovingPicture: Bool { streams.contains(where: \.isMovingPicture) }

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
