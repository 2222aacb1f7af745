/// The bytes of a medium that a program has itself: in memory, encrypted, of a scheme of its own
/// (`AVAssetResourceLoader`). It stands wherever a location does, as `MediaLocation.source(_:)`, and
/// its sound is that of a file with the same bytes.
///
/// All calls block, and come from threads of the library's own, never from Swift's cooperative pool:
/// several readers of a medium call at once, each in any order, so a source with state of its own
/// locks it. A source whose bytes come in pieces, at any time, is an `AssetResourceLoader`.
///
/// ```swift
/// final class Vault: MediaSource {
///   let name = "lecture.mp3"
///   let cipher: [UInt8]
///   init(_ cipher: [UInt8]) { self.cipher = cipher }
///
///   func contentInformation() throws -> MediaContentInformation {
///     MediaContentInformation(contentLength: Int64(cipher.count))
///   }
///
///   func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
///     let part = cipher.dropFirst(Int(offset)).prefix(buffer.count)
///     buffer.copyBytes(from: part.map { $0 ^ 0x5A })
///     return part.count
///   }
/// }
/// ```
public protocol MediaSource: AnyObject, Sendable {
  /// The name in messages, in one line and without secrets: a file's name, or an address of any
  /// scheme. Its extension counts as that of a file does.
  var name: String { get }

  /// Names the medium for other runs, so that what is read of it is kept in the cache, by ranges, as
  /// that of a server's medium is (`MediaNetwork.Options.cacheFolder`); nil, the default: nothing is
  /// kept, and no byte is written to a disk. It should be as stable as an address, and at most 1,000
  /// bytes long.
  var cacheIdentifier: String? { get }

  /// What is known of the medium before it is read (`AVAssetResourceLoadingContentInformationRequest`).
  /// Called whenever the medium is opened, so a source that has to find it out keeps it.
  ///
  /// - Throws: Any error; a `Failure` keeps its remedy, others count as faults of the input.
  func contentInformation() throws -> MediaContentInformation

  /// Reads some of the bytes from `offset` on, and waits for the first of them at most.
  ///
  /// - Parameters:
  ///   - offset: Where to begin, from 0.
  ///   - buffer: Filled from its start on; not empty, and valid during the call.
  /// - Returns: How many bytes: at least one, and 0 at the end alone, and behind it.
  /// - Throws: As `contentInformation()`. Readers of other places go on.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

extension MediaSource {
  /// Nothing is kept.
  public var cacheIdentifier: String? { nil }
}

/// What is known of a source's medium before it is read
/// (`AVAssetResourceLoadingContentInformationRequest`).
public struct MediaContentInformation: Sendable, Hashable {
  /// Bytes of the whole; nil where that is not known before its end. Such a medium is read to its end
  /// first, into the cache's folder, in a file without a name.
  public var contentLength: Int64?
  /// Its type, as a MIME type (`audio/mpeg`) or a uniform type identifier (`public.mp3`); nil: not
  /// known. A medium is recognised by its bytes. The type stands for the extension of a name without
  /// one, and so says what sound without a header is (`audio/G722`).
  public var contentType: String?
  /// What another content would have another value of, as an ETag: by it caches, fingerprints and
  /// receipts of other runs recognise the medium. Nil: no other source, also of a later run, is taken
  /// for this one; this one is taken to stay as it is.
  public var validator: String?
  /// Whether bytes can be read at any place at little cost (`isByteRangeAccessSupported`). If not, the
  /// medium is read in order, once, into the cache's folder, and from there.
  public var isByteRangeAccessSupported: Bool

  /// What is known of a medium.
  public init(
    contentLength: Int64? = nil, contentType: String? = nil, validator: String? = nil,
    isByteRangeAccessSupported: Bool = true
  ) {
    (self.contentLength, self.contentType) = (contentLength, contentType)
    (self.validator, self.isByteRangeAccessSupported) = (validator, isByteRangeAccessSupported)
  }
}

extension MediaContentInformation {
  /// The extension of a file of this type, where the type is one that such files are known by.
  package var fileExtension: String? {
    // Without parameters, as in `audio/ogg; codecs=opus`.
    let type = contentType?.prefix { $0 != ";" && $0 != " " }.lowercased()
    return type.flatMap { Self.extensions[$0] }
  }

  /// Media types of IANA and their relatives, and Apple's identifiers, of the formats that are read.
  private static let extensions: [String: String] = [
    "audio/mpeg": "mp3", "audio/mp3": "mp3", "public.mp3": "mp3",
    "audio/aac": "aac", "audio/aacp": "aac", "public.aac-audio": "aac",
    "audio/mp4": "m4a", "audio/x-m4a": "m4a", "com.apple.m4a-audio": "m4a",
    "public.mpeg-4-audio": "m4a", "video/mp4": "mp4", "public.mpeg-4": "mp4",
    "video/quicktime": "mov", "com.apple.quicktime-movie": "mov",
    "audio/flac": "flac", "audio/x-flac": "flac", "org.xiph.flac": "flac",
    "audio/ogg": "ogg", "application/ogg": "ogg", "audio/vorbis": "ogg", "audio/opus": "opus",
    "audio/wav": "wav", "audio/wave": "wav", "audio/x-wav": "wav", "audio/vnd.wave": "wav",
    "com.microsoft.waveform-audio": "wav", "audio/aiff": "aiff", "audio/x-aiff": "aiff",
    "public.aiff-audio": "aiff", "audio/x-caf": "caf", "com.apple.coreaudio-format": "caf",
    "audio/basic": "au", "public.au-audio": "au", "audio/matroska": "mka",
    "audio/x-matroska": "mka",
    "video/webm": "webm", "audio/webm": "webm", "audio/amr": "amr", "audio/gsm": "gsm",
    "audio/g722": "g722",
  ]
}
