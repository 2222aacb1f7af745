import ExportEngine
import Glibc

/// What one process may take of the machine (setrlimit(2)).
package struct ProcessLimits: Codable {
  /// Bytes of its own memory (`RLIMIT_DATA`).
  var memory: Int
  /// Seconds of one core (`RLIMIT_CPU`); nil: any number.
  var processorTime: Int?
  /// File descriptors (`RLIMIT_NOFILE`).
  var openFiles: Int
  /// Bytes of a file that it writes (`RLIMIT_FSIZE`); nil: any number.
  var fileSize: Int?
  /// Bytes of an output (`OutputFile.greatestSize`); nil: any number.
  var outputSize: Int?

  /// Binds this process, which will leave no core dump either. A bound that the system does not take
  /// is left as it is.
  func apply() {
    Self.set(RLIMIT_CORE, 0)
    Self.set(RLIMIT_DATA, memory)
    if let processorTime { Self.set(RLIMIT_CPU, processorTime) }
    Self.set(RLIMIT_NOFILE, openFiles)
    if let fileSize { Self.set(RLIMIT_FSIZE, fileSize) }
    if let outputSize { OutputFile.greatestSize.store(Int64(outputSize), ordering: .relaxed) }
  }

  /// Binds the process that starts others, each of which may take `memory` bytes. What its jobs take is
  /// counted before (`SegmentBudget`); this is the last resort, for what is not, with room for the
  /// rest of the process and the stacks of its threads.
  package static func bindStarter(memory: Int, cores: Int) {
    let most = 3 * min(memory, 1 << 40) + (1 << 30) + cores * (64 << 20)
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0,
      limit.rlim_cur > rlim_t(most)
    else { return }
    set(RLIMIT_DATA, most)
  }

  /// How many more files this process may open, after the limit was raised as far as that is
  /// allowed: shells give programs 1,024, for the sake of those that use select(2).
  package static func raiseOpenFiles() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    if limit.rlim_cur < limit.rlim_max {
      var raised = limit
      raised.rlim_cur = limit.rlim_max
      if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
    }
    return Int(clamping: limit.rlim_cur) - openFiles
  }

  /// Those that this process was given, and has opened.
  private static var openFiles: Int {
    guard let folder = opendir("/proc/self/fd") else { return 3 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // Two names for folders, and the folder itself.
    return max(0, count - 3)
  }

  /// Bytes of memory for each of some processes; the smallest is what a mix of a few hundred sources
  /// takes.
  static func memory(among processes: Int) -> Int {
    max(1 << 30, machineMemory / max(1, processes))
  }

  /// Bytes of memory that this process may think of as there: the machine's, or the container's
  /// where that is less.
  package static var machineMemory: Int {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let all = pages > 0 ? pages * max(4096, sysconf(Int32(_SC_PAGESIZE))) : 4 << 30
    return min(all, containerMemory ?? all)
  }

  /// cgroup v2, `memory.max`: bytes, or `max`.
  private static var containerMemory: Int? {
    guard let file = fopen("/sys/fs/cgroup/memory.max", "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 32)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    let digits = line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:))
    return Int(String(decoding: digits, as: UTF8.self))
  }

  /// Sets both limits, no higher than they may be.
  private static func set(_ resource: __rlimit_resource, _ value: Int) {
    let number = __rlimit_resource_t(resource.rawValue)
    var limit = rlimit()
    guard getrlimit(number, &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(clamping: value))
    _ = setrlimit(number, &limit)
  }
}
