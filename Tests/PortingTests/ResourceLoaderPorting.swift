import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// AVAssetResourceLoader's samples: a scheme of the program's own, requests that wait for one download,
/// bytes that are decrypted, media in memory.
@Suite(.timeLimit(.minutes(5))) struct ResourceLoaderPorting {
  private let library = MediaLibrary()
  private let folder = TestFolder()

  /// An asset's whole sound as a WAV.
  private func sound(_ location: MediaLocation, _ name: String) async throws -> [UInt8] {
    let asset = try await library.loadAsset(at: location)
    var composition = Composition()
    try composition.insertTimeRange(
      TimeRange(start: .zero, duration: asset.duration), of: asset, at: .zero)
    let path = FilePath(folder.path(name))
    let export = Export(
      name: name, composition: composition, outputs: [Output(path: path, format: .wav(.int16))])
    try await ExportSession(export, library: library).export()
    return try readFile(path.string)
  }

  /// The loader of the samples: one download from the start, and requests that are answered as far as
  /// it has come.
  private final class DownloadingDelegate: AssetResourceLoaderDelegate {
    private struct State {
      var bytes: [UInt8] = []
      var pendingRequests: [AssetResourceLoadingRequest] = []
    }

    let length: Int
    private let state = Mutex(State())

    init(length: Int) { self.length = length }

    func resourceLoader(
      _ resourceLoader: AssetResourceLoader,
      shouldWaitForLoadingOfRequestedResource loadingRequest: AssetResourceLoadingRequest
    ) -> Bool {
      state.withLock { $0.pendingRequests.append(loadingRequest) }
      processPendingRequests()
      return true
    }

    func resourceLoader(
      _ resourceLoader: AssetResourceLoader, didCancel loadingRequest: AssetResourceLoadingRequest
    ) {
      state.withLock { $0.pendingRequests.removeAll { $0 === loadingRequest } }
    }

    func didReceive(_ data: ArraySlice<UInt8>) {
      state.withLock { $0.bytes += data }
      processPendingRequests()
    }

    private func processPendingRequests() {
      state.withLock { state in
        let bytes = state.bytes
        state.pendingRequests.removeAll { request in
          if let information = request.contentInformationRequest {
            information.contentType = "public.mp3"
            information.contentLength = Int64(length)
            information.isByteRangeAccessSupported = true
          }
          let data = request.dataRequest
          let start = min(bytes.count, Int(data.currentOffset))
          let end = min(bytes.count, Int(data.requestedOffset) + data.requestedLength)
          data.respond(with: bytes[start..<max(start, end)])
          guard end == Int(data.requestedOffset) + data.requestedLength else { return false }
          request.finishLoading()
          return true
        }
      }
    }
  }

  @Test("a delegate that answers requests as its download comes gives the sound of the file")
  func downloads() async throws {
    let path = Fixture.path("librivox-sonnet.mp3")
    let bytes = try readFile(path)
    let delegate = DownloadingDelegate(length: bytes.count)
    let loader = AssetResourceLoader(url: "streaming://host/sonnet.mp3", delegate: delegate)
    async let heard = sound(.source(loader), "streamed.wav")
    for start in stride(from: 0, to: bytes.count, by: 10_000) {
      delegate.didReceive(bytes[start..<min(bytes.count, start + 10_000)])
      await Task.yield()
    }
    #expect(try await heard == sound(.file(FilePath(path)), "file.wav"))
  }

  /// A delegate whose answers come from a task.
  private final class TaskDelegate: AssetResourceLoaderDelegate {
    let load: @Sendable (Int64, Int) async throws -> [UInt8]
    let length: Int

    init(length: Int, _ load: @escaping @Sendable (Int64, Int) async throws -> [UInt8]) {
      (self.length, self.load) = (length, load)
    }

    func resourceLoader(
      _ resourceLoader: AssetResourceLoader,
      shouldWaitForLoadingOfRequestedResource loadingRequest: AssetResourceLoadingRequest
    ) -> Bool {
      loadingRequest.contentInformationRequest?.contentLength = Int64(length)
      let data = loadingRequest.dataRequest
      Task {
        do {
          data.respond(with: try await load(data.requestedOffset, data.requestedLength))
          loadingRequest.finishLoading()
        } catch {
          loadingRequest.finishLoading(with: error)
        }
      }
      return true
    }
  }

  @Test("a delegate may answer from a task, and its error is the failure of the read")
  func tasks() async throws {
    struct Unauthorized: Error, CustomStringConvertible {
      let description = "the token has expired"
    }
    let path = Fixture.path("feelings.ogg")
    let bytes = try readFile(path)
    let delegate = TaskDelegate(length: bytes.count) { offset, count in
      Array(bytes[Int(offset)...].prefix(count))
    }
    let loader = AssetResourceLoader(url: "own://host/feelings.ogg", delegate: delegate)
    #expect(
      try await sound(.source(loader), "task.wav") == sound(.file(FilePath(path)), "ogg.wav"))
    let failing = TaskDelegate(length: bytes.count) { offset, count in
      guard offset < 1000 else { throw Unauthorized() }
      return Array(bytes[Int(offset)..<1000].prefix(count))
    }
    let broken = AssetResourceLoader(url: "own://host/broken.ogg", delegate: failing)
    let failure = await #expect(throws: Failure.self) {
      try await library.loadAsset(at: .source(broken))
    }
    #expect(
      "\(try #require(failure))".hasSuffix("the token has expired"),
      "\(String(describing: failure))")
    #expect(failure?.location == .source(broken))
  }

  /// Encrypted media, in twenty lines.
  private final class Vault: MediaSource {
    let name = "lecture.mp3"
    let cipher: [UInt8]
    init(_ cipher: [UInt8]) { self.cipher = cipher }

    func contentInformation() throws -> MediaContentInformation {
      MediaContentInformation(contentLength: Int64(cipher.count))
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      let part = cipher.dropFirst(Int(offset)).prefix(buffer.count)
      buffer.copyBytes(from: part.map { $0 ^ 0x5A })
      return part.count
    }
  }

  /// What a program has its media in.
  private struct Archive {
    let bytes: [UInt8]

    var size: Int { bytes.count }

    func read(_ offset: Int64, _ count: Int) -> ArraySlice<UInt8> {
      bytes[Int(offset)...].prefix(count)
    }
  }

  private enum Article {
    // article: loader
    final class Loader: AssetResourceLoaderDelegate {
      let archive: Archive
      init(_ archive: Archive) { self.archive = archive }

      func resourceLoader(
        _ resourceLoader: AssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AssetResourceLoadingRequest
      ) -> Bool {
        if let information = loadingRequest.contentInformationRequest {
          information.contentType = "public.mp3"
          information.contentLength = Int64(archive.size)
        }
        let data = loadingRequest.dataRequest
        data.respond(with: archive.read(data.requestedOffset, data.requestedLength))
        loadingRequest.finishLoading()
        return true
      }
    }
    // end
  }

  @Test("the article's loader is this one, and gives the sound of the file")
  func article() async throws {
    let path = Fixture.path("librivox-sonnet.mp3")
    let archive = Archive(bytes: try readFile(path))
    typealias Loader = Article.Loader
    // article: asset
    let loader = Loader(archive)
    let resource = AssetResourceLoader(url: "archive://lectures/7.mp3", delegate: loader)
    let asset = try await library.loadAsset(at: .source(resource))
    // end
    let file = try await library.loadAsset(at: FilePath(path))
    #expect(asset.duration == file.duration && asset.location.lastName == "7.mp3")
    #expect(
      try await sound(.source(resource), "a.wav") == sound(.file(FilePath(path)), "b.wav"))

    let own = String(decoding: try readFile(#filePath), as: UTF8.self)
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let text = String(
      decoding: try readFile(
        root + "/Sources/ExportEngine/ExportEngine.docc/PortingFromAVFoundation.md"), as: UTF8.self)
    var blocks: [[Substring]] = []
    var block: [Substring]?
    for line in own.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("    // article:") {
        block = []
      } else if line == "    // end" {
        if let block { blocks.append(block) }
        block = nil
      } else {
        block?.append(line.dropFirst(4))
      }
    }
    #expect(blocks.count == 2)
    for block in blocks {
      #expect(text.contains("```swift\n" + block.joined(separator: "\n") + "\n```"))
    }
  }

  @Test("media that are decrypted as they are read, and media in memory, are those of the file")
  func ownBytes() async throws {
    let path = Fixture.path("librivox-sonnet.mp3")
    let bytes = try readFile(path)
    let expected = try await sound(.file(FilePath(path)), "plain.wav")
    let vault = Vault(bytes.map { $0 ^ 0x5A })
    #expect(try await sound(.source(vault), "vault.wav") == expected)
    // AVAudioPlayer(data:)
    #expect(try await sound(.data(bytes, name: "sonnet.mp3"), "data.wav") == expected)
  }
}
