import Diagnosis
import LibAV
import MediaCache
import MediaComposition
import SystemPackage

/// A medium's bytes, beside any demuxer of it, with failures for people. One thread at a time.
final class MediumBytes {
  let location: MediaLocation
  private let source: any ByteSource

  /// - Throws: `Failure` where the medium cannot be opened.
  init(_ location: MediaLocation) throws(Failure) {
    self.location = location
    do {
      source = try location.byteSource()
    } catch {
      throw Self.failure(error, "cannot be opened", location)
    }
  }

  /// The bytes of an open file.
  init(_ file: HeldFile, at location: MediaLocation) {
    (self.location, source) = (location, file)
  }

  /// The bytes of an open medium, which is that of `location`.
  init(_ medium: CachedMedium, at location: MediaLocation) {
    (self.location, source) = (location, CachedReader(medium))
  }

  /// The bytes of `source`, which are those at `location`.
  fileprivate init(_ source: any ByteSource, at location: MediaLocation) {
    (self.location, self.source) = (location, source)
  }

  /// Bytes in all.
  func size() throws(Failure) -> Int64 {
    do { return try source.size() } catch { throw Self.failure(error, "cannot be read", location) }
  }

  /// Begins to fetch bytes of a server that will be read soon, here or in a demuxer.
  func prefetch(now range: Range<Int64>) { (source as? CachedReader)?.prefetch(now: range) }

  /// Has bytes of a server fetched, once their reading begins, as far as any demuxers of the medium
  /// will read them, as long as this object lives.
  func prefetch(whileReading reads: [PlannedRead]) {
    (source as? CachedReader)?.prefetch(whileReading: reads)
  }

  /// Whether bytes that are not needed yet should not be waited for: of a server's medium some are not
  /// here, and a source may have to make them. What a server forbids to keep is not costly: were its head
  /// wrong, no later run would know.
  var isCostly: Bool {
    if let reader = source as? CachedReader {
      return reader.medium.isKept && missingBytes(of: [0..<reader.medium.size]) > 0
    }
    return source is SourceBytes && !(location.source is MediaData)
  }

  /// How many bytes of some ranges a server is still to be asked for; none of a file's.
  func missingBytes(of ranges: [Range<Int64>]) -> Int64 {
    (source as? CachedReader)?.medium.missingBytes(of: ranges) ?? 0
  }

  /// Fills `bytes` from `offset` on; gives the number of bytes, fewer at the end.
  func fill(
    _ bytes: UnsafeMutableRawBufferPointer, from offset: Int64
  ) throws(Failure) -> Int {
    do {
      return try source.fill(bytes, from: offset)
    } catch {
      throw Self.failure(error, "cannot be read", location)
    }
  }

  /// Reads into `bytes` what is here from `offset` on, and waits for its first byte alone; gives the
  /// number of bytes, 0 at the end.
  func read(
    at offset: Int64, into bytes: UnsafeMutableRawBufferPointer
  ) throws(Failure) -> Int {
    do {
      return try source.read(at: offset, into: bytes)
    } catch {
      throw Self.failure(error, "cannot be read", location)
    }
  }

  /// `least` bytes from `offset` on, fewer at the end; and up to `most`, of those that are here by then.
  func bytes(
    at offset: Int64, atLeast least: Int, atMost most: Int
  ) throws(Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: most)
    var filled = 0
    while filled < least {
      let found = try bytes.withUnsafeMutableBytes { buffer in
        Result { () throws(Failure) in
          try read(
            at: offset + Int64(filled),
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
        }
      }.get()
      if found == 0 { break }
      filled += found
    }
    bytes.removeLast(most - filled)
    return bytes
  }

  /// `count` bytes from `offset` on; fewer at the end.
  func bytes(at offset: Int64, count: Int) throws(Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let filled = try bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(Failure) in try fill(buffer, from: offset) }
    }.get()
    bytes.removeLast(count - filled)
    return bytes
  }

  /// Four bytes, the most significant first; nil at the end.
  func number(at offset: Int64) throws(Failure) -> UInt32? {
    let bytes = try bytes(at: offset, count: 4)
    return bytes.count == 4 ? bytes.reduce(0) { $0 << 8 | UInt32($1) } : nil
  }

  private static func failure(
    _ error: any Error, _ action: String, _ location: MediaLocation
  ) -> Failure {
    if let failure = error as? Failure { return failure }
    return (error as? Errno).flatMap { .reading($0.rawValue, action, location: location) }
      ?? Failure(.mendMachine, "\(action): \(error)", location: location)
  }
}

