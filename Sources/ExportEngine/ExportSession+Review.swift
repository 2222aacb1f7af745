import Diagnosis
import ExportGraph
import Files
import MediaComposition
import SystemPackage
import Transcripts

extension ExportSession {
  /// Findings about an export before it starts.
  public struct Review: Sendable {
    /// Why outputs cannot be written: no outputs, a read-only folder, settings that the format does
    /// not have, a cover that is no picture, moving pictures that cannot be copied or encoded as the
    /// export has them.
    public var problems: [Failure] = []
    /// Wishes of the export that are left out: tags, covers and chapters without a place in an
    /// output's format, and a pan where the mix has no left and right.
    public var unmetWishes: [Warning] = []
    /// The estimated work of one core; see `Graph.estimatedWork`.
    package var work: Duration = .zero
    /// The facts that probing the outputs will find; see `Graph.predictedAssets`.
    package var predictedAssets: [Asset] = []
    /// What the outputs take of each disk, at least.
    package var growth: [DiskGrowth] = []
  }

  /// Examines what `run` would do, and the disk, without changes. Of moving pictures, what is near their cuts is
  /// read. O(segments + outputs + pictures around the cuts).
  ///
  /// - Parameter isPredicting: Whether to fill `predictedAssets`.
  /// - Returns: The findings; without faults, all but the work is empty.
  @available(*, noasync, message: "it blocks its thread; await the function of the same name")
  public func review(predicting isPredicting: Bool = false) -> Review {
    var cache = ReviewCache()
    return review(predicting: isPredicting, seeing: &cache)
  }

  /// Examines what `run` would do, as `review(predicting:)`, for one of many exports, which share a
  /// view of the disk.
  package func review(predicting isPredicting: Bool, seeing cache: inout ReviewCache) -> Review {
    if let noOutputs { return Review(problems: [noOutputs]) }
    do throws(Failure) {
      let graph = try graph()
      var review = Review(
        unmetWishes: unmetWishes(in: graph), work: graph.estimatedWork,
        predictedAssets: isPredicting ? graph.predictedAssets : [])
      for sink in graph.sinks {
        problem(of: sink, in: graph, &cache).map { review.problems.append($0) }
      }
      for record in export.records {
        problem(of: record, &cache).map { review.problems.append($0) }
      }
      review.growth = growth(of: graph, &cache.rooms, replacing: true)
      return review
    } catch {
      return Review(problems: [error.placed(at: export.origin)])
    }
  }

  /// Removes what processes that were killed left beside the outputs. Files of living processes are
  /// kept; those of another machine or container count as dead two minutes after their last write.
  ///
  /// - Complexity: O(outputs), and O(entries) for each of their folders
  package func removeLeftovers() { LeftoverCache().removeLeftovers(of: export) }

  private func problem(of sink: Sink, in graph: Graph, _ cache: inout ReviewCache) -> Failure? {
    do throws(Failure) {
      for path in [sink.output.path] + sink.sidecars.map(sink.output.path.sidecar) {
        try requireWritable(path, &cache)
      }
      try requireEncodable(sink, format: graph.nodes[sink.node].format, seeing: &cache.pictures)
      try requireConformable(sink, in: graph)
      if let picture = sink.picture, cache.movies > 0 {
        cache.movies -= 1
        try library.requirePossible(picture)
      }
      return nil
    } catch {
      return error.placed(at: sink.output.origin)
    }
  }

  private func problem(of record: ExportRecord, _ cache: inout ReviewCache) -> Failure? {
    do throws(Failure) {
      try requireWritable(record.path, &cache)
      return nil
    } catch {
      return error.placed(at: record.origin)
    }
  }

  private func requireWritable(_ path: FilePath, _ cache: inout ReviewCache) throws(Failure) {
    // Git, shells and CI systems do what hidden files say.
    if Confinement.hidesName(of: path) { throw .hidden(path) }
    try OutputFile.requireWritable(path, seeing: &cache.folders)
  }

  /// By how much the outputs let each disk grow, at least; where it is `replacing`, without what they
  /// replace.
  func growth(
    of graph: Graph, _ rooms: inout RoomCache, replacing: Bool
  ) -> [DiskGrowth] {
    var found: [DiskGrowth] = []
    for sink in graph.sinks {
      let target = (try? OutputFile.followLinks(sink.output.path)) ?? sink.output.path
      guard let room = rooms.room(for: target) else { continue }
      let sound = graph.nodes[sink.node].format
      var bytes = sink.format.leastByteCount(
        frames: Int64(sink.frames.count), sampleRate: sound.sampleRate,
        channelCount: sound.channelLayout.count)
      if replacing { bytes -= (try? SourceFile.size(of: .file(target))) ?? 0 }
      if let index = found.firstIndex(where: { $0.room.device == room.device }) {
        let (sum, isTooMuch) = found[index].bytes.addingReportingOverflow(bytes)
        found[index].bytes = isTooMuch ? .max : sum
        found[index].others += 1
      } else {
        found.append(
          DiskGrowth(room: room, bytes: bytes, path: sink.output.path, origin: sink.output.origin))
      }
    }
    return found
  }

