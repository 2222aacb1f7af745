import Diagnosis
import LibAV
import MediaComposition
import Testing

@testable import ExportEngine

@Suite("Codecs of pictures that FFmpeg lacks")
struct MissingCodecTests {
  private let error = LibAVError.missingCodec(
    "FFmpeg's libx264", to: "encode pictures around cuts", or: "cut at key pictures")

  @Test("a missing codec is the machine's fault, named with its package and a way round")
  func words() {
    let failure = error.inputFailure(.file("whole.mp4"))
    #expect(failure.remedy == .mendMachine)
    let package = OptionalLibrary.codecs(version: Library.codecVersion).packageName
    #expect(
      failure.message
        == "needs FFmpeg's libx264 to encode pictures around cuts, and this FFmpeg lacks it; install "
        + "\(package) and a package of avjob in place of the bundle, or cut at key pictures")
  }

  @Test("a missing codec is about the output, whichever source is read")
  func place() {
    #expect(error.inputFailure(.file("whole.mp4")).location == nil)
    let blamed = error.blamed(
      on: LibAVError.streamMissing.inputFailure(.file("whole.mp4")))
    #expect(blamed.failure(writing: "out.mp4").location == .file("out.mp4"))
    #expect(!error.isDamage)
  }
}
