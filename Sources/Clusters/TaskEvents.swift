import Files
import Reports
import SystemPackage

/// The events of one task, read from the files of its starts while it writes them.
struct TaskEvents {
  private let plan: PlannedRun
  private var events: ShardEvents
  /// Whose file is read; nil: the task has not begun.
  private(set) var start: Int?
  /// Of that file.
  private var offset: Int64 = 0
  /// Of the line that is not whole yet.
  private var partialLine: [UInt8] = []

  init(of plan: PlannedRun) {
    self.plan = plan
    events = ShardEvents(of: plan)
  }

  /// Begins with the file of another start.
  mutating func begin(_ start: Int) {
    (self.start, offset, partialLine) = (start, 0, [])
    events = ShardEvents(of: plan)
  }

  /// What whole lines that were written since the last time say.
  ///
  /// - Complexity: O(bytes that are new)
  mutating func items(in path: FilePath) -> [ShardEvents.Item] {
    guard let file = try? PathCalls.openToRead(path) else { return [] }
    defer { try? file.close() }
    guard let size = try? FileStatus(of: file.rawValue).size, size != offset else { return [] }
    // A start that was begun twice has cut the file off.
    if size < offset { (offset, partialLine) = (0, []) }
    var items: [ShardEvents.Item] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let place = offset
      let count = try? block.withUnsafeMutableBytes {
        try file.read(fromAbsoluteOffset: place, into: $0)
      }
      guard let count, count > 0 else { return items }
      offset += Int64(count)
      var rest = block[..<count]
      while let feed = rest.firstIndex(of: UInt8(ascii: "\n")) {
        if let item = events.item(partialLine + rest[..<feed]) { items.append(item) }
        (partialLine, rest) = ([], rest[(feed + 1)...])
      }
      partialLine += rest
    }
  }
}
