import Diagnosis
import ExportEngine
import MediaComposition
import MediaTime
import Playback
import Threads

/// An entry of a preview: a job, a part of one, or a media file.
package struct PreviewEntry: Sendable {
  /// What is played.
  package enum Content: Sendable {
    case job(ExportSession)
    case media(MediaLocation)
  }

  /// Which entry of another version of the job files is the same.
  package enum Key: Sendable, Hashable {
    /// By the names of a job and of its part.
    case part(job: String, name: String)
    /// By the number of a part that has got another name.
    case number(job: String, part: Int)
    case media(MediaLocation)
    /// Any part of a job.
    case job(String)
  }

  private let content: Content
  /// Which of a job's outputs it sounds like, from 0.
  private let output: Int
  /// The job that it is a part of; nil for a medium.
  let job: String?
  /// The number of the part, from 1.
  private let part: Int
  /// Prints a message about it, with the texts that its places are in.
  let report: (@Sendable (Diagnostic) -> Void)?
  /// The file and the line of a place in it.
  let place: @Sendable (Origin) -> String?

  /// An entry.
  ///
  /// - Parameters:
  ///   - content: What is played.
  ///   - output: Which of its job's outputs it sounds like, from 0.
  ///   - job: The name of the job, of which the export may be a part; nil: the export's name.
  ///   - part: The number of the part, from 1.
  ///   - report: Prints a message about it; nil: as the preview does. Called on any thread.
  ///   - place: The file and the line of a place in it, such as `podcast.yaml:8`.
  package init(
    _ content: Content, output: Int = 0, job: String? = nil, part: Int = 1,
    reporting report: (@Sendable (Diagnostic) -> Void)? = nil,
    placing place: @escaping @Sendable (Origin) -> String? = { _ in nil }
  ) {
    self.place = place
    (self.content, self.output, self.part, self.report) = (content, output, part, report)
    if case .job(let session) = content {
      self.job = job ?? session.export.name
    } else {
      self.job = nil
    }
  }

  /// For messages.
  package var name: String {
    switch content {
    case .job(let session): session.export.name
    case .media(let location): location.lastName ?? "\(location)"
    }
  }

  /// The place of its job.
  package var origin: Origin {
    switch content {
    case .job(let session): session.export.origin
    case .media: .unknown
    }
  }

  /// The medium; nil: a job.
  package var medium: MediaLocation? {
    if case .media(let location) = content { location } else { nil }
  }

  /// The tags of its job's output; nil: it is a medium.
  var jobMetadata: Metadata? {
    guard case .job(let session) = content else { return nil }
    let export = session.export
    guard export.outputs.indices.contains(output) else { return export.metadata }
    return export.metadata.overridden(by: export.outputs[output].metadata)
  }

  /// The output that it sounds like; nil: it is a medium.
  func output(of export: Export) -> Output? {
    job != nil && export.outputs.indices.contains(output) ? export.outputs[output] : nil
  }

  /// By what the same entry is found in another version, the surest first.
  var keys: [Key] {
    guard let job else { return medium.map { [.media($0)] } ?? [] }
    return [.part(job: job, name: name), .number(job: job, part: part)]
  }

  /// The export of the entry.
  ///
  /// - Throws: As probing a medium.
  func session(_ library: MediaLibrary) throws(Failure) -> ExportSession {
    switch content {
    case .job(let session): session
    case .media(let location):
      ExportSession(
        try PlayerItem.export(ofMediaAt: location, library: library), library: library)
    }
  }

  /// The item of its sound.
  ///
  /// - Parameters:
  ///   - library: Opens the files.
  ///   - measuring: How measuring is seen and ended.
  /// - Returns: The item.
  /// - Throws: What is wrong with its files, or with the job now that they are looked at.
  package func item(
    library: MediaLibrary, _ measuring: PreviewMeasuring
  ) throws(Failure) -> PlayerItem {
    try item(of: session(library), measuring)
  }

  /// The item of its sound, cut off at `end`. A job that is played to its end is not compiled again.
  ///
  /// Sounds that are brought to a level are measured, which may take some time for each minute.
  ///
  /// - Parameters:
  ///   - session: Of the entry.
  ///   - end: Where it is cut off; nil: nowhere.
  ///   - measuring: How that is seen and ended.
  /// - Returns: The item.
  /// - Throws: What is wrong with its files, or with the job now that they are looked at.
  func item(
    of session: ExportSession, endingAt end: Time? = nil, _ measuring: PreviewMeasuring
  ) throws(Failure) -> PlayerItem {
    let export = session.export
    guard let end, end < export.duration else {
      return try PlayerItem(try measuring.measured(session), output: output)
    }
    let range = TimeRange(start: export.timeRange?.start ?? .zero, duration: end)
    return try PlayerItem(try measuring.measured(session.covering(range)), output: output)
  }
}

/// How the measuring of entries is seen and ended, which comes before they are heard.
package struct PreviewMeasuring {
  /// Set to end it.
  package let cancellation: CancellationFlag
  /// Gets the entry's name, and the share that is done, on the thread that measures.
  package let progress: (String, Double) -> Void

  /// Measuring whose progress is seen by `progress`.
  package init(
    _ cancellation: CancellationFlag = CancellationFlag(),
    progress: @escaping (String, Double) -> Void = { _, _ in }
  ) {
    (self.cancellation, self.progress) = (cancellation, progress)
  }

  fileprivate func measured(_ session: ExportSession) throws(Failure) -> ExportSession {
    try session.measured(cancellation: cancellation) { progress(session.export.name, $0) }
  }
}

/// A message of another thread to the loop of a preview.
package enum PreviewMessage: Sendable {
  case player(PlayerEvent)
  /// Of the session at the sound server.
  case session(AudioSession.Event)
  /// An entry cannot be played.
  case refused(Failure, PreviewEntry)
  /// A warning about an entry's file.
  case warned(Warning)
  /// A warning or a note about another version of the entries, as standard error shows it.
  case noted(String)
  /// All entries that can be played are in the queue.
  case loaded
  /// So much of an output is encoded.
  case encoding(percent: Int)
  /// An output is encoded, or cannot be.
  case encoded(EncodedOutputs.Encoded)
  /// A command of another program.
  case remote(PreviewRemoteRequest)
  /// The cover of an entry has an address now.
  case coverFound
  /// The job files were read again, and the entries are these now.
  case changed(Playlist.Difference)
  /// An item whose medium has changed cannot be made again; nil: the job files are wrong by now.
  case notRenewed(PlayerItem, Failure?)
  /// Mistakes of the job files, while the sound of the version before goes on; nil: none any more.
  case mistaken(PreviewMistakes?)
}

/// What is wrong with job files that were changed during a preview.
package struct PreviewMistakes: Sendable, Hashable {
  /// One line for the screen: the first mistake, with its file and line.
  let summary: String
  /// All of them, as standard error shows them.
  let text: String
}
