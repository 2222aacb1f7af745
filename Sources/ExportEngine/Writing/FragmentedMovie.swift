import Diagnosis
import LibAV
import Tagging

/// Writes packets as an MP4 of fragments, which can be played after each `flush`, and makes it an
/// ordinary one at the end: the index of all packets is appended, and then sixteen bytes at the
/// beginning turn all before it into media. Up to that moment the file is one of fragments, and from
/// then on none; nothing is moved.
///
/// avjob writes these files itself: libavformat's fragments have an exact end only if they stay
/// fragments, and its index keeps some eighty bytes of each packet in memory, this one four.
final class FragmentedMovie: PacketWriter {
  private let file: OutputFile
  private var movie: SoundMovie
  /// Packets that are not in the file yet, and their bytes.
  private var packets: [SoundMovie.Entry] = []
  private var pending: [UInt8] = []
  private var fragmentCount: UInt32 = 0
  /// The end of the file's last fragment.
  private var end: Int64 = 0

  /// Bytes of packets that are written at once.
  private static let longestPending = 1 << 16
  /// The place of the atom that becomes the head of the media.
  private static let mediaStart = Int64(SoundMovie.fileType.count)

  /// Writes the head.
  init(_ file: OutputFile, _ movie: SoundMovie) throws(Failure) {
    (self.file, self.movie) = (file, movie)
    let space = AtomHead.encoded("free", [UInt8](repeating: 0, count: 8))
    let head = SoundMovie.fileType + space + movie.index(isOpen: true)
    try file.put(head, at: 0)
    end = Int64(head.count)
  }

  func write(_ packet: Packet) throws(Failure) {
    guard packet.size > 0 else { return }
    packet.withBytes { pending += $0 }
    packets.append((packet.size, max(0, packet.duration)))
    if pending.count >= Self.longestPending { try flush() }
  }

  func flush() throws(Failure) {
    guard !packets.isEmpty else { return }
    let head = movie.fragmentHead(packets, number: fragmentCount + 1)
    // In one call: a process is hardly killed between the two, and decoders take a part of it.
    try file.put(head + pending, at: end)
    fragmentCount += 1
    movie.append(packets, at: end + Int64(head.count))
    end += Int64(head.count + pending.count)
    packets.removeAll(keepingCapacity: true)
    pending.removeAll(keepingCapacity: true)
  }

  func finish() throws(Failure) {
    try flush()
    try file.put(movie.index(isOpen: false), at: end)
    // Never may the disk have the new head without the index.
    try file.waitForDisk()
    // A size of 1 stands for one of 64 bits behind the name (ISO 14496-12, 4.2).
    let size = UInt64(end - Self.mediaStart)
    let head: [UInt8] =
      [0, 0, 0, 1] + Array("mdat".utf8)
      + (0..<8).reversed().map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
    try file.put(head, at: Self.mediaStart)
  }
}
