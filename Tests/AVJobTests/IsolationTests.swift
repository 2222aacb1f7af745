import Glibc
import MediaComposition
import MediaTime
import Testing
import WorkerPool

@testable import avjob

@Suite("Worker processes and claims") struct IsolationTests {
  @Test("How a process ended says whether another attempt may help")
  func ends() {
    let cases: [(ends: [Int32], remedy: Failure.Remedy, words: String)] = [
      ([SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP], .reportBug, "its process crashed"),
      ([SIGKILL], .tryAgain, "its process was killed (SIGKILL)"),
      ([SIGXCPU], .tryAgain, "its process took more time than its limit"),
      ([SIGTERM, SIGINT, SIGHUP], .tryAgain, "its process was stopped from outside"),
      ([SIGVTALRM], .reportBug, "its process crashed (signal \(SIGVTALRM))"),
    ]
    for (ends, remedy, words) in cases {
      for signal in ends {
        let failure = Isolation.failure(of: .signalled(signal))
        #expect(failure.remedy == remedy)
        #expect(failure.message.hasPrefix(words))
      }
    }
    #expect(
      Isolation.failure(of: .exited(3))
        == Failure(.reportBug, "its process ended with status 3 and did not say why"))
  }

  @Test("A job claims the files of the sources that may sound at once, and those that it writes")
  func claims() {
    let asset = Segment.Content.asset(
      Asset(
        path: "a.wav", streamIndex: 0, container: "wav", codec: "pcm_s16le", sampleRate: 8000,
        channelLayout: .mono, frameCount: 8000,
        identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1)))
    func segment(_ content: Segment.Content, at second: Int64) -> Segment {
      Segment(
        content,
        source: TimeRange(start: .zero, duration: Time(value: 1, timescale: 1)),
        at: Time(value: second, timescale: 1))
    }
    let inner = Composition(tracks: [
      Track(segments: [segment(asset, at: 0)]), Track(segments: [segment(asset, at: 0)]),
    ])
    let outer = Composition(tracks: [
      Track(segments: [segment(asset, at: 0), segment(.composition(inner), at: 1)]),
      Track(segments: [segment(asset, at: 0)]), Track(segments: [segment(.silence, at: 0)]),
    ])
    let none = PoolClaim(of: Export(name: "none", composition: Composition(), outputs: []))
    let claim = PoolClaim(of: Export(name: "mix", composition: outer, outputs: []))
    #expect(claim.openFiles - none.openFiles == 3)
    #expect(claim.memory > none.memory)
  }

  @Test("The machine has some memory, and this process may open files")
  func machine() {
    #expect(ProcessLimits.machineMemory > 64 << 20)
    #expect(ProcessLimits.raiseOpenFiles() > 16)
  }
}
