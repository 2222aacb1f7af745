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
        func tag(_ key: String) -> String? {
          stream.metadata.first { $0.key.lowercased() == key && !$0.value.isEmpty }?.value
        }
        let channels = stream.isAudio && stream.channelCount > 0 ? stream.channelCount : nil
        return MediaStream(
          index: stream.index, kind: stream.mediaType, codec: stream.codecName,
          sampleRate: stream.isAudio && stream.sampleRate > 0 ? stream.sampleRate : nil,
          channelLayout: channels.map { ChannelLayout(mask: stream.channelMask, count: $0) },
          language: tag("language").flatMap { $0 == "und" ? nil : $0 }, title: tag("title"))
      }
    }
  }
}
