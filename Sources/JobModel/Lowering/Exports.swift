import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import Transcripts

extension Job {
  /// The exports of a job.
  package struct Exports: Sendable {
    /// One, or one for each part of a split job, in order of time.
    package var exports: [Export]
    /// Warnings for the user.
    package var warnings: [Diagnostic]
    /// Notes on what was decided by an analysis of its sound, for users who ask.
    package var remarks: [Diagnostic] = []
    /// What is said in each of the exports, for each of the job's manifests; empty where it has none.
    package var utterances: [[Utterance]] = []
  }

  /// Finds silence in a sound, or the quietest places near words; nil where that cannot be done now, which
  /// the caller has reported.
  package typealias Listen = (SilenceSearch) throws(Failure) -> SilenceFindings?

  /// Finds the picture with which decoding can begin that is nearest to a moment of a file, the later of
  /// two that are as near: when it is shown, in the time of the file's sound. nil where it cannot be found
  /// now, which the caller has reported.
  package typealias FindKeyPicture = (KeyPictureSearch) throws(Failure) -> Time?

  /// The words in a clip's own file, in the time of its sound; nil where it has none, or where they cannot
  /// be read now, which the caller has reported.
  package typealias ReadTranscript = (MediaReference) throws(Failure) -> Transcript?

  /// The compositions of this job and their outputs, with the facts of its media.
  ///
  /// Each part of a split job has the whole composition and a time range of its own, so the parts
  /// add up to the whole, to the sample.
  ///
  /// - Parameters:
  ///   - assets: Called once for each of `media`. nil where probing failed: the caller has reported
  ///     that, and times that depend on the file's length are not checked.
  ///   - listen: Called for each `pauses` and `trim`, for edges of words, for a split at silences, for
  ///     automation, and for lists of silences.
  ///   - findKeyPicture: Called for each edge that is moved to a key picture.
  ///   - readTranscript: Called once for each clip that keeps the words of its file.
  /// - Returns: The exports, with every time exact.
  /// - Throws: Errors that only those facts show: a range past the end, a fade or cross-fade longer
  ///   than its item, overlapping items, parts that are empty or beyond the end. Empty where only
  ///   `assets` gave nil.
  /// - Complexity: O(n log n) in the number of items and parts
  package func exports(
    assets: (MediaReference) -> Asset?, listen: @escaping Listen = { _ in nil },
    findKeyPicture: @escaping FindKeyPicture = { _ in nil },
    readTranscript: @escaping ReadTranscript = { _ in nil }
  ) throws(Diagnostics) -> Exports {
    var budget = SegmentBudget()
    return try exports(
      within: &budget, assets: assets, listen: listen, findKeyPicture: findKeyPicture,
      readTranscript: readTranscript)
  }

