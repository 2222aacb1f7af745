import Diagnosis
import Glibc
import MediaComposition
import MediaTime
import RunPlan
import TestSupport
import Testing
import WorkerPool

@testable import RunExecution

@Suite("Worker processes and resources") struct IsolationTests {
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
        == Failure(.reportBug, "its process ended with status 3 without a message"))
    #expect(
      Isolation.failure(of: .unknown)
        == Failure(.reportBug, "its process ended without a status and without a message"))
  }

  @Test("What a process wrote before it died stands in its failure, and what it lacked is named")
  func lastWords() {
    let full = Isolation.failure(of: .signalled(SIGSEGV), memory: 100, peak: 91)
    #expect(full.remedy == .mendMachine)
    let crash = Isolation.failure(of: .signalled(SIGILL), saying: "Fatal error: Index out of range")
    #expect(crash.message.hasSuffix("; it wrote: Fatal error: Index out of range"))
    #expect(
      Isolation.failure(of: .exited(3), saying: "odd").message
        == "its process ended with status 3 without a message; it wrote: odd")
    for words in [
      "Fatal error: failed to allocate 1073741840 bytes of memory with alignment 16",
      "terminate called after throwing an instance of 'std::bad_alloc' |   what():  std::bad_alloc",
    ] {
      #expect(
        Isolation.failure(of: .signalled(SIGABRT), saying: words, memory: 1 << 30)
          == Failure(
            .mendMachine,
            "its process needs more memory than its limit, 1.1 GB or that of 'ulimit -d'; run "
              + "fewer jobs at once, with '--workers', or raise '--max-memory'"))
    }
  }

  @Test("A source of the program's own is refused where another process is to read it")
  func ownSources() throws {
    let location = MediaLocation.source(TestSource([1, 2, 3], name: "vault://lecture.wav"))
    let failure = #expect(throws: Failure.self) {
      try ProbeProcesses(workers: 1).probe(location, nil)
    }
    #expect(failure?.remedy == .mendJob && failure?.location == location)
    #expect(failure?.message.contains("without --isolate") == true)
  }

  @Test("Files that take too long leave less time for others, and at last none")
  func patience() {
    var patience = ProbePatience()
    #expect(patience.limit(forBytes: 0) == .seconds(60))
    #expect(patience.limit(forBytes: 100_000_020) == .seconds(120))
    patience.lost = .seconds(600)
    #expect(patience.limit(forBytes: 100_000_020) == .seconds(10))
    patience.lost = .seconds(1800)
    #expect(patience.limit(forBytes: 0) == nil)
    #expect(ProbePatience(timeLimit: .seconds(3)).limit(forBytes: 1 << 40) == .seconds(3))
  }

  @Test("Of what a process wrote the message counts, and not the list of calls behind it")
  func words() {
    let message = "Fatal error: failed to allocate 65536 bytes of memory with alignment 16"
    let calls = (0..<24).map { "\($0)   libc.so.6      0x00007fa166a6c24a <unavailable> + \($0)" }
    #expect(Isolation.words(of: [message, "Current stack trace:"] + calls) == message)
    #expect(
      Isolation.words(of: ["1", "2 of 3", "4 \u{1B}[2J", "5"]) == "2 of 3 | 4 \u{FFFD}[2J | 5")
    #expect(Isolation.words(of: []) == "")
  }

  @Test("An export with code of the program is refused by the name of the effect")
  func ownCode() throws {
    let tapped = Segment(
      .silence, TimeMapping(source: .zero, target: .zero), effects: [.tap("meter") { _ in }])
    let inner = Composition(tracks: [Track(segments: [tapped])])
    let outer = Segment(.composition(inner), source: .zero, at: .zero)
    var export = Export(
      name: "own", composition: Composition(tracks: [Track(segments: [outer])]), outputs: [],
      origin: Origin(rawValue: 3))
    let failure = #expect(throws: Failure.self) { try Isolation.requirePassable(export) }
    #expect(
      failure
        == Failure(
          .mendJob,
          "the tap \"meter\" is code of this program, which a process of its own does not have; run "
            + "the export without isolation", origin: Origin(rawValue: 3)))
    export.composition = Composition()
    try Isolation.requirePassable(export)
  }

  @Test("A job requests the files of the sources that may sound at once, and those that it writes")
  func resources() {
    let asset = Segment.Content.asset(
      Asset(
        location: .file("a.wav"), streamIndex: 0, container: "wav", codec: "pcm_s16le",
        sampleRate: 8000,
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
    let none = ResourceRequest(for: Export(name: "none", composition: Composition(), outputs: []))
    let mix = ResourceRequest(for: Export(name: "mix", composition: outer, outputs: []))
    #expect(mix.openFiles - none.openFiles == 2)
    #expect(mix.memory > none.memory)
    var output = Output(path: "a.mp3", format: .mp3(.standard))
    output.chapters.sidecars = [.podlove, .podcasting2]
    var export = Export(name: "files", composition: Composition(), outputs: [output])
    export.records = [ExportRecord(path: "r.json"), ExportRecord(path: "s.json")]
    #expect(ResourceRequest(for: export).openFiles - none.openFiles == 5)
  }

  @Test("The machine has some memory, and this process may open files")
  func machine() {
    #expect(ProcessLimits.machineMemory > 64 << 20)
    #expect(ProcessLimits.raiseOpenFiles() > 16)
  }
}
