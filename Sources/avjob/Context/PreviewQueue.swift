import ArgumentParser
import Diagnosis
import JobFile
import JobModel
import LiveScreens
import MediaComposition
import RunPlan
import SystemPackage

/// Reads what a preview is to play.
struct PreviewQueue: Sendable {
  let context: CommandContext
  let variables: VariableOptions
  /// Names of the jobs that are wanted; none: all.
  let names: [String]
  /// From 0; nil: not given.
  let output: Int?
  /// Jobs that cannot be heard; the reason of each was reported.
  private(set) var failures = PreviewFailures()

  /// The entries of job files, folders of them, and media files, in order.
  ///
  /// - Throws: An `ExitCode` where nothing may be played; the reason was reported. `ValidationError`
  ///   where an option is about job files, and there is none.
  mutating func entries(of paths: [String]) throws -> [PreviewEntry] {
    try variables.confinement.enter()
    try refuseMissing(paths.filter(Self.isMedia))
    // Job files that are named one after the other are read together: their jobs may need each other.
    var groups: [(isMedia: Bool, paths: [String])] = []
    for path in paths {
      let isMedia = Self.isMedia(path)
      if groups.last?.isMedia == isMedia {
        groups[groups.count - 1].paths.append(path)
      } else {
        groups.append((isMedia, [path]))
      }
    }
    let isPart = groups.count { !$0.isMedia } > 1
    let loaded = try groups.map { group in
      group.isMedia ? nil : try context.load(group.paths, options: variables, isPart: isPart)
    }
    try refuseOptions(beside: loaded.compactMap { $0 })
    var entries: [PreviewEntry] = []
    for (group, loaded) in zip(groups, loaded) {
      guard let loaded else {
        entries += try group.paths.map { PreviewEntry(.media(try MediaLocation(parsing: $0))) }
        continue
      }
      let only = names.isEmpty ? nil : names.map { Located($0) }
      let preparation = try context.prepare(loaded, .init(.preview, only: only))
      failures.add(preparation.refusedJobs, mayPass: preparation.mayPass)
      entries += preparation.work.map { PreviewEntry(.job($0.session), output: output ?? 0) }
    }
    return entries
  }

  /// Refuses names of jobs, and variables, that no file has, since each group may have its own; and
  /// options of job files where there is none.
  private func refuseOptions(beside groups: [LoadedJobs]) throws {
    guard var all = groups.first else { return try refuseOptionsOfJobs() }
    for group in groups.dropFirst() { all.append(group) }
    var unknown = Diagnostics()
    if groups.count > 1 {
      unknown.append(contentsOf: all.unused(of: variables.read(into: context.map).variables).all)
    }
    for name in names where !all.jobs.contains(where: { $0.isCalled(name) }) {
      let help = JobNames(all.jobs, of: all.fileNumbers).help(for: name)
      let origin = context.map.add(arguments: ["--job", name]).last ?? .unknown
      unknown.append(Diagnostic("there is no job '\(name)'", at: origin, help: help))
    }
    try context.refuse(unknown.all)
  }

  private func refuseOptionsOfJobs() throws {
    let given = [
      ("--job", !names.isEmpty), ("--output", output != nil),
      ("--set", !variables.assignments.isEmpty), ("--env", !variables.environment.isEmpty),
    ].filter(\.1)
    guard let option = given.first?.0 else { return }
    throw ValidationError(
      "\(option) is for job files, and only media files are named; leave it out, or name a job file"
    )
  }

  static func isMedia(_ word: String) -> Bool {
    MediaURL.scheme(of: word) != nil || JobFile.isMedia(FilePath(word))
  }

  private func refuseMissing(_ media: [String]) throws {
    let files = LocalFileSystem()
    let places = ArgumentPlaces(in: context.map)
    var missing = Diagnostics()
    for path in media
    where MediaURL.scheme(of: path) == nil && files.kind(of: FilePath(path)) == nil {
      guard case .text(_, let origin) = places.node(path) else { continue }
      missing.append(Diagnostic("'\(path)' does not exist", at: origin))
    }
    try context.refuse(missing.all)
  }
}
