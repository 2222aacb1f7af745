import Diagnosis
import Files
import Glibc
import LibAV
import MediaComposition
import SystemPackage

/// The most that fits into a FLAC file: a block's length has 24 bits (RFC 9639, section 8.1), less
/// the bytes before the picture.
let largestCover = (1 << 24) - 4096

/// Why no output can hold a media file's picture, called `name` in messages; nil where one can.
func obstacle(to artwork: EmbeddedArtwork, as name: String) -> String? {
  if case .other(let format) = artwork.format {
    return "\(name) is a \(format) picture, and outputs hold JPEG and PNG"
  }
  return artwork.byteCount <= largestCover ? nil : "\(name) is larger than 16 MB"
}

/// Reads a picture without decoding it.
///
/// - Parameters:
///   - artwork: Where it is.
///   - name: Its name in messages: `the cover`.
/// - Returns: nil for a media file's picture that no output can hold.
/// - Throws: `.mendInput` where a file is not regular, too large, damaged, or neither JPEG nor PNG;
///   `.tryAgain` where a media file is not the probed one.
func readPicture(_ artwork: Artwork, as name: String = "the cover") throws(Failure) -> Picture? {
  switch artwork {
  case .picture(.file(let path)): return try readPicture(path, as: name)
  case .picture(let location): return try fetchPicture(location, as: name)
  case .embedded(let artwork):
    guard obstacle(to: artwork, as: name) == nil else { return nil }
    try SourceFile.requireUnchanged(artwork.media, artwork.identity)
    let bytes =
      switch artwork.place {
      case .stream(let index): try attachedPicture(index, of: artwork.media)
      case .tag(let image): try read(image.stored, of: artwork.media).map(image.bytes)
      case .bytes(let stored): try stored.picture(in: MediumBytes(artwork.media))
      }
    guard let bytes else {
      throw Failure(.tryAgain, "\(name) cannot be read; run the job again", location: artwork.media)
    }
    return Picture(bytes)
  }
}

extension Artwork {
  /// Reads the picture, for a screen.
  ///
  /// - Returns: Its bytes, and the extension of its file: `jpg` or `png`. Nil as `readPicture`.
  /// - Throws: As `readPicture`.
  package func picture() throws(Failure) -> (bytes: [UInt8], fileExtension: String)? {
    try readPicture(self).map { ($0.bytes, $0.format == .jpeg ? "jpg" : "png") }
  }
}

/// Pictures of jobs, for one view of the disk: each file is read once, however many jobs share it.
struct PictureCache {
  private struct Key: Hashable {
    var location: MediaLocation
    /// Its name in failures.
    var name: String
  }
  private typealias Sight = Result<(head: Picture, byteCount: Int), Failure>

  private var sights: [Key: Sight] = [:]

  /// A picture's facts, with only the bytes that give its format, and their number.
  ///
  /// - Throws: As `readPicture`.
  mutating func picture(
    _ location: MediaLocation, as name: String
  ) throws(Failure) -> (head: Picture, byteCount: Int) {
    let key = Key(location: location, name: name)
    if let known = sights[key] { return try known.get() }
    let sight: Sight
    do throws(Failure) {
      guard let picture = try readPicture(.picture(location), as: name) else {
        throw Failure(.reportBug, "\(name) has no format", location: location)
      }
      sight = .success((picture.head, picture.bytes.count))
    } catch {
      sight = .failure(error)
    }
    sights[key] = sight
    return try sight.get()
  }
}

/// The state of the disk, for the reviews of many exports (`ExportSession.review`).
package struct ReviewCache {
  var folders = FolderCache()
  var pictures = PictureCache()
  var rooms: RoomCache
  /// How many more outputs' moving pictures may be looked at: each opens its sources once more.
  var movies = 256

  /// An empty cache; `room` finds the disk that a file will be on.
  package init(room: @escaping (FilePath) -> DiskRoom? = { DiskRoom(for: $0) }) {
    rooms = RoomCache(room)
  }
}

private func attachedPicture(_ index: Int, of media: MediaLocation) throws(Failure) -> [UInt8]? {
  try reading(media) { () throws(LibAVError) in
    try media.demuxer().bytes(ofPicture: index)
  }
}

private func read(
  _ range: Range<Int>, of media: MediaLocation
) throws(Failure) -> [UInt8]? {
  let bytes = try MediumBytes(media).bytes(at: Int64(range.lowerBound), count: range.count)
  return bytes.count == range.count ? bytes : nil
}

private func fetchPicture(
  _ location: MediaLocation, as name: String
) throws(Failure) -> Picture {
  let medium = try MediumBytes(location)
  let size = try medium.size()
  guard size <= largestCover else { throw tooLarge(location, name) }
  return try picture(try medium.bytes(at: 0, count: Int(size)), location, name)
}

private func tooLarge(_ location: MediaLocation, _ name: String) -> Failure {
  Failure(.mendInput, "\(name) is larger than 16 MB; make it smaller", location: location)
}

private func picture(
  _ bytes: [UInt8], _ location: MediaLocation, _ name: String
) throws(Failure) -> Picture {
  guard let picture = Picture(bytes) else {
    throw Failure(
      .mendInput, "\(name) is neither a JPEG nor a PNG picture", location: location)
  }
  if let damage = picture.damage {
    throw Failure(.mendInput, "\(name) \(damage)", location: location)
  }
  return picture
}

private func readPicture(_ path: FilePath, as name: String) throws(Failure) -> Picture {
  // O_NONBLOCK: a FIFO would wait for a writer.
  let descriptor = PathCalls.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
  guard descriptor >= 0 else {
    throw Failure(.mendInput, "cannot open \(name): \(Errno(rawValue: errno))", path: path)
  }
  defer { close(descriptor) }
  guard !Confinement.hides(FileDescriptor(rawValue: descriptor)) else { throw .hidden(path) }
  guard let status = try? FileStatus(of: descriptor), status.kind == .file else {
    throw Failure(.mendInput, "\(name) is no regular file", path: path)
  }
  guard status.size <= largestCover else { throw tooLarge(.file(path), name) }
  let size = Int(status.size)
  var failure: Int32 = 0
  let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
    while count < size {
      let read = pread(
        descriptor, buffer.baseAddress.map { $0 + count }, size - count, off_t(count))
      if read < 0, errno == EINTR { continue }
      if read < 0 { failure = errno }
      guard read > 0 else { return }
      count += read
    }
  }
  guard failure == 0 else {
    throw Failure(.mendInput, "cannot read \(name): \(Errno(rawValue: failure))", path: path)
  }
  return try picture(bytes, .file(path), name)
}
