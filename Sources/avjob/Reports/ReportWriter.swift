import Diagnosis
import ExportEngine
import JobFile
import MediaComposition
import SystemPackage

/// Writes the reports of a run when it ends.
struct ReportWriter {
  let door: Door
  /// The job files, as they were named.
  let files: [String]
  var targets: [ReportTarget]
  /// Whether it is known that the reports replace nothing that is read or written otherwise.
  var isCleared = false

  /// Writes what the account says of a run that ends with `status`; what cannot be written is said.
  ///
  /// - Returns: The status to end with: 1 in place of 0 where a report could not be written.
  func write(_ account: RunAccount, status: Int32) -> Int32 {
    var status = status
    for target in targets {
      do throws(Failure) {
        try requireNotRead(target)
        try target.write(account.report(status: status))
      } catch {
        door.report(Diagnostics(Diagnostic(error)))
        if status == 0 { status = Door.Status.jobFailed.rawValue }
      }
    }
    return status
  }

  /// A run that found a mistake before it knew all that its jobs read and write knows what it has
  /// read so far: no report replaces that.
  private func requireNotRead(_ target: ReportTarget) throws(Failure) {
    guard !isCleared, target.replacesFile, let path = target.path,
      let file = SourceFile.inode(of: path)
    else { return }
    let read = (files + door.map.fileNames).map { FilePath($0) }
    guard !read.contains(where: { SourceFile.inode(of: $0) == file }) else {
      throw Failure(.mendJob, "is a file that was read; choose another path", path: path)
    }
  }
}
