import JSON
import MediaComposition
import MediaTime

extension Graph {
  /// The plan of an export, for programs: an element of `jobs` in `docs/json.md`.
  ///
  /// - Parameters:
  ///   - name: The export's name.
  ///   - duration: The timeline's length.
  ///   - records: Those of the export.
  ///   - heard: When its sources are heard: asked for where an output has a place for words.
  /// - Returns: A document.
  /// - Complexity: O(nodes)
  package func planJSON(
    name: String, duration: Time, records: [ExportRecord], heard: () -> [HeardPart] = { [] }
  ) -> JSONValue {
    let hasWords = sinks.contains { !$0.output.transcript.isEmpty }
    return .members([
      "name": .text(name),
      "duration": .time(duration),
      "nodes": nodesJSON,
      "chapters": .list((sinks.first?.chapters ?? []).map(\.json)),
      "heard": hasWords ? .list(heard().map(\.json)) : nil,
      "outputs": .list(sinks.map(\.json)),
      "records": .list(records.map { .file($0.path, [:]) }),
    ])
  }

  /// The nodes alone.
  package var nodesJSON: JSONValue {
    .list(nodes.enumerated().map { Self.json(id: $0.offset, $0.element) })
  }

  private static func json(id: Int, _ node: Node) -> JSONValue {
    let format: JSONValue = [
      "sample_rate": .count(node.format.sampleRate),
      "channels": .text(node.format.channelLayout.name),
      "first_frame": .integer(node.frames.lowerBound),
      "end_frame": .integer(node.frames.upperBound),
    ]
    let level = JSONValue.members([
      "gain": node.level.gain.json,
      "ramps": .list(node.level.rampsInOrder.map(\.json)),
      "pan": node.level.pan?.initial.json,
      "pan_ramps": node.level.pan.map { .list($0.ramps.map(\.json)) },
    ])
    return JSONValue.members([
      "id": .count(id), "kind": .text(node.kindName), "track": node.name.map { .text($0) },
    ]).with(format).with(level).with(node.content)
  }
}

extension Node {
  var kindName: String {
    switch kind {
    case .source: "source"
    case .mix: "mix"
    case .convert: "convert"
    case .process: "process"
    case .excerpt: "excerpt"
    case .duck: "duck"
    }
  }

  /// Members of some kinds, and the inputs.
  fileprivate var content: JSONValue {
    var (process, selection) = (nil as String?, level.matrix?.selectionText)
    var (file, start, inputs) = ([:] as JSONValue, nil as Int64?, [] as [Node.ID])
    switch kind {
    case .source(let read, let first):
      process = read.varispeedText(at: format.sampleRate)
      selection = read.selectionText(to: format.channelLayout)
      (file, start) = (.medium(read.asset.location, [:]), first)
    case .mix(let children): inputs = children
    case .convert(let child): inputs = [child]
    case .process(let filter, let child): (process, inputs) = (filter.description, [child])
    case .excerpt(let child, let first): (start, inputs) = (first, [child])
    case .duck(let child, let keys, let ducking):
      (process, inputs) = (ducking.text(rate: format.sampleRate), [child] + keys)
    }
    return JSONValue.members([
      "process": process.map { .text($0) }, "selection": selection.map { .text($0) },
    ])
    .with(file)
    .with(
      .members([
        "source_frame": start.map { .integer($0) },
        "inputs": .list(inputs.map { .count($0) }),
      ]))
  }
}

extension Level.Ramp {
  fileprivate var json: JSONValue {
    [
      "first_frame": .integer(frames.lowerBound), "end_frame": .integer(frames.upperBound),
      "start": start.json, "end": end.json, "curve": .text(curve.rawValue),
    ]
  }
}

extension Float {
  fileprivate var json: JSONValue { .number(Double(self), decimals: 7) }
}

extension Sink {
  fileprivate var json: JSONValue {
    let conform = (output.conform ?? []).map { JSONValue.text($0.name) }
    return .file(
      output.path,
      [
        "format": .text(formatName), "node": .count(node),
        "first_frame": .integer(frames.lowerBound), "end_frame": .integer(frames.upperBound),
        "dithered": .boolean(isDithered), "id3": id3Version.map { .text($0.description) },
        "copied": copied?.parts.json, "picture": picture?.json,
        "conform": conform.isEmpty ? nil : .list(conform),
        "metadata": metadata.json, "cover": metadata.cover.map { .text("\($0.location)") },
        "chapter_files": .list(
          sidecars.filter(\.isOfChapters).map {
            .file(output.path.sidecar($0), ["format": .text($0.name)])
          }),
        "transcript": wordsJSON,
        "transcript_files": output.transcript.isEmpty
          ? nil
          : .list(
            transcriptFiles.map { format, path in
              .file(
                path, ["format": .text(format.name), "media_type": .text(format.mediaType)])
            }),
        "silence_files": silenceFilesJSON,
      ])
  }
}

extension Sink {
  /// The lists of its silences; nil for an output without a place for any.
  fileprivate var silenceFilesJSON: JSONValue? {
    guard let silences = output.silences else { return nil }
    let written = sidecars
    return .list(
      silences.sidecars.filter { written.contains(.silences($0)) }.map {
        .file(
          output.path.sidecar(.silences($0)),
          ["format": .text($0.name), "silences": .count(silences.found.count)])
      })
  }
}

extension HeardPart {
  fileprivate var json: JSONValue {
    .medium(
      location,
      [
        "source_start": .time(source.start), "source_end": .time(source.end),
        "start": .time(target.start), "end": .time(target.end),
        "reversed": isReversed ? true : nil,
      ])
  }
}
