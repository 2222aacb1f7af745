import Diagnosis
import JobModel
import MediaComposition
import MediaTime
import YAML

/// An item, while its modifiers are read. Keys that are missing change nothing: a name from
/// `sources` brings modifiers of its own.
struct ItemDraft {
  var item: Item
  let context: ItemContext
  /// `from`, `to` and `duration` together; nil without all of them.
  fileprivate var range: ItemRange?
  private var hasOwnChapters = false

  init(_ item: Item, in context: ItemContext) {
    self.item = item
    self.context = context
  }

  /// The item with its keys.
  fileprivate var finished: Item {
    var item = item
    item.range = range ?? item.range
    return item
  }

  fileprivate mutating func setRange(_ change: (inout ItemRange) -> Void) {
    var own = range ?? ItemRange()
    change(&own)
    range = own
  }

  fileprivate mutating func setStream(_ index: Located<Int>) {
    guard case .clip(var reference) = item.content else { return }
    (reference.stream, reference.streamOrigin) = (index.value, index.origin)
    item.content = .clip(reference)
  }

  fileprivate mutating func setRaw(_ sound: RawSound) {
    guard case .clip(var reference) = item.content else { return }
    reference.raw = sound
    item.content = .clip(reference)
  }

  fileprivate mutating func setCrossfade(_ fade: Located<Fade>) {
    guard case .concat(var sequence) = item.content else {
      item.crossfade = fade
      return
    }
    sequence.crossfade = fade
    item.content = .concat(sequence)
  }

  fileprivate mutating func setMute(_ mute: Values.Mute) {
    switch mute {
    case .whole(let isMuted):
      (item.isMuted, item.mutes, item.clocks[.mute]) = (isMuted, [], nil)
      (item.mutedWords, item.redaction) = (nil, nil)
    case .ranges(let value):
      (item.isMuted, item.mutes, item.clocks[.mute]) = (false, value.ranges, value.clock)
      (item.mutedWords, item.redaction) = (value.words, value.text)
    }
  }

  /// What goes replaces what stays, and the other way round.
  fileprivate mutating func setCut(_ cut: Values.Ranges, keeping words: WordSelection? = nil) {
    (item.cuts, item.cutWords, item.keptWords) = (cut.ranges, cut.words, words)
    (item.cutCrossfade, item.clocks[.cut]) = (cut.crossfade, cut.clock)
  }

  /// Removes the item's inherited chapters before its first own ones.
  fileprivate mutating func setChapters(_ change: (inout Item) -> Void) {
    if !hasOwnChapters {
      hasOwnChapters = true
      item.chapter = nil
      item.chapters = []
      item.clocks[.chapters] = nil
      item.chapterSearch = nil
      item.keepsChapters = false
    }
    change(&item)
  }
}