extension MediaLocation {
  /// The medium's bytes, which its owner reads on one thread at a time.
  ///
  /// - Throws: `Errno` for a file that cannot be opened; `Failure` for an address or a source.
  func byteSource() throws -> any ByteSource {
    switch self {
    case .file(let path): try FileBytes(path)
    case .remote(let url): CachedReader(try MediaNetwork.medium(at: url))
    case .source(let source): try MediaNetwork.bytes(of: source)
    }
  }

  /// The medium in a demuxer.
  ///
  /// - Parameters:
  ///   - opening: How the demuxer gets it.
  ///   - held: Its file, where that is open.
  ///   - range: Which of its bytes; nil: all.
  /// - Returns: The demuxer, at the medium's beginning.
  /// - Throws: `LibAVError`, with its cause where the bytes cannot be read.
  func demuxer(
    _ opening: MediumOpening = MediumOpening(), reading held: HeldFile? = nil,
    of range: Range<Int64>? = nil
  ) throws(LibAVError) -> Demuxer {
    var source: any ByteSource
    do {
      if let held { source = held } else { source = try byteSource() }
    } catch {
      throw LibAVError(reading: error)
    }
    if range == nil, let reader = source as? CachedReader {
      do { try reader.prefetchParts() } catch { throw LibAVError(reading: error) }
    }
    if !opening.patches.isEmpty { source = PatchedBytes(source, opening.patches) }
    let name = nameForFormats
    let sound = opening.sound ?? headerlessSound
    do throws(LibAVError) {
      return try Demuxer.open(
        source, range, named: name, ignoringEditLists: opening.ignoresEditLists,
        headerless: sound?.header)
    } catch {
      // libavformat opens no file with a segment index that lists others (ISO 14496-12, 8.16.3).
      guard error.cause == nil, range == nil, opening.patches.isEmpty,
        let patches = try? MP4Track.patches(in: MediumBytes(source, at: self)), !patches.isEmpty
      else { throw error }
      return try Demuxer.open(
        PatchedBytes(source, patches), nil, named: name,
        ignoringEditLists: opening.ignoresEditLists)
    }
  }
}

extension MediaLocation {
  /// What its file holds without a header, by its name.
  var headerlessSound: RawSound? { RawSound.named(fileExtension) }

  /// What its name ends with.
  var fileExtension: String? { nameForFormats.extension }

  /// The name of its file, by whose extension some formats are known; of a source without one with that
  /// of its type.
  private var nameForFormats: FilePath {
    var name = file ?? FilePath(lastName ?? "")
    if let source, name.extension == nil, let type = source.typeExtension {
      name = FilePath("\(name.lastComponent?.string ?? "source").\(type)")
    }
    return name
  }
}

extension RawSound {
  /// As libavformat is told; nil for codecs that it knows by themselves.
  fileprivate var header: HeaderlessSound? {
    let code: UInt16
    switch samples {
    case .uint8, .int16, .int24: code = 1
    case .float32: code = 3
    case .aLaw: code = 6
    case .muLaw: code = 7
    case .g722, .gsm, .ima4: return nil
    }
    return HeaderlessSound(
      code: code, bits: samples.byteCount * 8, channelCount: channelCount, sampleRate: sampleRate,
      isBigEndian: isBigEndian, start: headerSize)
  }
}

extension CachedReader {
  /// Asks at once for what a demuxer reads first, one after the other: FLAC's first frames, of which
  /// its parser takes ten, and the ends of FLAC and Ogg, which say how long they are.
  fileprivate func prefetchParts() throws {
    var sign = [UInt8](repeating: 0, count: 4)
    guard try sign.withUnsafeMutableBytes({ try fill($0, from: 0) }) == 4 else { return }
    let (head, tail): (Int64, Int64)
    switch String(decoding: sign, as: UTF8.self) {
    case "fLaC": (head, tail) = (208 << 10, 128 << 10)
    case "OggS": (head, tail) = (0, 66 << 10)
    default: return
    }
    let size = size()
    prefetch(now: max(0, size - tail)..<size)
    prefetch(now: 0..<min(head, size))
  }
}