  /// The compositions of this job and their outputs, as
  /// `exports(assets:listen:findKeyPicture:readTranscript:)` gives them, within what the jobs of a run may
  /// become together.
  ///
  /// - Parameters:
  ///   - budget: What is left for this job and later ones.
  ///   - assets: Called once for each of `media`. nil where probing failed: the caller has
  ///     reported that, and times that depend on the file's length are not checked.
  ///   - listen: Called for each `pauses` and `trim`, for edges of words, for a split at silences, for
  ///     automation, and for lists of silences.
  ///   - findKeyPicture: Called for each edge that is moved to a key picture.
  ///   - readTranscript: Called once for each clip that keeps the words of its file.
  /// - Returns: The exports, with every time exact.
  /// - Throws: As `exports(assets:listen:findKeyPicture:readTranscript:)`, and where the budget is used
  ///   up.
  package func exports(
    within budget: inout SegmentBudget, assets: (MediaReference) -> Asset?,
    listen: @escaping Listen = { _ in nil },
    findKeyPicture: @escaping FindKeyPicture = { _ in nil },
    readTranscript: @escaping ReadTranscript = { _ in nil }
  ) throws(Diagnostics) -> Exports {
    var known: [MediaReference: Asset] = [:]
    for reference in media { known[reference] = assets(reference) }
    var whole = try whole(assets: known, listen, findKeyPicture, readTranscript, within: &budget)
    if let search = item.chapterSearch {
      try addChapters(search, to: &whole, known, listen)
    }
    try addSilences(to: &whole, listen)
    try requireRoom(for: whole.export, in: &budget)
    guard let split else {
      var own = Metadata()
      if let automation {
        var marks = AutomationTags(
          automation, of: whole.export, rate: sampleRate ?? clipRate(known), listen)
        own = try marks.tags(beside: metadata)
      }
      tag(&whole.export, whole, base: { $0 }, filled: { $0.overridden(by: own) })
      return Exports(
        exports: [whole.export], warnings: whole.notes, remarks: whole.remarks,
        utterances: try utterances(of: [whole.export]))
    }
    var splitter = Splitter(
      whole.export, rate: sampleRate ?? clipRate(known), snappedTo: snappedClip,
      quotingWords: item.quotesWords, listen, findKeyPicture)
    guard let parts = splitter.parts(of: split), splitter.errors.isEmpty else {
      throw splitter.errors
    }
    // Each part has all of the timeline.
    switch budget.takes(parts.count, .composition(whole.export.composition)) {
    case .granted: break
    case .tooMany:
      throw Diagnostics(
        "\(parts.count) parts of so many items are too many", at: split.origin,
        help: "join the items in a job of its own, and split its output")
    case .exhausted:
      throw Diagnostics(budget.exhausted(by: "\(parts.count) parts", at: split.origin))
    }
    let chapters = whole.takeChapters()
    let words = whole.export.transcript.map {
      CueIndex($0).transcripts(around: parts.map(\.range))
    }
    var found = Diagnostics()
    let exports = parts.enumerated().map { index, placed in
      var export = partExport(placed, whole, chapters, into: &found)
      export.transcript = words?[index]
      return export
    }
    guard found.isEmpty else { throw found }
    return Exports(
      exports: exports, warnings: splitter.warnings + whole.notes, remarks: whole.remarks,
      utterances: try utterances(of: exports, parts.map(\.part)))
  }

  /// Counts the chapters, cues and silences of an export, which are copied for its parts.
  private func requireRoom(
    for export: Export, in budget: inout SegmentBudget
  ) throws(Diagnostics) {
    let chapterCount = export.chapters.count + export.composition.chapters.count
    guard budget.takes(chapterCount * SegmentBudget.detailSize) else {
      throw Diagnostics(budget.exhausted(by: "its \(chapterCount) chapters", at: origin))
    }
    let cueCount = export.transcript?.cues.count ?? 0
    guard budget.takes(cueCount * SegmentBudget.detailSize) else {
      throw Diagnostics(budget.exhausted(by: "its \(cueCount) cues", at: origin))
    }
    let silenceCount = export.outputs.reduce(0) { $0 + ($1.silences?.found.count ?? 0) }
    guard budget.takes(silenceCount * SegmentBudget.detailSize) else {
      throw Diagnostics(budget.exhausted(by: "its \(silenceCount) silences", at: origin))
    }
  }

  /// The clip to whose pictures parts are moved.
  private var snappedClip: Splitter.SnappedClip? {
    guard case .clip(let reference) = item.content, let snap = item.snap else { return nil }
    return Splitter.SnappedClip(snap: snap, location: reference.location)
  }

  func clipRate(_ assets: [MediaReference: Asset]) -> Int? {
    if case .clip(let reference) = item.content { assets[reference]?.sampleRate } else { nil }
  }
}

// MARK: - The files of a part

extension Job {
  private func partExport(
    _ placed: Splitter.Placed, _ whole: Whole, _ chapters: [Chapter],
    into found: inout Diagnostics
  ) -> Export {
    let part = placed.part
    var export = whole.export
    export.timeRange = placed.range
    export.chapters = chapters.around(placed.range)
    let number = part.number.digits(max(2, String(part.count).count))
    export.name = "\(name)/\(number)" + (part.title.map { " \($0)" } ?? "")
    func fill(_ path: inout FilePath, at origin: Origin) {
      do throws(PartTemplate.Failure) {
        path = try PartTemplate.path(path, for: part)
      } catch {
        report(error, at: origin, in: &found)
      }
    }
    for index in outputs.indices {
      let silences = export.outputs[index].silences
      export.outputs[index].silences = silences?.part(placed.range)
      fill(&export.outputs[index].path, at: export.outputs[index].origin)
    }
    for index in records.indices {
      fill(&export.records[index].path, at: export.records[index].origin)
    }
    tag(
      &export, whole, base: { tags(of: placed, over: $0) },
      filled: { filled($0, part, &found) })
    return export
  }

