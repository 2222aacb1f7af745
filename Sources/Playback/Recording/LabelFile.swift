import Diagnosis
import ExportEngine
import MediaTime
import SystemPackage
import Transcripts

/// A file of Audacity's labels beside a recording that has no place for markers.
///
/// A label is in the file when `append` returns; the disk has it soon. Of one thread.
final class LabelFile {
  struct Label {
    /// Since the start of the recorded file.
    var time: Time
    var text: String
  }

  let path: FilePath
  private let file: OutputFile

  /// The attempts to find a name that no other file has.
  private static let most = 1000

  /// An empty file: `talk.labels.txt` beside `talk.flac`, or `talk.labels-2.txt` and so on if that
  /// exists and is not replaced.
  ///
  /// - Throws: The system's error.
  init(beside recording: FilePath, replacing isReplacing: Bool) throws(Failure) {
    var number = 1
    while true {
      let path = Self.path(beside: recording, number)
      do throws(Failure) {
        file = try OutputFile.grow(at: path, replacing: isReplacing)
        self.path = path
        return
      } catch {
        guard error.remedy == .mendJob, number < Self.most else { throw error }
        number += 1
      }
    }
  }

  static func path(beside recording: FilePath, _ number: Int) -> FilePath {
    let name = (recording.stem ?? "recording") + ".labels"
    return recording.removingLastComponent()
      .appending(number == 1 ? "\(name).txt" : "\(name)-\(number).txt")
  }

  /// Appends a line for each label.
  ///
  /// - Throws: The system's error.
  func append(_ labels: [Label]) throws(Failure) {
    for label in labels {
      let line = AudacityLabel(from: label.time, to: label.time, label.text).line
      try file.put(Array(line.utf8), at: file.size)
    }
  }
}
