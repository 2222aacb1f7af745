import Glibc

internal import CThreads

/// A number in memory that a process shares with its child. The child notes in it what it works on,
/// so that the parent can read that after the child has crashed.
// The memory is there as long as this object. One process writes the number, an aligned word, and
// the other one reads it: it sees the old value or the new one.
package final class SharedNumber: @unchecked Sendable {
  /// Of the memory, in the process that has made it; a child has it as `inherited`.
  let descriptor: Int32
  /// Behind the standard ones.
  static let inherited: Int32 = 3
  private let word: UnsafeMutablePointer<Int32>
  private static let size = 4096

  /// A number that is 0 at first; nil where the system has no memory to share.
  package convenience init?() {
    // MFD_CLOEXEC is 1 (linux/memfd.h).
    let descriptor = avjob_memfd_create("avjob", 1)
    guard descriptor >= 0 else { return nil }
    guard ftruncate(descriptor, off_t(Self.size)) == 0 else {
      close(descriptor)
      return nil
    }
    self.init(of: descriptor)
  }

  /// The number that the parent shares with this process, if it has passed one to
  /// `ChildProcess.spawn`.
  package static func ofParent() -> SharedNumber? { SharedNumber(of: inherited) }

  private init?(of descriptor: Int32) {
    self.descriptor = descriptor
    guard let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
      memory != MAP_FAILED
    else {
      close(descriptor)
      return nil
    }
    word = memory.bindMemory(to: Int32.self, capacity: 1)
  }

  deinit {
    munmap(word, Self.size)
    close(descriptor)
  }

  /// The value that was written last, by either process.
  package var value: Int32 {
    get { word.pointee }
    set { word.pointee = newValue }
  }
}
