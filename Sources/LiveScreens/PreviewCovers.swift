import ExportEngine
import Files
import Glibc
import MediaComposition
import Synchronization
import SystemPackage
import Threads

/// The addresses of covers. A picture in a media file, or on a server, is written to a file of its
/// own, which lives as long as the preview.
///
/// Safe from any thread. Covers are read on a thread of their own.
final class PreviewCovers: Sendable {
  private let report: @Sendable () -> Void
  private let state = Mutex(State())

  private struct State {
    /// By the identity of what they belong to.
    var urls: [String: String] = [:]
    /// The files that were written, the oldest first.
    var files: [(id: String, path: [CChar])] = []
    /// What was asked for last.
    var sought: [String: Artwork] = [:]
    var isEnded = false
  }

  /// So many files are kept: a queue may have thousands of covers of 16 MB.
  private static let mostFiles = 4

  /// `report` is called, on the reading thread, when an address has been found.
  init(_ report: @escaping @Sendable () -> Void) { self.report = report }

  /// The address of a cover that has been found.
  func url(of id: String) -> String? { state.withLock { $0.urls[id] } }

  /// Finds the address of a cover, unless it was asked for before; nil: there is none. What cannot be
  /// read has none.
  func find(_ artwork: Artwork?, for id: String) {
    let isOther = state.withLock { state in
      guard state.sought[id] != artwork else { return false }
      (state.sought[id], state.urls[id]) = (artwork, nil)
      if case .picture(.file(let path))? = artwork { state.urls[id] = path.uri }
      return state.urls[id] == nil
    }
    // With a root nothing is written outside of it.
    guard isOther, let artwork, Confinement.root == nil else { return }
    _ = try? Thread.spawn(name: "preview-cover") {
      guard let picture = try? artwork.picture() else { return }
      self.write(picture.bytes, "." + picture.fileExtension, as: artwork, for: id)
    }
  }

  private func write(
    _ bytes: [UInt8], _ suffix: String, as artwork: Artwork, for id: String
  ) {
    // Memory of the user's session, if there is one.
    let folder = TemporaryFolder.path(of: "XDG_RUNTIME_DIR", "TMPDIR")
    let template = "\(folder)/avjob-cover-XXXXXX\(suffix)"
    var path = Array(template.utf8CString)
    // Readable by the user alone, and new, whatever is in the folder (mkstemps(3)).
    let file = mkstemps(&path, Int32(suffix.utf8.count))
    guard file >= 0 else { return }
    let isWritten = (try? FileDescriptor(rawValue: file).writeAll(bytes)) != nil
    close(file)
    let isKept = state.withLock { state in
      guard isWritten, !state.isEnded, state.sought[id] == artwork else { return false }
      state.files.append((id, path))
      state.urls[id] = path.withUnsafeBufferPointer { path in
        path.baseAddress.map { FilePath(platformString: $0).uri }
      }
      if state.files.count > Self.mostFiles {
        let oldest = state.files.removeFirst()
        unlink(oldest.path)
        let isShown = state.files.contains { $0.id == oldest.id }
        if !isShown { (state.sought[oldest.id], state.urls[oldest.id]) = (nil, nil) }
      }
      return true
    }
    if isKept { report() } else { unlink(path) }
  }

  /// Removes the files.
  func end() {
    state.withLock { state in
      state.isEnded = true
      for file in state.files { unlink(file.path) }
      state.files = []
    }
  }
}
