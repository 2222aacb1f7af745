import Diagnosis
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

@Suite("Media that a delegate loads") struct AssetResourceLoaderTests {
  /// Keeps requests, which tests answer.
  private final class Keeper: AssetResourceLoaderDelegate {
    let kept = Mutex<[AssetResourceLoadingRequest]>([])
    let cancelled = Mutex<[AssetResourceLoadingRequest]>([])
    let answers: Bool

    init(answers: Bool = true) { self.answers = answers }

    func resourceLoader(
      _ resourceLoader: AssetResourceLoader,
      shouldWaitForLoadingOfRequestedResource loadingRequest: AssetResourceLoadingRequest
    ) -> Bool {
      kept.withLock { $0.append(loadingRequest) }
      return answers
    }

    func resourceLoader(
      _ resourceLoader: AssetResourceLoader, didCancel loadingRequest: AssetResourceLoadingRequest
    ) {
      cancelled.withLock { $0.append(loadingRequest) }
    }

    func next(_ number: Int) throws -> AssetResourceLoadingRequest {
      try wait(until: "request \(number) is there") { self.kept.withLock { $0.count > number } }
      return kept.withLock { $0[number] }
    }
  }

  /// What a read on a thread of its own gives.
  private final class Reading: Sendable {
    let result = Monitor<Result<[UInt8], any Error>?>(nil)

    init(_ loader: AssetResourceLoader, at offset: Int64, count: Int) throws {
      _ = try Thread.spawn(name: "test-read") { [result] in
        let found = Result {
          var bytes = [UInt8](repeating: 0, count: count)
          let count = try bytes.withUnsafeMutableBytes { try loader.read(at: offset, into: $0) }
          return Array(bytes[..<count])
        }
        result.withLock { $0 = found }
      }
    }

    func get() throws -> [UInt8] { try result.wait { $0 }.get() }
  }

  private func opened(
    _ length: Int64?
  ) throws -> (keeper: Keeper, loader: AssetResourceLoader) {
    let keeper = Keeper()
    let loader = AssetResourceLoader(url: "own://host/a.mp3", delegate: keeper)
    let asked = Mutex<Result<MediaContentInformation, any Error>?>(nil)
    let thread = try Thread.spawn(name: "test-open") {
      let found = Result { try loader.contentInformation() }
      asked.withLock { $0 = found }
    }
    let first = try keeper.next(0)
    #expect(first.url == "own://host/a.mp3")
    #expect(first.dataRequest.requestedOffset == 0 && first.dataRequest.requestedLength == 2)
    let information = try #require(first.contentInformationRequest)
    (information.contentType, information.contentLength) = ("audio/mpeg", length)
    first.dataRequest.respond(with: [1, 2, 3])
    #expect(first.dataRequest.currentOffset == 2)
    first.finishLoading()
    thread.join()
    let found = try #require(asked.withLock { $0 }).get()
    #expect(found.contentLength == length && found.contentType == "audio/mpeg")
    #expect(try loader.contentInformation() == found && keeper.kept.withLock { $0.count } == 1)
    return (keeper, loader)
  }

  @Test("bytes are read as they come, and a request is read on where it was left")
  func pieces() throws {
    let (keeper, loader) = try opened(1_000_000)
    let first = try Reading(loader, at: 100, count: 50)
    let request = try keeper.next(1)
    #expect(request.contentInformationRequest == nil && request.dataRequest.requestedOffset == 100)
    #expect(request.dataRequest.requestedLength == 65_536)
    #expect(!request.dataRequest.requestsAllDataToEndOfResource)
    request.dataRequest.respond(with: [7, 8, 9])
    #expect(try first.get() == [7, 8, 9])
    #expect(request.dataRequest.currentOffset == 103 && !request.isFinished)
    request.dataRequest.respond(with: [10, 11])
    #expect(try Reading(loader, at: 103, count: 1).get() == [10])
    #expect(try Reading(loader, at: 104, count: 9).get() == [11])
    #expect(keeper.kept.withLock { $0.count } == 2)
  }

  @Test("a request that is finished early is followed by one that goes on, and asks for more")
  func continues() throws {
    let (keeper, loader) = try opened(1_000_000)
    let first = try Reading(loader, at: 0, count: 10)
    let request = try keeper.next(1)
    request.dataRequest.respond(with: [1, 2])
    request.finishLoading()
    #expect(try first.get() == [1, 2])
    let second = try Reading(loader, at: 2, count: 10)
    let next = try keeper.next(2)
    #expect(next.dataRequest.requestedOffset == 2 && next.dataRequest.requestedLength == 131_072)
    next.dataRequest.respond(with: [3])
    #expect(try second.get() == [3])
    let last = try Reading(loader, at: 999_990, count: 100)
    let end = try keeper.next(3)
    #expect(end.dataRequest.requestedLength == 10)
    #expect(end.dataRequest.requestsAllDataToEndOfResource)
    end.dataRequest.respond(with: 0..<20)
    #expect(try last.get() == Array(0..<10))
  }

