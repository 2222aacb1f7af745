import Synchronization
import Testing

@testable import FDKAAC

@Suite("What libfdk-aac says of settings")
struct FDKAnswersTests {
  private func settings(_ bitRate: Int) -> FDKEncoder.Settings {
    FDKEncoder.Settings(objectType: 5, bitRate: bitRate, sampleRate: 44_100, channelCount: 2)
  }

  @Test("is asked once for each settings, whether it takes them or not")
  func once() throws {
    let asked = Counts()
    let answers = FDKAnswers { settings throws(FDKError) in
      asked.values.withLock { $0[settings.bitRate ?? 0, default: 0] += 1 }
      if settings.bitRate == 1 { throw FDKError(.otherBitRate(8000), "test") }
    }
    for _ in 0..<3 {
      try answers.require(settings(64_000))
      try answers.require(settings(48_000))
      let error = #expect(throws: FDKError.self) { try answers.require(settings(1)) }
      #expect(error?.kind == .otherBitRate(8000))
    }
    #expect(asked.values.withLock { $0 } == [64_000: 1, 48_000: 1, 1: 1])
  }

  @Test("is asked again where there was no memory")
  func memory() {
    let asked = Counts()
    let answers = FDKAnswers { _ throws(FDKError) in
      asked.values.withLock { $0[0, default: 0] += 1 }
      throw FDKError(.noMemory, "test")
    }
    for _ in 0..<2 { #expect(throws: FDKError.self) { try answers.require(settings(64_000)) } }
    #expect(asked.values.withLock { $0[0] } == 2)
  }
}

/// How often each bit rate was asked for.
private final class Counts: Sendable {
  let values = Mutex<[Int: Int]>([:])
}
