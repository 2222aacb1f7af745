/// A file's bytes, of which a window is held: scans read in order, with short looks ahead and back.
///
/// Files are read and not mapped: one that is cut short while it is scanned would end the process
/// (SIGBUS). Where bytes are not there any more, or cannot be read, the file ends from then on, and
/// what is behind it reads as zeros. One thread at a time.
final class FileWindow {
  /// Fills `bytes` from `offset` of the file on, or as many of them as are here; gives how many: 0
  /// where there are none any more, or none can be read.
  typealias Read = (_ offset: Int, _ bytes: UnsafeMutableRawBufferPointer) -> Int

  /// Bytes of the file, as far as they could be read.
  private(set) var count: Int

  private let read: Read
  private let held: UnsafeMutableRawPointer
  /// Where in the file the bytes that are held start and end.
  private var start = 0
  private var end = 0

  private static let size = 1 << 18
  /// Bytes that are held before the requested one: a chain of four frames is shorter.
  private static let lookBack = 1 << 15

  /// Bytes at the file's end, where tags are looked for, that are read without those before them: a
  /// server would be asked once more.
  private static let tail = 1 << 12

  /// A file of `count` bytes; `read` is called with places within it.
  init(count: Int, reading read: @escaping Read) {
    self.count = count
    self.read = read
    held = .allocate(byteCount: Self.size, alignment: 16)
  }

  deinit { held.deallocate() }

  subscript(position: Int) -> UInt8 { pointer(to: position, count: 1).load(as: UInt8.self) }

  /// Four bytes, the first in the highest place; zeros past the end.
  func bigEndian32(at position: Int) -> UInt32 {
    UInt32(bigEndian: pointer(to: position, count: 4).loadUnaligned(as: UInt32.self))
  }

  /// Two bytes, the first in the higher place; zeros past the end.
  func bigEndian16(at position: Int) -> UInt16 {
    UInt16(bigEndian: pointer(to: position, count: 2).loadUnaligned(as: UInt16.self))
  }

  /// Whether `text` stands at `position`, which may be anywhere.
  func holds(_ text: StaticString, at position: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard position >= 0, position <= count - length else { return false }
    return withBytes(at: position, count: length) { $0.holds(text, at: 0) }
  }

  /// Lends `count` bytes, as many as a frame has at most; zeros past the end.
  func withBytes<T>(at position: Int, count: Int, _ body: (UnsafeRawBufferPointer) -> T) -> T {
    body(UnsafeRawBufferPointer(start: pointer(to: position, count: count), count: count))
  }

  @inline(__always)
  private func pointer(to position: Int, count: Int) -> UnsafeRawPointer {
    if position < start || position + count > end { load(position, count) }
    return UnsafeRawPointer(held + (position - start))
  }

  /// Holds `count` bytes from `position` on, and those around them that come with them: more are not
  /// waited for.
  private func load(_ position: Int, _ count: Int) {
    if position < start || position > end || position + count > start + Self.size {
      start =
        self.count - position <= Self.tail
        ? max(0, position) : max(0, position - Self.lookBack)
      end = start
    }
    while end < position + count {
      let rest = UnsafeMutableRawBufferPointer(
        start: held + (end - start), count: start + Self.size - end)
      let wanted = max(0, min(rest.count, self.count - end))
      let found =
        wanted > 0 ? read(end, UnsafeMutableRawBufferPointer(rebasing: rest[..<wanted])) : 0
      end += found
      if found > 0 { continue }
      // Once a file has turned out to be shorter, places may lie behind it.
      if wanted > 0 { self.count = end }
      rest.initializeMemory(as: UInt8.self, repeating: 0)
      end = start + Self.size
    }
  }
}
