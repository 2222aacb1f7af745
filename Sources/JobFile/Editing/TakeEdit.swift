import Diagnosis
import JobModel
import MediaComposition
import MediaTime
import SystemPackage
import YAML

/// The edit of a job file that puts a recorded take on a track: text is inserted at one place, and
/// every other byte stays.
package struct TakeEdit: Sendable, Hashable {
  /// The name of the job.
  package var job: String
  /// The key of the track; a track of this key is added if there is none.
  package var track: String
  /// The path of the take as it is written: from the folder of the job file, or absolute.
  package var clip: String
  /// The time of the mix at which the take begins.
  package var time: Time

  /// An edit that puts `clip` on a track of a job, at a time of its mix.
  package init(clip: String, onTrack track: String, of job: String, at time: Time) {
    self.job = job
    self.track = track
    self.clip = clip
    self.time = time
  }

  /// The item of the take as it is written, without the dash of a list:
  /// `{ clip: takes/voice-001.wav, at: 15s }`.
  package var item: String {
    let clip = ArgumentNode.flowScalar(Template.literal(clip))
    return "{ clip: \(clip), at: \(time.description) }"
  }

  /// The result of an edit.
  package struct Edited: Sendable, Hashable {
    /// The whole file.
    package var bytes: [UInt8]
    /// The inserted bytes: without them, `bytes` is the old file.
    package var inserted: Range<Int>
    /// Whether the track is new.
    package var isNewTrack: Bool
  }

  /// Edits the contents of a job file.
  ///
  /// A list is extended, and a track added, in the style of the text around it: in a block by lines
  /// of their own, in brackets by a comma. The result is read again: it has the values of the file
  /// as it was, and the take.
  ///
  /// - Parameters:
  ///   - bytes: The contents.
  ///   - file: The job file, as it was read from these bytes; it is not opened.
  ///   - map: The map that the file was read into; gets the text once more.
  /// - Returns: The new contents.
  /// - Throws: The reason why the file cannot be edited so, with the remedy.
  /// - Complexity: O(length of `bytes`)
  package func applied(
    to bytes: [UInt8], of file: JobFile, in map: SourceMap
  ) throws(Diagnostics) -> Edited {
    let path = file.path
    guard let job = file.jobs.first(where: { $0.name == self.job }) else {
      throw Diagnostics(
        "'\(path)' has no job '\(self.job)'", at: .unknown, help: "name one of its jobs")
    }
    var sink = DiagnosticSink()
    let tree = try YAMLReader.read(bytes, at: path, isQuoted: false, into: map, sink: &sink)
    let root = try YAMLOutline.read(bytes, at: path, into: map)
    let places = try places(of: job, in: file, root, map)
    let insertion = try insertion(into: places, bytes, origin: job.origin)
    let text = Insertion.text(insertion, bytes)
    var edited = bytes
    edited.insert(contentsOf: text, at: insertion.offset)
    let range = insertion.offset..<(insertion.offset + text.count)
    let after = try YAMLReader.read(edited, at: path, isQuoted: false, into: map, sink: &sink)
    guard sink.diagnostics.errors.isEmpty,
      let expected = adding(to: tree, at: places.keys, isNewTrack: insertion.isNewTrack),
      after.hasSameContent(as: expected)
    else {
      throw Diagnostics(
        "the take cannot be put into '\(path)': the text there has a form that is not edited",
        at: job.origin,
        help: "write its list in lines that begin with '- ', and end the file with a line break")
    }
    return Edited(bytes: edited, inserted: range, isNewTrack: insertion.isNewTrack)
  }
}

// MARK: - Places

extension TakeEdit {
  /// The nodes that an edit is about.
  struct Places {
    /// The map under `tracks`.
    var tracks: YAMLOutline
    /// The list of the track; nil: there is no such track.
    var list: YAMLOutline?
    /// The keys from the root to the list, or to `tracks`.
    var keys: [String]
  }

  private func places(
    of job: Job, in file: JobFile, _ root: YAMLOutline, _ map: SourceMap
  ) throws(Diagnostics) -> Places {
    let (node, keys) = try node(of: job, in: root, file.path, map)
    try refuseLoops(job, file, keysOf: [node, root["defaults"]])
    try refuseShifts(of: job.item, "the job '\(job.name)'", ", here or from 'defaults'", job.origin)
    guard let tracks = node["tracks"], case .mapping = tracks.kind else {
      throw Diagnostics(
        "the job '\(job.name)' has no 'tracks', so that it has no place for a take",
        at: job.origin,
        help: "write its items as a track: 'tracks:', and below it 'main:' with their list")
    }
    guard let track = tracks[track] else {
      return Places(tracks: tracks, list: nil, keys: keys + ["tracks"])
    }
    let trackKeys = keys + ["tracks", self.track]
    if case .sequence = track.kind {
      return Places(tracks: tracks, list: track, keys: trackKeys)
    }
    guard let list = track["concat"], case .sequence = list.kind else {
      throw Diagnostics(
        "the track '\(self.track)' is a single item, and a take needs a list", at: job.origin,
        help: "write its item behind '- ' in a line below '\(self.track):', or name another track")
    }
    if let item = trackItem(of: job) {
      try refuseShifts(of: item, "the track '\(self.track)'", ", or name another track", job.origin)
    }
    return Places(tracks: tracks, list: list, keys: trackKeys + ["concat"])
  }

