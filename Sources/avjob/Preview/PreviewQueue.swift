import ArgumentParser
import ExportEngine
import JobFile
import MediaComposition
import MediaTime
import Playback
import SystemPackage

/// Something to be heard: a job, a part of one, or a media file.
struct PreviewEntry: Sendable {
  /// What it is.
  enum Content: Sendable {
    case job(Export)
    case media(FilePath)
  }

  var content: Content
  /// Which of a job's outputs it sounds like, from 0.
  var output = 0

  /// For messages.
  var name: String {
    switch content {
    case .job(let export): export.name
    case .media(let path): path.lastComponent?.string ?? path.string
    }
  }

  var origin: Origin {
    switch content {
    case .job(let export): export.origin
    case .media: .unknown
    }
  }

  /// Compiles it, cut off at `end`.
  ///
  /// - Throws: What is wrong with its files, or with the job now that they are looked at.
  func item(library: MediaLibrary, endingAt end: Time? = nil) throws(Failure) -> PlayerItem {
    var export: Export
    switch content {
    case .job(let job): export = job
    case .media(let path): export = try Self.export(ofMedia: path, named: name, library: library)
    }
    if let end, end < export.duration {
      export.timeRange = TimeRange(start: export.timeRange?.start ?? .zero, duration: end)
    }
    return try PlayerItem(export, output: output, library: library)
  }

  /// A medium as it is. The output says what it is rendered for; nothing is written there.
  private static func export(
    ofMedia path: FilePath, named name: String, library: MediaLibrary
  ) throws(Failure) -> Export {
    let asset = try library.asset(at: path)
    let segment = Segment(
      .asset(asset), source: TimeRange(start: .zero, duration: asset.duration), at: .zero,
      chapters: asset.chapters)
    let output = Output(path: FilePath(name + ".wav"), format: .wav(.float32))
    return Export(
      name: name, composition: Composition(tracks: [Track(name: name, segments: [segment])]),
      outputs: [output])
  }
}

/// Reads what a preview is told to play.
struct PreviewQueue {
  let door: Door
  let probes: RecalledProbes
  let variables: VariableOptions
  /// Names of the jobs that are wanted; none: all.
  let names: [String]
  /// From 0.
  let output: Int
  /// How many jobs cannot be heard; of each it was said why.
  private(set) var refusedJobs = 0

  init(
    _ door: Door, _ probes: RecalledProbes, variables: VariableOptions, names: [String], output: Int
  ) {
    self.door = door
    self.probes = probes
    self.variables = variables
    self.names = names
    self.output = output
  }

  /// The entries of job files, folders of them, and media files, in order.
  ///
  /// - Throws: An `ExitCode` where nothing may be played; what is wrong was said.
  mutating func entries(of paths: [String]) throws -> [PreviewEntry] {
    var entries: [PreviewEntry] = []
    var jobFiles: [String] = []
    try refuseMissing(paths.filter { JobFile.isMedia(FilePath($0)) })
    for path in paths {
      guard JobFile.isMedia(FilePath(path)) else {
        jobFiles.append(path)
        continue
      }
      entries += try jobs(in: jobFiles)
      jobFiles = []
      entries.append(PreviewEntry(content: .media(FilePath(path))))
    }
    entries += try jobs(in: jobFiles)
    return entries
  }

  private func refuseMissing(_ media: [String]) throws {
    let files = LocalFileSystem()
    let places = ArgumentPlaces(in: door.map)
    var missing = Diagnostics()
    for path in media where files.kind(of: FilePath(path)) == nil {
      guard case .text(_, let origin) = places.node(path) else { continue }
      missing.append(Diagnostic("'\(path)' does not exist", at: origin))
    }
    guard missing.isEmpty else {
      door.report(missing)
      throw Door.Status.wrongJob
    }
  }

  /// Files that are named one after the other are read together: their jobs may need each other.
  private mutating func jobs(in files: [String]) throws -> [PreviewEntry] {
    guard !files.isEmpty else { return [] }
    let loaded = try door.load(files, options: variables)
    probes.open(for: loaded.jobs)
    let jobs = try PreviewJobs(loaded, named: names, door)
    refusedJobs += jobs.refusedJobs
    return jobs.exports.map { PreviewEntry(content: .job($0), output: output) }
  }
}

/// A time as a listener writes it, of whatever is heard.
struct PreviewTime {
  private let moment: Moment
  private let text: String

  /// `83s`, `1:23`, `end-10s`, `44100 samples`.
  ///
  /// - Throws: What to write instead.
  init(_ text: String) throws(QuantityError) {
    moment = try Moment(parsing: text)
    self.text = text
  }

  /// The time that is meant in something that lasts `duration`, between its start and its end; nil
  /// where it is outside, or counts from something else.
  func time(in duration: Time, rate: Int) -> Time? {
    let offset = moment.offset.time(atRate: rate)
    let time: Time
    switch moment.anchor {
    case .start: time = moment.isEarlier ? .zero - offset : offset
    case .end: time = moment.isEarlier ? duration - offset : duration + offset
    case .item: return nil
    }
    return time.isNumeric && time >= .zero && time <= duration ? time : nil
  }

  /// Why there is no such time in something that lasts `duration`.
  func refusal(in name: String, lasting duration: Time) -> String {
    guard case .item = moment.anchor else {
      return "'\(text)' is outside of '\(name)', which lasts \(PreviewLayout.clock(duration))"
    }
    return "'\(text)' counts from an item; write a time, 'end', or 'end-10s'"
  }
}
