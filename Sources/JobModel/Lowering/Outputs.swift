import Diagnosis
import MPEGAudio
import MediaComposition
import SystemPackage

extension Job {
  /// The outputs, with what follows from the sources filled in.
  ///
  /// - Throws: settings that a format does not have at the rate of the sources, and a clip whose
  ///   codec cannot be written where an output is to have it.
  func outputs(from sources: [Asset]) throws(Diagnostics) -> [Output] {
    var found = Diagnostics()
    let resolved = outputs.compactMap { output -> Output? in
      do throws(Diagnostics) {
        var resolved = try output.output(of: self, from: sources)
        resolved.id3 = try output.id3(as: resolved.format.kind)
        return resolved
      } catch {
        found.append(contentsOf: error.all)
        return nil
      }
    }
    if !found.isEmpty { throw found }
    return resolved
  }
}

extension JobOutput {
  /// The version of the tag; what only the clip says is known only now.
  fileprivate func id3(as kind: Output.Kind) throws(Diagnostics) -> ID3Version? {
    guard id3 == nil || kind.capabilities.hasID3 else {
      throw Diagnostics([Diagnostic(Self.id3Refusal(kind), at: origin, help: "leave it out")])
    }
    return id3
  }

  fileprivate func output(of job: Job, from sources: [Asset]) throws(Diagnostics) -> Output {
    let isMono = sources.allSatisfy { $0.channelLayout.count == 1 } && !sources.isEmpty
    let layout = channelLayout ?? job.channelLayout ?? (isMono ? .mono : .stereo)
    let mixRate = job.sampleRate ?? sources.map(\.sampleRate).max() ?? 44_100
    func rate(of kind: Output.Kind) -> Int {
      sampleRate ?? kind.capabilities.sampleRates.nearest(to: mixRate)
    }
    var path = path
    let format: Output.Format
    switch self.format {
    case .exactly(let exact): format = exact
    case .usual(let kind):
      let isDeep = sources.contains { ($0.bitDepth ?? 0) > 16 }
      format = kind.usualFormat(
        isDeep: isDeep, sampleRate: rate(of: kind), channelCount: layout.count)
    case .sameAsClip(let isInFolder):
      // Without its clip, which could not be probed, nothing of this job runs.
      guard let clip = sources.first else { throw Diagnostics() }
      guard let kind = clip.outputKind else { throw Diagnostics([unwritable(clip)]) }
      format = kind.format(like: clip, sampleRate: rate(of: kind), layout: layout)
      if let usual = kind.fileExtension(for: path) {
        guard isInFolder else { throw Diagnostics([misnamed(clip, kind, usual)]) }
        path.extension = usual
      }
    }
    var ownRate = sampleRate
    let usual = self.format.usualSampleRate(
      for: rate(of: format.kind), layout: layout, preset: mp3Preset)
    // A rate that is written stays.
    if sampleRate == nil, job.sampleRate == nil, usual != rate(of: format.kind) { ownRate = usual }
    let problems = Format.exactly(format).problems(
      sampleRate: ownRate ?? rate(of: format.kind), layout: layout)
    guard problems.isEmpty else {
      throw Diagnostics(problems.map { impossible($0, from: sources) })
    }
    return Output(
      path: path, format: format, sampleRate: ownRate, channelLayout: channelLayout,
      metadata: metadata, chapters: chapters, origin: origin)
  }

  /// A setting that only the sources show to be impossible.
  private func impossible(_ problem: FormatProblem, from sources: [Asset]) -> Diagnostic {
    let place = settingPlaces[problem.setting] ?? settingPlaces[.rateControl] ?? origin
    guard let fastest = sources.max(by: { $0.sampleRate < $1.sampleRate }) else {
      return Diagnostic(problem.message, at: place)
    }
    let help =
      problem.setting == .stereoMode
      ? "'\(fastest.path)' is mono: leave 'mode' out, or give the output 'channels: stereo'"
      : "'\(fastest.path)' has \(fastest.sampleRate) Hz: choose another setting, or give "
        + "the output a 'sample_rate' that has it"
    return Diagnostic(problem.message, at: place, help: help)
  }

  private func unwritable(_ clip: Asset) -> Diagnostic {
    let names = Output.Kind.allCases.map { "'\($0.rawValue)'" }
    return Diagnostic(
      "'codec: same': '\(clip.path)' is \(clip.codec), which is not written", at: origin,
      help: "name a format: one of " + names.joined(separator: ", "))
  }

  private func misnamed(_ clip: Asset, _ kind: Output.Kind, _ usual: String) -> Diagnostic {
    Diagnostic(
      "'codec: same': '\(clip.path)' is \(kind.capabilities.codecName), which does not go into "
        + "'.\(path.extension ?? "")'", at: origin, help: "write '\(path.stem ?? "").\(usual)'")
  }
}

extension Output.Kind {
  /// The extension that `path` should have where its own is not one of this kind's.
  fileprivate func fileExtension(for path: FilePath) -> String? {
    let all = capabilities.extensions
    return all.contains(path.extension?.lowercased() ?? "") ? nil : all.first
  }
}
