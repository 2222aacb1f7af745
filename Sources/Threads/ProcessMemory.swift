internal import CThreads

/// What the C library does with this process's memory.
package enum ProcessMemory {
  /// Has blocks of 2 MiB and more given back to the system as soon as they are freed (mallopt(3)).
  ///
  /// glibc raises that bound with each larger block that is freed, up to 32 MiB, and what lies below it
  /// often stays with the process: libavformat's index of an hour of AAC, at each opening of one.
  /// Blocks that are needed again and again, such as buffers of sound, are smaller. For the start of a
  /// program of our own: a library leaves that to the program that it is in.
  package static func returnLargeBlocks() {
    let mapThreshold: Int32 = -3  // M_MMAP_THRESHOLD
    _ = avjob_mallopt(mapThreshold, 2 << 20)
  }
}
