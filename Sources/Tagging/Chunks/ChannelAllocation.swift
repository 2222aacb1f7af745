/// The chunk `chna`: which track of a file belongs to which part of its audio definition model (ITU-R
/// BS.2088-1, 8).
package struct ChannelAllocation: Sendable, Hashable {
  /// What a track is for.
  package struct Entry: Sendable, Hashable {
    /// From 1 on.
    package var track: UInt16
    /// 12 characters, as `ATU_00000001`.
    package var uid: String
    /// 14 characters, as `AT_00010001_01`.
    package var trackFormat: String
    /// 11 characters, as `AP_00010002`; empty for none.
    package var packFormat: String

    package init(track: UInt16, uid: String, trackFormat: String, packFormat: String) {
      (self.track, self.uid) = (track, uid)
      (self.trackFormat, self.packFormat) = (trackFormat, packFormat)
    }
  }

  package var entries: [Entry] = []

  package init(_ entries: [Entry] = []) { self.entries = entries }

  /// Tracks that have an entry.
  package var trackCount: Int { Set(entries.map(\.track)).count }

  private static let chunk = "chna"
  private static let entrySize = 40

  /// Reads the chunk's content; nil where it has no count. Entries of the track 0 are room for more,
  /// and are left out. O(n)
  package init?(_ bytes: [UInt8], isBigEndian: Bool = false, defects: inout [ChunkDefect]) {
    guard bytes.count >= 4 else {
      defects.note(Self.chunk, .short(has: bytes.count, needs: 4))
      return nil
    }
    var reader = ChunkReader(Self.chunk, bytes, isBigEndian: isBigEndian)
    _ = reader.number(UInt16.self)
    let used = reader.number(UInt16.self)
    _ = reader.count(UInt64(used), of: Self.entrySize, &defects)
    for _ in 0..<min(reader.rest / Self.entrySize, ChunkLimits.entries) {
      let track = reader.number(UInt16.self)
      let uid = reader.text(12, "uid", &defects)
      let trackFormat = reader.text(14, "track format", &defects)
      let packFormat = reader.text(11, "pack format", &defects)
      _ = reader.bytes(1)
      guard track > 0 else { continue }
      entries.append(
        Entry(track: track, uid: uid, trackFormat: trackFormat, packFormat: packFormat))
    }
  }

  /// The chunk's content, of the first 65,535 entries. O(n)
  package func bytes(isBigEndian: Bool = false) -> [UInt8] {
    var writer = ChunkWriter(isBigEndian: isBigEndian)
    let entries = entries.prefix(Int(UInt16.max))
    writer.append(UInt16(Set(entries.map(\.track)).count))
    writer.append(UInt16(entries.count))
    for entry in entries {
      writer.append(entry.track)
      writer.append(entry.uid, filling: 12)
      writer.append(entry.trackFormat, filling: 14)
      writer.append(entry.packFormat, filling: 11)
      writer.append(zeros: 1)
    }
    return writer.bytes
  }
}
