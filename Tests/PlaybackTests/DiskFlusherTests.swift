import Glibc
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import Playback

@Suite struct DiskFlusherTests {
  let folder = TestFolder()

  /// A disk that takes nothing until it is let go.
  private final class SlowDisk: Sendable {
    private let state = Monitor((isStuck: true, flushed: 0, atOnce: 0, most: 0))
    let error: Int32

    init(error: Int32 = 0) { self.error = error }

    var flusher: DiskFlusher {
      DiskFlusher { descriptor in
        self.state.withLock { state in
          state.atOnce += 1
          state.most = max(state.most, state.atOnce)
        }
        self.state.wait { $0.isStuck ? nil : () }
        self.state.withLock { state in
          state.atOnce -= 1
          state.flushed += 1
        }
        guard self.error == 0 else {
          errno = self.error
          return -1
        }
        return fsync(descriptor)
      }
    }

    var flushed: Int { state.withLock { $0.flushed } }
    var most: Int { state.withLock { $0.most } }

    func release() { state.withLock { $0.isStuck = false } }
  }

  @Test("files are flushed in order in the background, also closed ones")
  func order() throws {
    let disk = SlowDisk()
    let flusher = disk.flusher
    for name in ["a", "b", "."] {
      let path = folder.path(name)
      let flags = name == "." ? O_RDONLY | O_DIRECTORY : O_CREAT | O_WRONLY
      let descriptor = open(path, flags | O_CLOEXEC, 0o600)
      try #require(descriptor >= 0)
      #expect(flusher.flush(descriptor) == 0)
      close(descriptor)
    }
    #expect(flusher.isBusy)
    #expect(disk.flushed == 0)
    disk.release()
    #expect(flusher.finish() == 0)
    #expect(disk.flushed == 3)
    #expect(disk.most == 1)
    #expect(!flusher.isBusy)
  }

  @Test("a failed flush is reported by the next flush, or at the end, and once")
  func errors() throws {
    let disk = SlowDisk(error: ENOSPC)
    disk.release()
    let flusher = disk.flusher
    let descriptor = open(folder.path("a"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    #expect(flusher.flush(descriptor) == 0)
    try wait(until: "the flusher has nothing to do") { !flusher.isBusy }
    let status = flusher.flush(descriptor)
    #expect(status == -1 && errno == ENOSPC)
    #expect(flusher.flush(descriptor) == 0)
    #expect(flusher.finish() == ENOSPC)
    #expect(flusher.finish() == 0)
  }

  private func recorder(
    _ microphone: MemoryMicrophone, _ disk: SlowDisk, _ settings: RecordingSettings
  ) throws -> Recorder {
    try Recorder(
      to: FilePath(folder.path("a.wav")), settings: settings, clock: microphone.clock,
      flusher: disk.flusher, opening: microphone.opener)
  }

  @Test("a disk that takes its time for a flush keeps no sound waiting, and no new part")
  func slow() throws {
    let frames = 48_000
    let microphone = MemoryMicrophone([UInt8](repeating: 1, count: frames * 4))
    let disk = SlowDisk()
    var settings = RecordingSettings()
    settings.split = Time(value: 1, timescale: 7)
    let recorder = try recorder(microphone, disk, settings)
    try recorder.record()
    try wait(until: "all is recorded") {
      recorder.currentTime == Time(frames: Int64(frames), rate: 48_000)
    }
    #expect(disk.flushed == 0)
    recorder.stop()
    #expect(!recorder.isFinished)
    disk.release()
    let recording = try recorder.finished()
    #expect(recording.end == .stopped)
    #expect(recording.losses == [])
    #expect(recording.frameCount == Int64(frames))
    // Each part, and the folder after it.
    #expect(disk.flushed >= recording.files.count * 2)
    #expect(disk.most == 1)
  }

  @Test("a disk that cannot flush ends the recording, as one that is full does")
  func failing() throws {
    let microphone = MemoryMicrophone([UInt8](repeating: 1, count: 48_000 * 4))
    let disk = SlowDisk(error: ENOSPC)
    disk.release()
    let recorder = try recorder(microphone, disk, RecordingSettings())
    try recorder.record()
    try microphone.waitUntilQuiet()
    recorder.stop()
    let recording = try recorder.finished()
    guard case .failed(let failure) = recording.end else {
      Issue.record("\(recording.end)")
      return
    }
    #expect(failure.message.contains("to the disk: No space left on device"))
    #expect(failure.remedy == .mendMachine)
  }
}