  private func unmetWishes(in graph: Graph) -> [Warning] {
    let sources = export.composition.assets
    var found = graph.sinks.flatMap { omissions(of: $0.besides(sources)) }
    for sink in graph.sinks {
      let written = sink.sidecars
      for sidecar in sink.output.sidecars where !written.contains(sidecar) {
        let (path, missing) = (sink.output.path, sink.output.path.sidecar(sidecar))
        let isThere = SourceFile.inode(of: missing) != nil
        found.append(
          Warning(
            "\(sidecar.nothing): '\(missing)' is not written"
              + (isThere
                ? "; an older one is there, which stays unless a receipt shows that avjob made it"
                : ""),
            path: path, origin: sink.output.origin))
      }
      let places = sink.output.transcript
      if places.inFile || places.lyrics, sink.transcript.cues.isEmpty {
        let place = places.inFile ? "track of captions" : "lyrics"
        found.append(
          Warning(
            "no words: \(place) not written", path: sink.output.path, origin: sink.output.origin))
      }
    }
    found += graph.sinks.compactMap(\.markupLoss)
    if export.isPanned, graph.isMixedInMono {
      found.append(
        Warning("the mix is mono, where 'pan' changes nothing: left out", origin: export.origin))
    }
    return found
  }

  /// Notes on what outputs do not have of their source although it would follow it: tags that are not
  /// true of them, and what is not read. O(segments + outputs).
  package var leftOutNotes: [Diagnostic] {
    guard let graph = try? graph() else { return [] }
    var notes = graph.sinks.flatMap { sink in
      sink.staleTags.map { stale in
        Diagnostic(
          .note,
          "'\(sink.output.path)': \(stale.names.joined(separator: ", ")) of the source left out, since "
            + stale.reason, at: sink.output.origin)
      }
        + (sink.markNotes + sink.chunkOmissions).map {
          Diagnostic(.note, "'\(sink.output.path)': \($0)", at: sink.output.origin)
        }
    }
    if let (asset, parts) = export.unread {
      notes.append(
        Diagnostic(
          .note,
          "'\(asset.location)': not read, and in no output: " + parts.joined(separator: ", "),
          at: export.origin))
    }
    return notes + pictureNotes
  }

  /// Notes on outputs that do not have all tracks, channels, pictures or covers of their sources, or their
  /// transparency, Dolby Vision, HDR10+, projection or cropping, on those with pictures that an edit list
  /// hides, and on texts that may have muted words. O(segments · outputs).
  package var pictureNotes: [Diagnostic] {
    let sinks = (try? graph())?.sinks ?? []
    let sources = export.composition.assets
    return sinks.flatMap { $0.picture?.lossNotes(in: $0.output) ?? [] }
      + sinks.compactMap { $0.coverNote(on: sources) }
      + sinks.compactMap { $0.picture?.alphaNote(in: $0.output) }
      + sinks.flatMap { $0.picture?.downmixNotes(in: $0.output, as: $0.format) ?? [] }
      + sinks.compactMap { $0.picture?.dolbyVisionNote(in: $0.output) }
      + sinks.flatMap { $0.picture?.messagesNotes(in: $0.output) ?? [] }
      + sinks.flatMap { $0.picture?.projectionNotes(in: $0.output) ?? [] }
      + sinks.flatMap { $0.picture?.croppingNotes(in: $0.output) ?? [] }
      + sinks.compactMap { $0.picture?.outlyingNote(in: $0.output) }
      + sinks.compactMap { $0.picture?.redactionNote(in: $0.output, of: export) }
      + sinks.compactMap { $0.unmutedWordsNote(of: export) }
      + sinks.compactMap { $0.picture?.editNote(in: $0.output) }
  }

  /// Tags, covers and chapters of sources without a place in an output's format, but for those of
  /// `pictureNotes`. O(segments + outputs).
  package var losses: [Warning] {
    guard let graph = try? graph() else { return [] }
    let sources = export.composition.assets
    return graph.sinks.flatMap { sink in
      var inherited = sink.broughtAlong(by: sources)
      if sink.picture != nil, !sink.capabilities.holdsCover { inherited.metadata.cover = nil }
      return omissions(of: inherited)
    }
  }
}

extension Sink {
  /// A note on the cover of a source for which a movie has no place; nil where there is none.
  fileprivate func coverNote(on sources: Set<Asset>) -> Diagnostic? {
    guard picture != nil, !capabilities.holdsCover,
      broughtAlong(by: sources).metadata.cover != nil
    else { return nil }
    return Diagnostic(
      .note, "'\(output.path)': \(capabilities.name) has no place for the cover: left out",
      at: output.origin)
  }
}

extension Sidecar {
  /// Why it is not written, where it would have nothing in it.
  fileprivate var nothing: String {
    switch self {
    case .chapters: "no chapters"
    case .transcript: "no words"
    case .silences: "no silences"
    }
  }
}

extension Sink {
  /// What breaking lines anew takes from its WebVTT.
  fileprivate var markupLoss: Warning? {
    let places = output.transcript
    guard places.sidecars.contains(.vtt),
      let count = places.lines?.markupLosses(of: transcript), count > 0
    else { return nil }
    return Warning(
      "the lines of \(count == 1 ? "1 cue" : "\(grouped(count)) cues") are broken anew and lose their "
        + "markup in '\(output.path.sidecar(.transcript(.vtt)))'",
      path: output.path, origin: output.origin)
  }
}
