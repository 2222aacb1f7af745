import Diagnosis
import LibAV
import MediaComposition
import SystemPackage

/// One stream of a media file, as the header describes it.
public struct MediaStream: Sendable, Hashable {
  /// As ffprobe counts them.
  public var index: Int
  /// `audio`, `video`, `subtitle` or `data`.
  public var kind: String
  /// FFmpeg's name of the codec, such as `aac`.
  public var codec: String
  /// Frames a second; nil for other kinds, or where the header has none.
  public var sampleRate: Int?
  /// nil for other kinds, or where the header has none.
  public var channelLayout: ChannelLayout?
  /// An ISO 639 code, from the file.
  public var language: String?
  /// The stream's own title.
  public var title: String?
}

extension MediaLibrary {
  /// The streams of a file in its order, without pictures that belong to its tags. Reads the header
  /// only.
  ///
  /// - Throws: `Failure` (`mendInput`, `mendMachine`) where the header cannot be read.
  public func streams(at location: MediaLocation) throws(Failure) -> [MediaStream] {
    try Engine.start()
    return try reading(location) { () throws(LibAVError) in
      let demuxer = try location.demuxer()
      try demuxer.completeParameters()
      return demuxer.streams.filter { !$0.isAttachedPicture }.map { stream in
        let channels = stream.isAudio && stream.channelCount > 0 ? stream.channelCount : nil
        return MediaStream(
          index: stream.index, kind: stream.mediaType, codec: stream.codecName,
          sampleRate: stream.isAudio && stream.sampleRate > 0 ? stream.sampleRate : nil,
          channelLayout: channels.map { ChannelLayout(mask: stream.channelMask, count: $0) },
          language: stream.language, title: stream.tag("title"))
      }
    }
  }
}

extension LibAV.Stream {
  /// The value of its tag; nil where it has none.
  func tag(_ key: String) -> String? {
    metadata.first { $0.key.lowercased() == key && !$0.value.isEmpty }?.value
  }

  /// An ISO 639 code; nil where the file has none.
  var language: String? { tag("language").flatMap { $0 == "und" ? nil : $0 } }

  /// As `AssetTrack.styles`.
  fileprivate var styles: String? {
    guard ["ass", "ssa"].contains(codecName) else { return nil }
    return header.withUnsafeBytes { try? BlockDigest.digest($0) }.map { String($0, radix: 16) }
  }
}

extension AssetTrack {
  /// The tracks of a file with moving pictures, without pictures of its tags, and without what its
  /// demuxer has read for itself: chapters, and time codes. None of other files.
  static func all(of demuxer: Demuxer) -> [AssetTrack] {
    guard demuxer.hasMovingPicture else { return [] }
    let hasChapters = !demuxer.chapters.isEmpty
    return demuxer.streams.compactMap { stream in
      guard !stream.isAttachedPicture, let type = MediaType(rawValue: stream.mediaType),
        type != .video || stream.isMovingPicture,
        type != .data
          || stream.codecName != "none" && !(stream.codecName == "bin_data" && hasChapters)
      else { return nil }
      var track = AssetTrack(
        index: stream.index, mediaType: type, codec: stream.codecName, language: stream.language)
      track.styles = stream.styles
      if type == .video, stream.rotation != 0 { track.rotation = stream.rotation }
      return track
    }
  }
}
