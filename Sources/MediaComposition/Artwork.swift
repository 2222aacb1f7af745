import Diagnosis
import MPEGAudio
import SystemPackage

/// A picture that goes with sound: a cover, or what is shown during a chapter.
///
/// It holds no bytes of the picture, so that ten thousand of them cost nothing: they are read when
/// an output is written.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum Artwork: Sendable, Hashable, Codable {
  /// A JPEG or PNG picture. One that is neither is refused.
  case picture(MediaLocation)
  /// One that lies in a media file, as probing found it there (`AVMetadataItem`'s artwork). Where
  /// no output can hold it, it is left out.
  indirect case embedded(EmbeddedArtwork)

  /// A JPEG or PNG file.
  public static func file(_ path: FilePath) -> Artwork { .picture(.file(path)) }

  /// The medium that it is read from.
  package var location: MediaLocation {
    switch self {
    case .picture(let location): location
    case .embedded(let artwork): artwork.media
    }
  }
}

extension Artwork {
  private enum CodingKeys: CodingKey {
    case file, embedded
  }

  /// Reads what `encode(to:)` wrote.
  ///
  /// - Throws: `DecodingError` where there is neither of the two.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let artwork = try container.decodeIfPresent(EmbeddedArtwork.self, forKey: .embedded) {
      self = .embedded(artwork)
    } else {
      self = .picture(try container.decode(MediaLocation.self, forKey: .file))
    }
  }

  /// Writes the place of the picture under `file`, or what is known of it under `embedded`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .picture(let location): try container.encode(location, forKey: .file)
    case .embedded(let artwork): try container.encode(artwork, forKey: .embedded)
    }
  }
}

/// A picture inside a media file.
public struct EmbeddedArtwork: Sendable, Hashable, Codable {
  /// Where the picture is in its file.
  package enum Place: Sendable, Hashable, Codable {
    /// What libavformat attaches to the sound as a stream of this index
    /// (`AV_DISPOSITION_ATTACHED_PIC`).
    case stream(Int)
    /// In an ID3v2 tag.
    case tag(StoredID3Tag.Image)
    /// In bytes of the file, as FLAC, Ogg and MP4 have them.
    case bytes(Stored)
  }

  /// Bytes of a file that hold a picture.
  package struct Stored: Sendable, Hashable, Codable {
    /// In which form they hold it.
    package enum Form: String, Sendable, Hashable, Codable {
      /// As they are: FLAC's `PICTURE`, MP4's `covr`.
      case plain
      /// In Base64: `COVERART`.
      case base64
      /// In a block as FLAC has it, which is in Base64: `METADATA_BLOCK_PICTURE`.
      case block
    }

    /// Where they lie, in order.
    package var ranges: [Range<Int64>]
    /// Their form.
    package var form: Form

    /// Bytes of a file, in their order there.
    package init(ranges: [Range<Int64>], form: Form) { (self.ranges, self.form) = (ranges, form) }
  }

  /// What its first bytes say that it is.
  package enum Format: Sendable, Hashable, Codable {
    case jpeg, png
    /// Something else, by its usual name: `WebP`.
    case other(String)

    /// Its name for people.
    package var name: String {
      switch self {
      case .jpeg: "JPEG"
      case .png: "PNG"
      case .other(let name): name
      }
    }
  }

  /// The media file.
  package var media: MediaLocation
  /// Where in it.
  package var place: Place
  /// As what it is encoded.
  package var format: Format
  /// Its size, or a little more: as it is stored.
  package var byteCount: Int64
  /// The media file's, when the picture was found: in another one it may be elsewhere.
  package var identity: FileIdentity

  /// A picture in a media file; probing makes it.
  package init(
    media: MediaLocation, place: Place, format: Format, byteCount: Int64, identity: FileIdentity
  ) {
    self.media = media
    self.place = place
    self.format = format
    self.byteCount = byteCount
    self.identity = identity
  }
}