  @Test("an error comes behind the bytes before it, with the loader's name and the place")
  func fails() throws {
    let (keeper, loader) = try opened(1000)
    let first = try Reading(loader, at: 0, count: 10)
    let request = try keeper.next(1)
    request.dataRequest.respond(with: [1, 2, 3])
    request.finishLoading(with: TestSource.Gap())
    request.dataRequest.respond(with: [4])
    #expect(try first.get() == [1, 2, 3])
    let bytes = SourceBytes(loader, length: 1000)
    let failure = #expect(throws: Failure.self) {
      try withUnsafeTemporaryAllocation(byteCount: 8, alignment: 1) { buffer in
        _ = try bytes.read(at: 3, into: buffer)
      }
    }
    #expect(
      "\(try #require(failure))"
        == "own://host/a.mp3: cannot be read at byte 3: the key is missing")
    let refusing = AssetResourceLoader(url: "own://b", delegate: Keeper(answers: false))
    let refusal = #expect(throws: Failure.self) { try MediaNetwork.bytes(of: refusing) }
    #expect(refusal?.message.contains("its delegate does not load it from byte 0 on") == true)
  }

  @Test("jumps leave four requests, and cancel the one that was used longest ago")
  func cancels() throws {
    let (keeper, loader) = try opened(10_000_000)
    for number in 1...6 {
      let reading = try Reading(loader, at: Int64(number) * 1_000_000, count: 4)
      try keeper.next(number).dataRequest.respond(with: [1, 2, 3, 4, 5])
      #expect(try reading.get() == [1, 2, 3, 4])
    }
    let cancelled = keeper.cancelled.withLock { $0 }
    #expect(cancelled.map(\.dataRequest.requestedOffset) == [1_000_000, 2_000_000])
    #expect(cancelled.allSatisfy { $0.isCancelled && !$0.isFinished })
    #expect(try Reading(loader, at: 4_000_004, count: 4).get() == [5])
  }

  @Test("what is left of a request is cancelled when the last reader goes")
  func closes() throws {
    let (keeper, loader) = try opened(1_000_000)
    do {
      let reader = SourceBytes(loader, length: 1_000_000)
      let reading = try Reading(loader, at: 0, count: 4)
      let request = try keeper.next(1)
      request.dataRequest.respond(with: [1, 2, 3])
      #expect(try reading.get() == [1, 2, 3])
      withExtendedLifetime(reader) { #expect(!request.isCancelled) }
    }
    #expect(keeper.cancelled.withLock { $0.count } == 1)
  }

  @Test("a wait that is ended cancels its request")
  func ends() throws {
    let (keeper, loader) = try opened(10_000_000)
    let isOver = Monitor(false)
    let failed = Monitor<(any Error)?>(nil)
    _ = try Thread.spawn(name: "test-watched") {
      MediaNetwork.watchingWaits {
        !isOver.withLock { $0 }
      } _: {
        do {
          _ = try withUnsafeTemporaryAllocation(byteCount: 8, alignment: 1) {
            try SourceBytes(loader, length: 10_000_000).read(at: 0, into: $0)
          }
        } catch {
          failed.withLock { $0 = error }
        }
      }
    }
    let request = try keeper.next(1)
    isOver.withLock { $0 = true }
    let failure = failed.wait { $0 } as? Failure
    #expect(failure?.remedy == .tryAgain && request.isCancelled)
    #expect(keeper.cancelled.withLock { $0.first } === request)
  }

  @Test("a watched read of a source that blocks is left, and the source read on later")
  func leaves() throws {
    let source = TestSource(Array(0..<200), name: "slow", held: 0..<200)
    let bytes = SourceBytes(source, length: 200)
    let failure = #expect(throws: Failure.self) {
      try MediaNetwork.watchingWaits {
        source.waiting == 0
      } _: {
        try withUnsafeTemporaryAllocation(byteCount: 8, alignment: 1) { buffer in
          _ = try bytes.read(at: 0, into: buffer)
        }
      }
    }
    #expect(failure?.remedy == .tryAgain && failure?.location == .source(source))
    source.release()
    let read = try MediaNetwork.watchingWaits {
      true
    } _: {
      try withUnsafeTemporaryAllocation(byteCount: 8, alignment: 1) { buffer in
        let count = try bytes.read(at: 5, into: buffer)
        return Array(buffer[..<count])
      }
    }
    #expect(read == [5, 6, 7, 8, 9, 10, 11, 12])
  }

  @Test("a medium without a length is read to its end, and is then that of a file")
  func unknownLength() throws {
    let stage = try SourceStage()
    let path = try stage.file("endless.mp3", seconds: 2, ["-b:a", "64k"])
    let bytes = try readFile(path)
    let keeper = Keeper()
    let loader = AssetResourceLoader(url: "own://host/endless.mp3", delegate: keeper)
    let thread = try Thread.spawn(name: "test-delegate") {
      var number = 0
      while let request = try? keeper.next(number), number < 100 {
        number += 1
        let start = min(bytes.count, Int(request.dataRequest.requestedOffset))
        request.dataRequest.respond(with: bytes[start...].prefix(7000))
        request.finishLoading()
        if start == bytes.count { return }
      }
    }
    let sound = try stage.sound(at: .source(loader))
    #expect(sound == (try stage.sound(at: .file(FilePath(path)))))
    thread.join()
    #expect(
      stage.library.probedAsset(at: .source(loader))?.found.asset.identity.size
        == Int64(bytes.count))
  }
}