  /// The map of a job, and the keys that lead to it.
  private func node(
    of job: Job, in root: YAMLOutline, _ path: FilePath, _ map: SourceMap
  ) throws(Diagnostics) -> (YAMLOutline, [String]) {
    let place = map.place(of: job.origin)
    if let place, place.file != path.string {
      throw Diagnostics(
        "the job '\(job.name)' is written in '\(place.file)', which '\(path)' includes",
        at: job.origin, help: "record --into that file")
    }
    func isHere(_ node: YAMLOutline) -> Bool {
      place.map { (node.line, node.column) == ($0.line, $0.column) } ?? false
    }
    guard let jobs = root["jobs"] else { return (root, []) }
    if case .mapping(_, let entries) = jobs.kind {
      for entry in entries where isHere(entry.value) || isHere(entry.key) {
        return (entry.value, ["jobs", entry.key.text ?? ""])
      }
    }
    throw Diagnostics(
      "the job '\(job.name)' is not found in the text of '\(path)'", at: job.origin,
      help: "write it below 'jobs:', as a map")
  }

  /// The item that is all of the track.
  private func trackItem(of job: Job) -> Item? {
    guard case .tracks(let tracks) = job.item.content,
      let sequence = tracks.first(where: { $0.name == track })?.sequence
    else { return nil }
    return sequence.items.count == 1 ? sequence.items.first : nil
  }

  /// Refuses a job of a loop, even of one that makes a single job now, and one that is split. A
  /// loop of this file is written in one of `maps`; that of an included file's `defaults` shows in
  /// the number of jobs.
  private func refuseLoops(
    _ job: Job, _ file: JobFile, keysOf maps: [YAMLOutline?]
  ) throws(Diagnostics) {
    let key = ["for_each", "rows"].first { key in maps.contains { $0?[key] != nil } }
    // Jobs of one loop are written at one place.
    if key != nil || file.jobs.count(where: { $0.origin == job.origin }) > 1 {
      let name = key.map { "'\($0)'" } ?? "'for_each' or 'rows' of 'defaults'"
      throw Diagnostics(
        "the job '\(job.name)' is one of many that \(name) makes, and each would get the take",
        at: job.origin, help: "write a job of its own for it, without \(name)")
    }
    guard job.split == nil else {
      throw Diagnostics(
        "the job '\(job.name)' is split into parts, whose times are not the mix's", at: job.origin,
        help: "record into a job without 'split', of its own or of 'defaults'")
    }
  }

  /// Refuses an item whose own time is not that of the mix, be it by a key of its own or by one of
  /// `defaults` of any file.
  private func refuseShifts(
    of item: Item, _ name: String, _ choice: String, _ origin: Origin
  ) throws(Diagnostics) {
    guard let key = item.shiftingKey else { return }
    throw Diagnostics(
      "\(name) has '\(key)', after which its time is not that of the mix", at: origin,
      help: "take '\(key)' away while you record" + choice)
  }
}

extension Item {
  /// The first key after which its own time is not that of what holds it; a test lists all keys.
  fileprivate var shiftingKey: String? {
    if at != nil { return "at" }
    if let range {
      if range.from != nil { return "from" }
      return if case .moment? = range.end { "to" } else { "duration" }
    }
    if keptWords != nil { return "keep" }
    if !cuts.isEmpty || cutWords != nil { return "cut" }
    if !insertions.isEmpty { return "insert" }
    if pauses != nil { return "pauses" }
    if trim != nil { return "trim" }
    if isReversed { return "reverse" }
    if speed != nil { return "speed" }
    if loop != nil { return "loop" }
    if case .concat(let sequence) = content, sequence.crossfade != nil { return "crossfade" }
    return crossfade == nil ? nil : "crossfade"
  }
}

// MARK: - Text

extension TakeEdit {
  /// Text at one place.
  struct Insertion {
    var offset: Int
    /// The lines of a block, without their indentation; nil inside brackets.
    var lines: [String]?
    /// Columns before each line.
    var indentation = 0
    /// Inside brackets.
    var flow = ""
    var isNewTrack: Bool

