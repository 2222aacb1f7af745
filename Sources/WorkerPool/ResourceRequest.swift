/// What running jobs share besides cores, and what one of them may take of it.
package struct ResourceRequest: Sendable, Hashable {
  /// File descriptors; 0 or more.
  package var openFiles: Int
  /// Bytes of memory; 0 or more.
  package var memory: Int

  /// A request of these descriptors and bytes; negative numbers count as 0.
  package init(openFiles: Int = 0, memory: Int = 0) {
    self.openFiles = max(0, openFiles)
    self.memory = max(0, memory)
  }

  /// Limits under which every job fits.
  package static let unlimited = ResourceRequest(openFiles: .max, memory: .max)

  /// Whether both fit under `limit` together.
  func fits(beside other: ResourceRequest, under limit: ResourceRequest) -> Bool {
    // What runs is under the limit, or is a single job: differences cannot overflow.
    openFiles <= limit.openFiles - min(limit.openFiles, other.openFiles)
      && memory <= limit.memory - min(limit.memory, other.memory)
  }

  static func += (sum: inout ResourceRequest, request: ResourceRequest) {
    sum.openFiles += request.openFiles
    sum.memory += request.memory
  }

  static func -= (sum: inout ResourceRequest, request: ResourceRequest) {
    sum.openFiles -= request.openFiles
    sum.memory -= request.memory
  }
}
