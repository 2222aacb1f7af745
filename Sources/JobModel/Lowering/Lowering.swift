import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import Transcripts

/// Turns a job's items into a composition, with every time made exact.
///
/// Lengths are known here, so ranges past the end, fades that are too long and overlapping items
/// are found here. An item with such an error becomes nil, and the others are still checked: all
/// errors are reported in one pass. An item is lowered after those that its times depend on, in
/// whatever order they are written.
struct Lowering {
  let assets: [MediaReference: Asset]
  /// The content of all clips of one medium, which share it.
  private let contents: [MediaReference: Segment.Content]
  /// The job's own rate, for times in samples where no file has a rate.
  let sampleRate: Int?
  private(set) var diagnostics = Diagnostics()
  /// Notes for the user that are no errors.
  private(set) var notes: [Diagnostic] = []
  /// The cuts, insertions and shortened pauses of the item that is being lowered; empty without any.
  var edits: [EditedPart] = []
  /// Where its words may not be read, in its time after its range; empty without words.
  var redactions: [SegmentSpeech.Redaction] = []
  /// What its `trim` has left; nil without one.
  var trimmed: TimeRange?
  var sequences: [SequenceState] = []
  /// The items that are being lowered, from the outermost to the innermost.
  var path: [Step] = []
  /// The names of items that are left out, with the places that say so.
  var leftOut: [String: Origin] = [:]
  /// The targets of names below a job's item, or below an inserted one, by its sequence's number.
  var names: [Int: [String: [NamedPlace]]] = [:]
  /// How many segments may still be made.
  var budget: SegmentBudget
  /// Items whose range was refused, or is not known yet.
  var unrangedItems: Set<ItemPlace> = []
  /// The words of the content of one item, which its edges share.
  var spokenContent: (place: ItemPlace, isWhole: Bool, text: SpokenWords)?
  private let listen: Job.Listen
  private let findKeyPicture: Job.FindKeyPicture
  private let readTranscript: Job.ReadTranscript
  /// The words of media that were asked for, or why there are none; nil in it where the caller has
  /// reported that.
  private var keptTranscripts: [MediaReference: Result<Transcript?, Failure>] = [:]
  /// What groups keep of the files of their clips.
  var keptGroups: [ItemPlace: KeptGroup] = [:]
  /// Clips that are to keep chapters of their files, which have none.
  private(set) var chapterless: [MediaReference] = []
  /// Whether anything in the job has words.
  private(set) var hasTranscripts = false
  /// Whether messages may quote its words.
  private(set) var quotesWords = true
  /// What was decided by an analysis of its sound, for those who ask.
  private(set) var remarks: [Diagnostic] = []

  init(
    assets: [MediaReference: Asset], sampleRate: Int?, budget: SegmentBudget = SegmentBudget(),
    listen: @escaping Job.Listen = { _ in nil },
    findKeyPicture: @escaping Job.FindKeyPicture = { _ in nil },
    readTranscript: @escaping Job.ReadTranscript = { _ in nil }
  ) {
    self.budget = budget
    self.listen = listen
    self.findKeyPicture = findKeyPicture
    self.readTranscript = readTranscript
    self.assets = assets
    contents = assets.mapValues { .asset($0) }
    self.sampleRate = sampleRate
  }

  /// A job's item; whether a job file has it.
  mutating func lowered(ofJob item: Item, isWritten: Bool = true) -> LoweredItem? {
    hasTranscripts = item.hasTranscripts
    quotesWords = item.quotesWords
    let lowered = lowered(at: addRoot(item))
    reportKeptGroups()
    noteClipsWithoutChapters(beside: lowered, isWritten: isWritten)
    return lowered
  }