    /// The bytes, with line ends as those before them.
    static func text(_ insertion: Insertion, _ bytes: [UInt8]) -> [UInt8] {
      guard let lines = insertion.lines else { return Array(insertion.flow.utf8) }
      let before = bytes[..<insertion.offset]
      let isAtLineStart = before.last.map { $0 == 0x0A || $0 == 0x0D } ?? true
      let end = lineEnd(before)
      let indentation = String(repeating: " ", count: insertion.indentation)
      let text = lines.map { indentation + $0 }.joined(separator: end)
      return Array((isAtLineStart ? text + end : end + text).utf8)
    }

    /// The start of the line behind a place, or the place itself if it is one: a text in a block
    /// ends there. Behind the place are blanks and a comment at most.
    static func lineEnd(behind place: Int, in bytes: [UInt8]) -> Int {
      if place > 0, bytes[place - 1] == 0x0A || bytes[place - 1] == 0x0D { return place }
      var end = place
      while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
      guard end < bytes.count else { return end }
      return bytes[end] == 0x0D && end + 1 < bytes.count && bytes[end + 1] == 0x0A
        ? end + 2 : end + 1
    }

    /// The last line end before a place; a line feed without one.
    private static func lineEnd(_ before: ArraySlice<UInt8>) -> String {
      guard let last = before.lastIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return "\n" }
      guard before[last] == 0x0A else { return "\r" }
      return last > before.startIndex && before[last - 1] == 0x0D ? "\r\n" : "\n"
    }
  }

  private func insertion(
    into places: Places, _ bytes: [UInt8], origin: Origin
  ) throws(Diagnostics) -> Insertion {
    if let list = places.list, case .sequence(let isFlow, let elements) = list.kind {
      if isFlow {
        return flow(item, behind: elements.last, in: list, isNewTrack: false)
      }
      return Insertion(
        offset: Insertion.lineEnd(behind: list.range.upperBound, in: bytes), lines: ["- " + item],
        indentation: list.column - 1, isNewTrack: false)
    }
    guard case .mapping(let isFlow, let entries) = places.tracks.kind else {
      throw Diagnostics("there are no tracks", at: origin, help: "write 'tracks:'")
    }
    let key = ArgumentNode.flowScalar(track) + ":"
    if isFlow {
      return flow(
        "\(key) [\(item)]", behind: entries.last?.value, in: places.tracks, isNewTrack: true)
    }
    return Insertion(
      offset: Insertion.lineEnd(behind: places.tracks.range.upperBound, in: bytes),
      lines: [key, "  - " + item], indentation: places.tracks.column - 1, isNewTrack: true)
  }

  private func flow(
    _ text: String, behind last: YAMLOutline?, in list: YAMLOutline, isNewTrack: Bool
  ) -> Insertion {
    Insertion(
      offset: last?.range.upperBound ?? list.range.lowerBound + 1,
      flow: last == nil ? text : ", " + text, isNewTrack: isNewTrack)
  }
}

// MARK: - The expected values

extension TakeEdit {
  /// The values of a file with the take; nil where the keys do not lead to a list.
  private func adding(to node: YAMLNode, at keys: [String], isNewTrack: Bool) -> YAMLNode? {
    guard let key = keys.first else {
      let clip = YAMLNode.text(Template.literal(clip))
      let take = YAMLNode.map([("clip", clip), ("at", YAMLNode.text(time.description))])
      switch node.kind {
      case .sequence(let elements) where !isNewTrack:
        return YAMLNode(.sequence(elements + [take]), origin: .unknown)
      case .mapping(let entries) where isNewTrack:
        let list = YAMLNode(.sequence([take]), origin: .unknown)
        return YAMLNode(
          .mapping(entries + [YAMLEntry(key: track, keyOrigin: .unknown, value: list)]),
          origin: .unknown)
      default: return nil
      }
    }
    guard case .mapping(var entries) = node.kind,
      let index = entries.firstIndex(where: { $0.key == key }),
      let value = adding(
        to: entries[index].value, at: Array(keys.dropFirst()), isNewTrack: isNewTrack)
    else { return nil }
    entries[index].value = value
    return YAMLNode(.mapping(entries), origin: .unknown)
  }
}

extension YAMLNode {
  fileprivate static func text(_ text: String) -> YAMLNode {
    YAMLNode(.scalar(YAMLScalar(text: text)), origin: .unknown)
  }

  fileprivate static func map(_ entries: [(String, YAMLNode)]) -> YAMLNode {
    YAMLNode(
      .mapping(entries.map { YAMLEntry(key: $0.0, keyOrigin: .unknown, value: $0.1) }),
      origin: .unknown)
  }
}