  /// Sets the tags of an export and its outputs: the base's, then the job's, then an output's.
  ///
  /// - Parameters:
  ///   - export: Gets the tags.
  ///   - whole: Has the bases.
  ///   - base: Makes a part's tags from those of its base.
  ///   - filled: Fills in a part's variables.
  private func tag(
    _ export: inout Export, _ whole: Whole, base: (Metadata) -> Metadata,
    filled: (Metadata) -> Metadata
  ) {
    let own = filled(metadata)
    func keys(_ tags: Metadata) -> Set<String> { Set(tags.items.map { $0.key.lowercased() }) }
    let bases = whole.outputTags.compactMap(\.self).reduce(keys(whole.baseTags)) {
      $0.union(keys($1))
    }
    export.inheritedTags = bases.subtracting(keys(own)).sorted()
    export.metadata = base(whole.baseTags).overridden(by: own)
    let removed = own.removedKeys
    func adding(to keys: [String], _ base: MetadataBase?) -> [String] {
      base == .nothing ? Set(keys + whole.loopKeys).sorted() : keys.sorted()
    }
    let all = adding(to: removed, metadataBase)
    export.removedTags = all.isEmpty ? nil : all
    for index in outputs.indices {
      let given = filled(outputs[index].metadata)
      export.outputs[index].metadata = given
      guard let other = whole.outputTags[index] else { continue }
      export.outputs[index].metadata =
        base(other).overridden(by: own).overridden(by: given).overrides(of: export.metadata)
      // What only the other file lacks is not taken away.
      let kept = removed.filter { given.values(of: $0).isEmpty }
      export.outputs[index].removedTags = adding(
        to: kept + given.removedKeys, outputBases?[index])
      export.outputs[index].inheritedTags =
        keys(other).subtracting(keys(own)).subtracting(keys(given)).sorted()
    }
  }

  /// The clip's own tags with those of the list on top; the clip's number is not the part's.
  private func tags(of placed: Splitter.Placed, over clipTags: Metadata) -> Metadata {
    var tags = clipTags
    for key in ["track", "tracktotal", "totaltracks", "isrc", "TSRC"] { tags[key] = nil }
    tags = tags.overridden(by: placed.part.tags)
    if let title = placed.part.title { tags["title"] = title }
    tags["track"] = "\(placed.part.number)/\(placed.highestNumber)"
    return tags
  }

  private func filled(_ tags: Metadata, _ part: Part, _ found: inout Diagnostics) -> Metadata {
    var tags = tags
    for item in tags.items {
      do throws(PartTemplate.Failure) {
        var values: [String] = []
        for value in item.values { values.append(try PartTemplate.text(value, for: part)) }
        tags.set(values, of: item.key)
        if item.key.lowercased() == "time_reference" { try requireTimeReference(values) }
      } catch {
        report(error, at: origin, in: &found)
      }
    }
    return tags
  }

  /// Values without variables of the part were seen when the file was read.
  private func requireTimeReference(_ values: [String]) throws(PartTemplate.Failure) {
    for value in values where !value.isEmpty && !Metadata.isTimeReference(value) {
      throw PartTemplate.Failure(
        message: "'time_reference' is a number of frames since midnight, and not '\(value)'",
        help: "write " + Self.timeReferenceHelp)
    }
  }

  /// What to write for a time reference.
  package static let timeReferenceHelp =
    "the frames from midnight to the first one: of 1:00:00 at 48 kHz they are 172800000"

  /// Reports an error of one text for the first part that has it.
  func report(
    _ failure: PartTemplate.Failure, at origin: Origin, in found: inout Diagnostics
  ) {
    guard !found.all.contains(where: { $0.origin == origin }) else { return }
    found.append(Diagnostic(failure.message, at: origin, help: failure.help))
  }
}