  /// The item at `place` with all its modifiers, in the order in which the language applies them.
  mutating func makeItem(at place: ItemPlace) -> LoweredItem? {
    let item = item(at: place)
    guard var lowered = content(of: item, at: place) else { return nil }
    if let name = item.name?.value { lowered.name = .text("'\(name)'") }
    var isWhole = select(item.channels, in: &lowered)
    isWhole = checkSnap(of: item, lowered) && isWhole
    let content = item.clocks.values.contains(.source) ? lowered : nil
    if item.clocks[.chapters] == .source {
      addChapters(of: item, .content, at: place, to: &lowered)
    }
    isWhole = addTranscript(of: item, .source, at: place, to: &lowered) && isWhole
    // After a refused range the rest is still checked.
    isWhole = takeRange(of: item, at: place, in: &lowered) && isWhole
    isWhole = addTranscript(of: item, .item, at: place, to: &lowered) && isWhole
    isWhole = setLoop(of: item, at: place, in: &lowered) && isWhole
    let range = lowered.source
    (edits, trimmed) = ([], nil)
    // Each listens to what the one before leaves.
    isWhole =
      edit(&lowered, from: content, by: item, at: place)
      && shortenPauses(of: &lowered, by: item, at: place) && trim(&lowered, by: item) && isWhole
    let isChapterPlaced = item.chapter.map { own in
      lowered.chapters.contains { $0 == Chapter(own, start: $0.start) }
    }
    reverse(&lowered, by: item)
    isWhole = changeSpeed(of: &lowered, by: item) && isWhole
    isWhole = loop(&lowered, by: item, at: place) && isWhole
    if let content, isWhole { remarkClocks(of: item, lowered, from: content, range, at: place) }
    isWhole = addEffects(to: &lowered, of: item) && isWhole
    lowered.loudness = item.loudness.map { [$0] } ?? []
    lowered.mix = mix(item, lowered, at: place)
    if let chapter = item.chapter, isChapterPlaced != true {
      lowered.chapters.insert(Chapter(chapter, start: .zero), at: 0)
    }
    return isWhole ? lowered : nil
  }

  private mutating func content(of item: Item, at place: ItemPlace) -> LoweredItem? {
    func made(
      _ content: Segment.Content, _ duration: Time, rate: Int?, _ name: LoweredItem.Name
    ) -> LoweredItem {
      LoweredItem(content, duration: duration, rate: rate, name: name, origin: item.origin)
    }
    switch item.content {
    case .clip(let reference):
      guard let content = contents[reference], case .asset(let asset) = content else { return nil }
      var clip = made(content, asset.duration, rate: asset.sampleRate, .medium(reference.location))
      if keepsChapters(at: place) { clip.chapters = asset.chapters }
      if asset.chapters.isEmpty, lacksChapters(item, at: place) { chapterless.append(reference) }
      return clip
    case .silence(let duration):
      let origin = duration.origin
      guard let duration = time(duration, rate: sampleRate), checkLimit(of: duration, at: origin)
      else { return nil }
      return made(.silence, duration, rate: sampleRate, .text("the silence"))
    case .concat, .tracks:
      var name = "the sequence"
      if case .tracks = item.content { name = "the mix" }
      var tracks: [Track] = []
      var isWhole = true
      for id in children(of: place) {
        let own = self.tracks(of: id)
        tracks += own ?? []
        isWhole = isWhole && own != nil
      }
      guard isWhole else { return nil }
      let composition = Composition(tracks: tracks)
      return made(.composition(composition), composition.duration, rate: sampleRate, .text(name))
    }
  }

  mutating func note(
    _ message: String, as severity: Diagnostic.Severity = .note, at origin: Origin, help: String,
    notes more: [Diagnostic.Note] = []
  ) {
    notes.append(Diagnostic(severity, message, at: origin, help: help, notes: more))
  }

  mutating func remark(_ message: String, at origin: Origin) {
    // Each is a decision of its own, which the user checks by its time.
    var remark = Diagnostic(.note, message, at: origin)
    remark.isListed = true
    remarks.append(remark)
  }

