import Diagnosis
import ExportEngine
import Files
import Glibc
import MediaComposition
import MediaTime
import Playback
import Synchronization
import SystemPackage
import Threads

/// The outputs of a preview's jobs as they are encoded, to be heard beside the mix. Each is encoded
/// once, when it is asked for, into a folder for temporary files, which `end` removes.
///
/// Safe from any thread.
package final class EncodedOutputs: Sendable {
  private let library: MediaLibrary
  private let report: @Sendable (PreviewMessage) -> Void
  private let state = Mutex(State())
  private let cancellation = CancellationFlag()

  private struct State {
    var folder: FilePath?
    /// The files that are there.
    var paths: Set<FilePath> = []
    /// The number of files that were begun.
    var count = 0
    var thread: Thread?
    var isBusy = false
  }

  /// What was made for an item.
  package struct Encoded: Sendable {
    let item: PlayerItem
    /// For `remove`, when the result is no longer played.
    let file: FilePath
    let result: Result<PlayerItem, Failure>
  }

  /// How long the end waits for an encoder.
  private static let patience = Duration.seconds(2)

  /// Outputs of no job yet.
  ///
  /// - Parameters:
  ///   - library: Opens the media of the jobs, and what is encoded.
  ///   - report: Gets `encoding` and `encoded`, on the encoding thread.
  package init(library: MediaLibrary, _ report: @escaping @Sendable (PreviewMessage) -> Void) {
    (self.library, self.report) = (library, report)
  }

  /// Encodes the output that an item sounds like, on a thread of its own.
  ///
  /// - Parameter made: The item, and what it was made of.
  /// - Throws: `mendJob` for what is not encoded; `tryAgain` while another output is.
  func encode(_ made: MadeItem) throws(Failure) {
    guard let output = made.output else {
      throw Failure(.mendJob, "'\(made.entry.name)' is a medium: only a job has an encoded output")
    }
    guard Confinement.root == nil else {
      throw Failure(.mendJob, "nothing is encoded with --root, outside of which nothing is written")
    }
    let isFree = state.withLock { state in
      defer { state.isBusy = true }
      return !state.isBusy
    }
    guard isFree else {
      throw Failure(
        .tryAgain, "another output is still being encoded; try again when it is ready")
    }
    do throws(Failure) {
      let path = try path(like: output)
      try start(writing: path) {
        let result = self.encoded(made, as: output, to: path)
        if case .failure = result { self.remove(path) }
        self.report(.encoded(Encoded(item: made.item, file: path, result: result)))
      }
    } catch {
      state.withLock { $0.isBusy = false }
      throw error
    }
  }

  private func start(
    writing path: FilePath, _ work: @escaping @Sendable () -> Void
  ) throws(Failure) {
    do throws(Thread.SpawnError) {
      // Its encoders have its priority: the sound that is heard comes first.
      let thread = try Thread.spawn(name: "preview-encode", urgency: .idle) {
        work()
        self.state.withLock { $0.isBusy = false }
      }
      state.withLock { $0.thread = thread }
    } catch {
      remove(path)
      throw .outOfThreads(error, "the output cannot be encoded")
    }
  }

  /// A new path with an output's extension.
  private func path(like output: Output) throws(Failure) -> FilePath {
    let found = state.withLock { state -> FilePath? in
      if state.folder == nil { state.folder = Self.makeFolder() }
      state.count += 1
      let name = "\(state.count).\(output.path.extension ?? "wav")"
      guard let path = state.folder?.appending(name) else { return nil }
      state.paths.insert(path)
      return path
    }
    guard let found else {
      throw Failure(.mendMachine, "the folder for temporary files takes nothing; set TMPDIR")
    }
    return found
  }

  private static func makeFolder() -> FilePath? {
    var template = Array("\(TemporaryFolder.path(of: "TMPDIR"))/avjob-preview-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    return template.withUnsafeBufferPointer { path in
      path.baseAddress.map { FilePath(platformString: $0) }
    }
  }

  private func encoded(
    _ made: MadeItem, as output: Output, to path: FilePath
  ) -> Result<PlayerItem, Failure> {
    do throws(Failure) {
      var (export, output) = (made.export, output)
      (output.path, output.conform) = (path, nil)
      (export.outputs, export.records) = ([output], [])
      export.timeRange = TimeRange(
        start: export.timeRange?.start ?? .zero, duration: made.item.duration)
      var last = -1
      _ = try ExportSession(export, library: library).sharing(made.groups)
        .run(cancellation: cancellation) { progress in
          let percent = Int(progress.fractionCompleted * 100)
          if percent != last { report(.encoding(percent: percent)) }
          last = percent
        }
      var heard = try PlayerItem.export(ofMediaAt: .file(path), library: library)
      heard.name = "\(made.entry.name), encoded"
      return .success(try PlayerItem(heard, library: library))
    } catch {
      return .failure(error)
    }
  }

  /// Removes the file of an output that is no longer played.
  func remove(_ file: FilePath) {
    guard state.withLock({ $0.paths.remove(file) }) != nil else { return }
    PathCalls.unlink(file)
  }

  /// Ends an encoder, and removes what was encoded.
  func end() {
    cancellation.cancel()
    let (folder, paths, thread) = state.withLock { ($0.folder, $0.paths, $0.thread) }
    thread?.join(until: .now + Self.patience)
    for path in paths { _ = PathCalls.unlink(path) }
    if let folder { _ = PathCalls.rmdir(folder) }
  }
}
