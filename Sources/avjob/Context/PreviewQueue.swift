import ArgumentParser
import Diagnosis
import JobFile
import JobModel
import LiveScreens
import MediaComposition
import RunPlan
import SystemPackage

/// Reads what a preview is told to play.
struct PreviewQueue {
  let context: CommandContext
  let variables: VariableOptions
  /// Names of the jobs that are wanted; none: all.
  let names: [String]
  /// From 0; nil: not given.
  let output: Int?
  /// How many jobs cannot be heard; of each it was said why.
  private(set) var refusedJobs = 0

  init(_ context: CommandContext, variables: VariableOptions, names: [String], output: Int?) {
    (self.context, self.variables, self.names, self.output) = (context, variables, names, output)
  }

  /// The entries of job files, folders of them, and media files, in order.
  ///
  /// - Throws: An `ExitCode` where nothing may be played; what is wrong was said. `ValidationError`
  ///   where an option is about job files, and there is none.
  mutating func entries(of paths: [String]) throws -> [PreviewEntry] {
    try refuseMissing(paths.filter { JobFile.isMedia(FilePath($0)) })
    var parts: [Part] = []
    for path in paths {
      if JobFile.isMedia(FilePath(path)) {
        parts.append(.media(FilePath(path)))
      } else if case .jobs(let files) = parts.last {
        // Those that are named one after the other are read together: their jobs may need each other.
        parts[parts.count - 1] = .jobs(files + [path])
      } else {
        parts.append(.jobs([path]))
      }
    }
    let groups = try load(parts)
    try refuseUnknown(groups)
    var entries: [PreviewEntry] = []
    var next = groups[...]
    for part in parts {
      switch part {
      case .media(let path): entries.append(PreviewEntry(.media(path)))
      case .jobs:
        guard let loaded = next.popFirst() else { continue }
        let only = names.isEmpty ? nil : names.map { Located($0) }
        let preparation = try context.prepare(loaded, .init(.preview, only: only))
        refusedJobs += preparation.refusedJobs
        entries += preparation.work.map {
          PreviewEntry(.job($0.session), output: output ?? 0)
        }
      }
    }
    return entries
  }

  /// What is named side by side.
  private enum Part {
    case jobs([String])
    case media(FilePath)
  }

  /// Reads the job files of each part that has some.
  private func load(_ parts: [Part]) throws -> [LoadedJobs] {
    let groups = parts.compactMap { part in
      if case .jobs(let files) = part { files } else { nil }
    }
    guard !groups.isEmpty else {
      try refuseOptionsOfJobs()
      return []
    }
    return try groups.map { files in
      try context.load(files, options: variables, isPart: groups.count > 1)
    }
  }

  /// Refuses options that nothing would come of.
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

  /// Refuses names of jobs, and variables, that no file has: each part may have its own.
  private func refuseUnknown(_ groups: [LoadedJobs]) throws {
    guard var all = groups.first else { return }
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
    guard unknown.isEmpty else {
      context.report(unknown)
      throw ExitCode.wrongJob
    }
  }

  private func refuseMissing(_ media: [String]) throws {
    let files = LocalFileSystem()
    let places = ArgumentPlaces(in: context.map)
    var missing = Diagnostics()
    for path in media where files.kind(of: FilePath(path)) == nil {
      guard case .text(_, let origin) = places.node(path) else { continue }
      missing.append(Diagnostic("'\(path)' does not exist", at: origin))
    }
    guard missing.isEmpty else {
      context.report(missing)
      throw ExitCode.wrongJob
    }
  }
}