extension Language {
  static let modifiers: Keys<ItemDraft> = Keys([
    Key("stream", Values.stream, "the stream of the file, counted from 0 as by ffprobe") {
      $0.setStream($1)
    },
    Key("raw", Values.rawSound, "what a file without a header holds") { $0.setRaw($1) },
    Key("from", Values.edge, "where the item starts, in its own time") { draft, from in
      draft.setRange { $0.from = from }
    },
    Key("to", Values.edge, "where the item ends, in its own time") { draft, to in
      draft.setRange { $0.end = .moment(to) }
    },
    Key("duration", Values.time, "how long the item is") { draft, duration in
      draft.setRange { $0.end = .duration(duration) }
    },
    Key(
      "snap", Values.snap,
      "of a clip: 'from', 'to', cuts and parts at the nearest picture, or key picture"
    ) {
      $0.item.snap = $1
    },
    Key("cut", Values.cut.shared, "ranges removed, in the item's own time, and words") {
      $0.setCut($1)
    },
    Key("keep", Values.keep, "the only words that stay; all else is cut") { draft, kept in
      draft.setCut(Values.Ranges(crossfade: kept.crossfade), keeping: kept.selection)
    },
    Key("insert", Values.insertions, "items inserted, each 'at' a time before all edits") {
      $0.item.insertions = $1
    },
    Key("pauses", Values.pauses, "long silences between sounds, made shorter") {
      $0.item.pauses = $1
    },
    Key("trim", Values.trim, "silence removed at both ends") { $0.item.trim = $1 },
    Key("reverse", Values.boolean, "played from end to start") {
      $0.item.isReversed = $1.value
    },
    Key("speed", Values.speed, "faster or slower; the pitch is kept unless it follows") {
      $0.item.speed = $1.value.isUnity ? nil : $1
    },
    Key("loop", Values.rounds, "repeated; 'end' is that of the longest other track") {
      $0.item.loop = $1.value == .count(1) ? nil : $1
    },
    Key("effects", Values.effects.shared, "filters, in this order") { $0.item.effects = $1 },
    Key("loudness", Values.loudness, "the level that it is brought to, before 'gain'") {
      $0.item.loudness = $1.target
    },
    Key("gain", Values.gain, "a constant gain") { $0.item.gain = $1 },
    Key("volume", Values.volume.shared, "moves between points, in the item's own time") {
      $0.item.volume = $1.points
      $0.item.volumeCurve = $1.curve
      $0.item.clocks[.volume] = $1.clock
    },
    Key("pan", Values.pan.shared, "between left and right, with constant power") {
      $0.item.pan = $1.points
      $0.item.clocks[.pan] = $1.clock
    },
    Key("fade_in", Values.fade, "a rise from silence at the start") { $0.item.fadeIn = $1 },
    Key("fade_out", Values.fade, "a fall to silence at the end") { $0.item.fadeOut = $1 },
    Key(
      "at", as: Values.edge.form,
      "where the item starts, in the time of the sequence that holds it"
    ) { entry, decoder, scope, draft in
      guard let at = Values.edge.read(entry.value, decoder, scope) else { return }
      if at.value.anchor == .end, draft.context != .insertion {
        decoder.sink.error(
          "'\(at.value)' is no time of its own", at: at.origin,
          help: "write a time, as '1:30', or that of another item, as 'talk.end'")
      }
      if case .picture = at.value.anchor, draft.context != .insertion {
        decoder.sink.error(
          "'\(at.value)' is a picture of a source, and no time of a timeline", at: at.origin,
          help: "write seconds, as '4.2s', or the time of another item, as 'talk.end'")
      }
      if at.value.isPhrase, draft.context != .insertion {
        decoder.sink.error(
          "\(at.value) are words of a source, and no time of a timeline", at: at.origin,
          help: "write seconds, as '4.2s', or the time of another item, as 'talk.end'")
      }
      draft.item.at = at
    },
    Key(
      "crossfade", Values.fade, "the overlap with the item before; on a list, at every join"
    ) { $0.setCrossfade($1) },
    Key(
      "duck", as: Values.ducking.form, "on a track: lower by so much while other tracks sound"
    ) { entry, decoder, scope, draft in
      guard draft.context == .track else {
        return decoder.sink.error(
          "'duck' belongs to a track", at: entry.keyOrigin, help: Schema.duckHelp)
      }
      draft.item.ducking = Values.ducking.read(entry.value, decoder, scope)
    },
    Key("channels", Values.channels, "converted to a layout, or one channel alone") {
      $0.item.channels = $1
    },
    Key("polarity", Values.polarity, "whether every sample is negated") {
      $0.item.invertsPolarity = $1.value
    },
    Key(
      "mute", Values.mute.shared,
      "silent, at the same place and length; or ranges and words that are"
    ) {
      $0.setMute($1)
    },
    Key("chapter", Values.chapter, "a chapter that begins with the item") { draft, chapter in
      draft.setChapters { $0.chapter = chapter }
    },
    Key(
      "chapters", as: Values.chapters.form,
      "chapters in the item's own time, which edits move along; 'files': one for each file; "
        + "those at silences are a job's"
    ) { entry, decoder, scope, draft in
      guard let chapters = Values.chapters.shared.read(entry.value, decoder, scope) else { return }
      let isJob = draft.context == .job
      draft.setChapters { decoder.setChapters(chapters, of: &$0, isJob: isJob) }
    },
    Key(
      "transcript", Values.transcript.shared,
      "its words, which edits move along: a file of them, or 'keep' for those in its own file"
    ) {
      $0.item.transcript = $1
    },
    Key(
      "loop_points", Values.loopPoints,
      "of a clip: the part that samplers and games repeat, in place of the file's loops"
    ) { $0.item.loopPoints = $1 },
    Key("name", Values.text, "the item's name in messages and references") { $0.item.name = $1 },
    Key(
      "each", as: Values.each.form,
      "the item is repeated for every 'row' of the job's table, or every 'cue' of a source"),
    Key("of", as: Values.sourceName, "the source for each of whose cues the item is repeated"),
    Key(
      "when", as: Values.text.form,
      "whether the item is there: an empty text, 'false', 'no' or '0' leaves it out"),
  ])

  /// The modifiers of a job, whose `channels` are those of its mix, whose `loudness` is that of its
  /// outputs, and which is no track.
  static let jobModifiers: Keys<ItemDraft> = modifiers.without([
    "channels", "duck", "each", "of", "when", "loudness",
  ])
}

extension Decoder {
  /// The item after the modifiers in `fields`.
  func modify(
    _ item: inout Item, by fields: Fields, _ scope: Scope, in context: ItemContext
  ) {
    var draft = ItemDraft(item, in: context)
    let keys = context == .job ? Language.jobModifiers : Language.modifiers
    keys.read(fields, self, scope, into: &draft)
    item = draft.finished
  }

  /// A key that is a time.
  func keyMoment(_ entry: YAMLEntry) -> Located<Moment>? {
    checked(at: entry.keyOrigin) { () throws(QuantityError) in
      Located(try Moment(parsing: entry.key), at: entry.keyOrigin)
    }
  }

  fileprivate func setChapters(
    _ chapters: Located<Values.Chapters>, of item: inout Item, isJob: Bool
  ) {
    switch chapters.value {
    case .list(let list, let clock): (item.chapters, item.clocks[.chapters]) = (list, clock)
    case .keep:
      item.keepsChapters = true
      if case .silence = item.content {
        sink.error("a silence has no chapters to keep", at: chapters.origin, help: "leave it out")
      }
    case .files:
      guard case .concat(var sequence) = item.content else {
        sink.error(
          "'chapters: files' belongs to 'concat'", at: chapters.origin,
          help: "a clip alone takes 'chapter: TITLE', or 'chapters: keep' for those of its file")
        return
      }
      Self.addChapters(to: &sequence)
      item.content = .concat(sequence)
    case .search(let search):
      guard isJob else {
        return sink.error(
          "chapters at silences belong to the job, not to an item", at: chapters.origin,
          help: "write 'chapters' beside the job's 'output'")
      }
      item.chapterSearch = search
    }
  }

  /// A chapter for each clip without one, titled by its file's stem.
  private static func addChapters(to sequence: inout ItemSequence) {
    for index in sequence.items.indices {
      switch sequence.items[index].content {
      case .clip(let reference)
      where sequence.items[index].chapter == nil && sequence.items[index].chapters.isEmpty:
        sequence.items[index].chapter = reference.location.stem.map { ItemChapter($0) }
      case .concat(var inner):
        addChapters(to: &inner)
        sequence.items[index].content = .concat(inner)
      case .clip, .silence, .tracks: break
      }
    }
  }
}
