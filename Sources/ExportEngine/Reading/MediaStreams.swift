import Diagnosis
import LibAV
import MediaComposition
import MediaTime
import SystemPackage
import Threads

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
  /// Of a moving picture; nil for other streams.
  package var picture: MediaPicture?
  /// Whether it has the titles of the file's chapters, as QuickTime's chapter track.
  package var holdsChapters = false
}

/// What a file says of its moving picture, beside the times of its pictures (`AssetTrack`).
package struct MediaPicture: Sendable, Hashable {
  /// A fraction, as the file has it.
  package struct Ratio: Sendable, Hashable {
    /// What is above.
    package var numerator: Int
    /// What is below.
    package var denominator: Int

    /// One over the other.
    package init(_ numerator: Int, _ denominator: Int) {
      (self.numerator, self.denominator) = (numerator, denominator)
    }
  }

  /// Pixels across, as coded; 0 where nothing says.
  package var width: Int
  /// Pixels down, as coded; 0 where nothing says.
  package var height: Int
  /// FFmpeg's name of how pixels lie, such as `yuv420p`; nil where nothing says.
  package var pixelFormat: String?
  /// The width of a pixel over its height.
  package var pixelShape: Ratio
  /// By how many degrees it is turned clockwise when it is shown: 0, 90, 180 or 270.
  package var rotation: Int
  /// Whether it is mirrored when it is shown.
  package var isMirrored: Bool
  /// Pictures a second on average; nil where nothing says.
  package var meanRate: Ratio?
  /// How many pictures the index lists; nil where there is none.
  package var count: Int64?
  /// How many of them are key pictures.
  package var keyCount: Int?
  /// The longest time from one key picture to the next.
  package var keyDistance: Time?
  /// FFmpeg's names of range, primaries, transfer and matrix (ITU-T H.273), by these names, of those that
  /// the container says.
  package var colours: [String: String]
}

extension MediaLibrary {
  /// The streams of a file in its order, without pictures that belong to its tags. Reads the header,
  /// and of a picture whose size that does not say some packets.
  ///
  /// - Throws: `Failure` (`mendInput`, `mendMachine`) where the file cannot be read.
  @available(*, noasync, message: "it blocks its thread; await the function of the same name")
  public func streams(at location: MediaLocation) throws(Failure) -> [MediaStream] {
    try Engine.start()
    let demuxer = try reading(location) { () throws(LibAVError) in
      let demuxer = try location.demuxer()
      try demuxer.completeParameters()
      return demuxer
    }
    // libavformat does not read them.
    let isMovie = demuxer.formatName.hasPrefix("mov,")
    let names = try isMovie ? MP4Track.names(in: MediumBytes(location)) : [:]
    return try demuxer.streams.filter { !$0.isAttachedPicture }.map { stream throws(Failure) in
      let channels = stream.isAudio && stream.channelCount > 0 ? stream.channelCount : nil
      return MediaStream(
        index: stream.index, kind: stream.mediaType, codec: stream.codecName,
        sampleRate: stream.isAudio && stream.sampleRate > 0 ? stream.sampleRate : nil,
        channelLayout: channels.map { ChannelLayout(mask: stream.channelMask, count: $0) },
        language: stream.language, title: stream.tag("title") ?? names[stream.id],
        picture: try stream.isMovingPicture ? MediaPicture(stream, of: location) : nil,
        holdsChapters: demuxer.isChapterTrack(stream))
    }
  }
}

extension MediaPicture {
  fileprivate init(_ stream: LibAV.Stream, of location: MediaLocation) throws(Failure) {
    var form = stream.pictureForm
    if form == nil { form = try Self.form(ofStream: stream.index, in: location) }
    (width, height) = (form?.width ?? 0, form?.height ?? 0)
    pixelFormat = form?.pixelFormat
    pixelShape = Ratio(stream.pixelShape.width, stream.pixelShape.height)
    (rotation, isMirrored) = (stream.rotation, stream.isMirrored)
    meanRate = stream.meanPictureRate.map { Ratio($0.numerator, $0.denominator) }
    // Of fragments the index has those that were read.
    let keys = stream.frameCount == nil ? nil : stream.indexedKeys
    (keyCount, keyDistance) = (keys?.count, keys.map { stream.timeBase.time(of: $0.longest) })
    count = keys == nil ? nil : stream.frameCount
    let names = stream.colourNames
    colours = [
      "range": names.range, "primaries": names.primaries, "transfer": names.transfer,
      "matrix": names.matrix,
    ].compactMapValues(\.self)
  }

  /// By the first packets, where the container leaves it open; nil where these do not say it either.
  private static func form(
    ofStream index: Int, in location: MediaLocation
  ) throws(Failure) -> PictureForm? {
    do throws(LibAVError) {
      let track = AssetTrack(index: index, mediaType: .video, codec: "")
      return try PictureReel(
        0, try location.demuxer(), of: track, unless: CancellationFlag()
      ).form
    } catch {
      guard error.cause == nil else { throw error.inputFailure(location) }
      return nil
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
    ["ass", "ssa"].contains(codecName) ? Self.digest(of: header) : nil
  }

  /// As `AssetTrack.projectionDigest`.
  fileprivate var projectionDigest: String? { Self.digest(of: projection.joined(separator: [0])) }

  private static func digest(of bytes: some Sequence<UInt8>) -> String? {
    Array(bytes).withUnsafeBytes { try? BlockDigest.digest($0) }.map { String($0, radix: 16) }
  }
}

extension Demuxer {
  /// Whether a stream has the titles of chapters in QuickTime's form, which FFmpeg gives as chapters, and
  /// as a stream of bytes besides (`mov_read_chapters`).
  func isChapterTrack(_ stream: LibAV.Stream) -> Bool {
    stream.codecName == "bin_data" && !chapters.isEmpty
  }
}

extension AssetTrack {
  /// The tracks of a file with moving pictures, without pictures of its tags, and without what its
  /// demuxer has read for itself: chapters, and time codes. None of other files.
  static func all(of demuxer: Demuxer) -> [AssetTrack] {
    guard demuxer.hasMovingPicture else { return [] }
    return demuxer.streams.compactMap { stream in
      guard !stream.isAttachedPicture, let type = MediaType(rawValue: stream.mediaType),
        type != .video || stream.isMovingPicture,
        type != .data || stream.codecName != "none" && !demuxer.isChapterTrack(stream)
      else { return nil }
      var track = AssetTrack(
        index: stream.index, mediaType: type, codec: stream.codecName, language: stream.language)
      track.styles = stream.styles
      if type == .video, stream.rotation != 0 { track.rotation = stream.rotation }
      if type == .video, stream.hasAlpha { track.hasAlpha = true }
      if type == .video, stream.hasDolbyVision { track.hasDolbyVision = true }
      if type == .video, stream.isSpherical || stream.isStereoscopic {
        track.projection = [stream.isSpherical ? "360°" : nil, stream.isStereoscopic ? "3D" : nil]
          .compactMap(\.self).joined(separator: " and ")
        track.projectionDigest = stream.projectionDigest
      }
      if type == .audio, stream.channelCount > 0, stream.sampleRate > 0 {
        track.sampleRate = stream.sampleRate
        track.channelLayout = ChannelLayout(mask: stream.channelMask, count: stream.channelCount)
      }
      if type == .audio || type == .subtitle, !stream.roles.isEmpty { track.roles = stream.roles }
      return track
    }
  }
}
