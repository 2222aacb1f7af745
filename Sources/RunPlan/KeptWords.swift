import Diagnosis
import ExportEngine
import JobModel
import MediaComposition
import Threads
import Transcripts

/// Reads the words that clips keep of their files for one job (`Job.ReadTranscript`), and collects what
/// is to be said of them. One thread at a time.
final class KeptWords {
  private let library: MediaLibrary
  private let cancellation: CancellationFlag
  /// Jobs that are still to write what this one reads, by name.
  private let writers: [MediaLocation: String]
  /// Of files with several tracks, which is read.
  private(set) var notes: [Diagnostic] = []
  /// The tracks that were read.
  private(set) var tracks: [KeptText] = []

  /// The words of one job's clips.
  ///
  /// - Parameters:
  ///   - library: Reads them.
  ///   - writers: Jobs that are still to write what this one reads.
  ///   - cancellation: Once it is set, reading soon ends.
  init(
    _ library: MediaLibrary, awaiting writers: [MediaLocation: String],
    unless cancellation: CancellationFlag = CancellationFlag()
  ) {
    (self.library, self.writers, self.cancellation) = (library, writers, cancellation)
  }

  func read(_ reference: MediaReference) throws(Failure) -> Transcript? {
    if let writer = writers[reference.location] {
      throw Failure(
        .mendJob,
        "has no words yet: '\(writer)' writes it in this run; name a file of the words, as "
          + "'transcript: talk.vtt', or move this job to a file of its own, which you run later",
        location: reference.location)
    }
    let asset = try library.asset(of: reference)
    let found = try library.transcript(of: asset, unless: cancellation)
    if let note = found.note {
      notes.append(Diagnostic(.note, "'\(reference.location)': \(note)", at: reference.origin))
    }
    let track = KeptText(reference.location, streamIndex: found.streamIndex)
    if !tracks.contains(track) { tracks.append(track) }
    return found.transcript
  }

  /// Exports of the job, with the tracks that their words are from.
  func marked(_ exports: [Export]) -> [Export] {
    exports.map { export in
      var marked = export
      marked.keptTexts = tracks
      return marked
    }
  }
}
