import Diagnosis
import LibAV
import MediaComposition
import Synchronization

/// A medium in memory (`AVAudioPlayer.initWithData:error:`), for any number of readers and players.
///
/// ```swift
/// let jingle = MediaLocation.source(MediaData(bytes, name: "jingle.mp3"))
/// let item = try PlayerItem(contentsOf: jingle, library: library)
/// ```
///
/// Two with the same name and bytes are one medium to fingerprints, also in another run. Immutable;
/// safe from any thread.
public final class MediaData: MediaSource, UnblockedSource {
  /// The medium.
  public let bytes: [UInt8]
  /// As of `MediaSource`.
  public let name: String
  /// As of `MediaContentInformation`.
  public let contentType: String?
  /// The SHA-256 of the bytes, once it was asked for.
  private let digest = Mutex<String?>(nil)

  /// A medium of these bytes, such as Foundation's `Data`, which are copied unless they are an array.
  ///
  /// - Parameters:
  ///   - bytes: The content of a file.
  ///   - name: Stands in messages; its extension counts as that of a file does.
  ///   - contentType: The type, as of `MediaContentInformation`; nil: by the bytes.
  /// - Complexity: O(n)
  public init(
    _ bytes: some Sequence<UInt8>, name: String = "data", contentType: String? = nil
  ) {
    (self.bytes, self.name, self.contentType) = (Array(bytes), name, contentType)
  }

  /// Its length and type, and its digest as the validator.
  ///
  /// - Complexity: O(n) the first time, some 0.3 s for 100 MB
  public func contentInformation() throws -> MediaContentInformation {
    let validator = try digest.withLock { digest throws in
      if let digest { return digest }
      let found = try bytes.withUnsafeBytes { try SHA256.digest($0) }.hexadecimal
      digest = found
      return found
    }
    return MediaContentInformation(
      contentLength: Int64(bytes.count), contentType: contentType, validator: validator)
  }

  /// Copies bytes, as of `MediaSource`. O(n) in the bytes that are read
  public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard offset < Int64(bytes.count) else { return 0 }
    let part = bytes[Int(offset)..<min(bytes.count, Int(offset) + buffer.count)]
    buffer.copyBytes(from: part)
    return part.count
  }
}

extension MediaLocation {
  /// A medium in memory: `.source(MediaData(bytes, name: name))`.
  public static func data(_ bytes: some Sequence<UInt8>, name: String = "data") -> MediaLocation {
    .source(MediaData(bytes, name: name))
  }
}
