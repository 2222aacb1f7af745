import Diagnosis
import Glibc
import LibAV
import MediaComposition
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

@Suite("Classes of failure") struct FailureClassTests {
  @Test("As many tags are read as are written")
  func tagLimits() { #expect(ReadingBounds.tagLimit == Metadata.mostItems) }

  @Test(
    "What hits an output is sorted by who can mend it",
    arguments: [
      (.mendMachine, [ENOSPC, EDQUOT, EACCES, EPERM, EROFS, EFBIG, EIO, ENXIO]),
      (.mendJob, [ENAMETOOLONG, ENOTDIR, EISDIR, ELOOP]),
      (
        .tryAgain,
        [
          EMFILE, ENFILE, ENOMEM, ENOENT, ESTALE, EAGAIN, ETIMEDOUT, EINTR, EBUSY, ENOLCK,
          ECONNRESET, ENETUNREACH, EHOSTDOWN,
        ]
      ),
    ] as [(Failure.Remedy, [Int32])])
  func writing(_ remedy: Failure.Remedy, numbers: [Int32]) {
    for number in numbers {
      let failure = Failure.writing(number, "cannot write", path: "a.wav")
      #expect(failure.remedy == remedy, "\(Errno(rawValue: number))")
      #expect(failure.message.hasPrefix("cannot write: \(Errno(rawValue: number)); "))
    }
  }

  @Test(
    "What hits an input is the machine's, passes by itself, or is the file's own fault",
    arguments: [
      (.mendMachine, [EACCES, EPERM, EIO]),
      (.tryAgain, [EMFILE, ENFILE, ENOMEM, ESTALE, ETIMEDOUT, EINTR, EBUSY, ECONNRESET]),
      (.mendInput, [EINVAL, ENOENT, EPIPE, EAGAIN, ERANGE]),
    ] as [(Failure.Remedy, [Int32])])
  func reading(_ remedy: Failure.Remedy, numbers: [Int32]) {
    for number in numbers {
      let failure = LibAVError(reading: Errno(rawValue: number)).inputFailure(.file("a.wav"))
      #expect(failure.remedy == remedy, "\(Errno(rawValue: number))")
      #expect(failure.location == .file("a.wav"))
    }
    let invalid = LibAVError.streamMissing.inputFailure(.file("a.wav"))
    #expect(invalid.remedy == .mendInput)
    // A demuxer's own EIO is no error of the disk.
    let short = LibAVError(code: -EIO, operation: "avformat_open_input").inputFailure(
      .file("a.wav"))
    #expect(short.remedy == .mendInput && short.message.hasPrefix("was cut short"))
  }

  @Test("Where a finished file cannot take its place, the failure names those of its job that have")
  func halfInPlace() throws {
    let stage = Stage()
    let sound = try stage.sound([Signal.noise(seed: 1, count: 8000)], rate: 8000)
    let outputs = ["a.wav", "b.wav", "c.wav"].map {
      Output(path: FilePath(stage.folder.path($0)), format: .wav(.int16))
    }
    let export = Export(
      name: "three", composition: composition(clip(sound)), outputs: outputs)
    let failure = #expect(throws: Failure.self) {
      try ExportSession(export, library: stage.library).run { _ in
        _ = mkdir(stage.folder.path("c.wav"), 0o777)
      }
    }
    #expect(failure?.path == outputs[2].path)
    #expect(failure?.message.hasPrefix("cannot rename the finished file: Is a directory; ") == true)
    #expect(
      failure?.message.hasSuffix(
        "; '\(outputs[0].path)' and 1 more of the same job are new already") == true)
  }

  @Test(
    "Reading stops where nobody waits for it, on its way to a frame too",
    arguments: ["a.wav", "a.flac", "a.mp3", "a.ogg"])
  func cancelled(_ name: String) throws {
    let folder = TestFolder()
    let path = folder.path(name)
    try Tool.succeed(
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=440:d=20", "-ar", "44100", path)
    let library = MediaLibrary()
    let asset = try library.asset(at: FilePath(path))
    let flag = CancellationFlag()
    let stream = try library.open(asset, noting: Damage(unless: flag))
    let buffer = AudioBuffer(channelCount: 1, capacity: 4096)
    #expect(try stream.read(0..<4096, into: buffer, at: 0) == 4096)
    flag.cancel()
    let later = 44_100 * 19 as Int64
    let failure = #expect(throws: Failure.self) {
      try stream.read(later..<later + 4096, into: buffer, at: 0)
    }
    #expect(failure?.message == "cancelled")
  }
}