  /// The silences of a sound; nil after a report, or where the caller has reported why.
  mutating func silences(_ search: SilenceSearch, at origin: Origin) -> SilenceFindings? {
    do throws(Failure) {
      return try listen(search)
    } catch {
      diagnostics.append(Diagnostic(error.placed(at: origin)))
      return nil
    }
  }

  /// The words of a clip's own file, which is asked for them once; nil where the caller has reported why
  /// there are none.
  mutating func keptTranscript(of clip: MediaReference) -> Result<Transcript?, Failure> {
    if let known = keptTranscripts[clip] { return known }
    let kept: Result<Transcript?, Failure>
    do throws(Failure) {
      kept = .success(try readTranscript(clip))
    } catch {
      kept = .failure(error)
    }
    keptTranscripts[clip] = kept
    return kept
  }

  /// The key picture nearest to a moment of a file; nil after a report, one for each place, or where the
  /// caller has reported why.
  mutating func keyPicture(_ search: KeyPictureSearch, at origin: Origin) -> Time? {
    do throws(Failure) {
      return try findKeyPicture(search)
    } catch {
      report(error, at: origin)
      return nil
    }
  }

  /// Reports a failure once for each place.
  mutating func report(_ failure: Failure, at origin: Origin) {
    let report = Diagnostic(failure.placed(at: origin))
    guard
      !diagnostics.all.contains(where: {
        $0.origin == report.origin && $0.message == report.message
      })
    else { return }
    diagnostics.append(report)
  }

  mutating func error(
    _ message: String, at origin: Origin, help: String? = nil, notes: [Diagnostic.Note] = []
  ) {
    diagnostics.append(Diagnostic(message, at: origin, help: help, notes: notes))
  }
}

// MARK: - Times

extension Lowering {
  /// The time of a text; nil, with an error, for a number of samples without a rate.
  mutating func time(_ text: Located<TimeText>, rate: Int?) -> Time? {
    if case .frames = text.value, rate == nil {
      error(
        "'\(text.value)' needs a sample rate", at: text.origin,
        help: "write seconds, or give the job a 'sample_rate'")
      return nil
    }
    return text.value.time(atRate: rate ?? 1)
  }

  /// A moment of the item at `place`, with the present length of `lowered`.
  mutating func time(
    _ moment: Located<Moment>, of lowered: LoweredItem, at place: ItemPlace, _ stage: Stage
  ) -> Time? {
    guard
      let offset = time(Located(moment.value.offset, at: moment.origin), rate: lowered.rate)
    else { return nil }
    let anchor: Time
    switch moment.value.anchor {
    case .start: anchor = .zero
    case .end: anchor = lowered.duration
    case .item:
      guard let time = self.time(of: moment, for: place, stage) else { return nil }
      anchor = time
    case .picture(let picture):
      guard let time = time(of: picture, in: lowered, stage, at: moment.origin) else { return nil }
      anchor = time
    case .phrase(let phrase):
      guard let time = time(of: phrase, moment, in: lowered, at: place, stage) else { return nil }
      anchor = time
    }
    return moment.value.isEarlier ? anchor - offset : anchor + offset
  }

  /// Two times as text, with as many decimals as distinguish them.
  func lengths(_ a: Time, _ b: Time) -> (a: String, b: String) {
    for decimals in [3, 6]
    where a == b || a.clockText(decimals: decimals) != b.clockText(decimals: decimals) {
      return (Self.text(a, decimals: decimals), Self.text(b, decimals: decimals))
    }
    return (Self.text(a, decimals: 9), Self.text(b, decimals: 9))
  }

  /// `5.25s`, `1:02:03.25` or, where that would be a fraction, a rounded `0:53.266`.
  static func text(_ time: Time, decimals: Int = 3) -> String {
    let text = time.description
    return text.contains("/") ? time.clockText(decimals: decimals) : text
  }
}
