import Diagnosis
import ExportEngine
import JobModel
import MediaComposition
import Transcripts

/// Reads the words that clips keep of their files for one job (`Job.ReadTranscript`), and collects what
/// is to be said of them. One thread at a time.
final class KeptWords {
  private let library: MediaLibrary
  /// Jobs that are still to write what this one reads, by name.
  private let writers: [MediaLocation: String]
  /// Of files with several tracks, which is read.
  private(set) var notes: [Diagnostic] = []

  init(_ library: MediaLibrary, awaiting writers: [MediaLocation: String]) {
    (self.library, self.writers) = (library, writers)
  }

  func read(_ reference: MediaReference) throws(Failure) -> Transcript? {
    if let writer = writers[reference.location] {
      throw Failure(
        .mendJob,
        "has no words yet: '\(writer)' writes it in this run; name a file of the words, as "
          + "'transcript: talk.vtt', or move this job to a file of its own, which you run later",
        location: reference.location)
    }
    let asset = try library.asset(at: reference.location, streamIndex: reference.stream)
    let found = try library.transcript(of: asset)
    if let note = found.note {
      notes.append(Diagnostic(.note, "'\(reference.location)': \(note)", at: reference.origin))
    }
    return found.transcript
  }
}
