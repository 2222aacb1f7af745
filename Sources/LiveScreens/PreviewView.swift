import Diagnosis
import ExportGraph
import MediaTime
import Playback
import Terminal
import Transcripts

/// The output of a preview: a screen on a terminal, plain lines elsewhere. One thread at a time.
package struct PreviewView {
  /// Whether there is a keyboard.
  var hasKeys = true
  /// A message on the screen, until the next one or a key.
  var message: String? {
    get { model.message }
    set { (model.message, isStale) = (newValue ?? waiting, true) }
  }
  /// What is wrong with the job files: on the screen until it is mended, below the message.
  var notice: String? {
    didSet { (model.notice, isStale) = (notice, true) }
  }
  /// What is waited for: on the screen wherever there is no other message.
  var waiting: String? {
    didSet { message = nil }
  }
  /// Whether a change is to be drawn at once.
  var isStale = true
  /// Whether there is a terminal.
  package let isScreen: Bool
  private let stream = StandardStream.output
  /// Whether the terminal took nothing at the last drawing.
  private var isBlocked = false
  /// The place of the last reading of the player's meters.
  private var meterPlace = Player.MeterPlace()
  private var model = PreviewModel()
  private var drawing = Drawing(drawingWholeEvery: .seconds(1))
  private var log = PreviewLog()
  /// The last item that a line has named.
  private var begun: PlayerItem?
  private var shownLines: [String] = []
  private var lastLook = ContinuousClock.now
  /// The item of the model.
  private var item: PlayerItem?
  private var timelines = (
    chapters: PreviewTimeline<String>([]), segments: PreviewTimeline<Source>([])
  )
  private let place: (PlayerItem, Origin) -> String?
  private let scan = OverviewScan()
  private let pictures = PreviewPictures()
  /// Where the last drawing had room for a picture; nil: nowhere.
  private var pictureRoom: TerminalPicture.Cells?
  /// The picture that the terminal has, and the cells that it fills.
  private var sentPicture: (number: Int, cells: TerminalPicture.Cells)?
  /// The first time that was shown; nil after another one was: then something was heard.
  private var firstTime: Time?
  private var hasSounded = false

  /// What sounds, and where the job declares it.
  private struct Source: Equatable {
    var name: String
    var place: String?
  }

  /// Milliseconds between two drawings.
  private static let drawingPause = 50

  /// A view at standard output.
  ///
  /// - Parameter place: Gives the file and the line of a place in an item's job, such as
  ///   `podcast.yaml:8`.
  package init(place: @escaping (PlayerItem, Origin) -> String? = { _, _ in nil }) {
    self.place = place
    isScreen = stream.terminal != nil
  }

  /// Milliseconds until the next drawing; −1: none without an event.
  func pause(_ controls: PreviewControls) -> Int32 {
    // The next join of a tour is due.
    if controls.tour != nil { return Int32(Self.drawingPause) }
    guard isScreen else { return controls.isPlaying ? 500 : -1 }
    let isMoving =
      controls.isPlaying || isBlocked || model.channels.contains { $0.meter.held > -100 }
      || model.reductions.contains { $0.gain < 0 }
    if isMoving || pictureRoom != nil && pictures.isAwaited { return Int32(Self.drawingPause) }
    // The missing parts of the time line may arrive, and the next columns of the overview.
    let isWhole = model.overview.map { $0.columns > 0 && $0.peaks.count == $0.columns } ?? true
    return model.loaded == nil && isWhole ? -1 : 500
  }

  /// Draws the current state, if that is due.
  mutating func update(_ controls: PreviewControls, _ keys: PreviewKeys) {
    let now = ContinuousClock.now
    guard isScreen else {
      let player = controls.player
      // An entry may be heard before its line is printed.
      guard let item = player.currentItem, item === begun, controls.isPlaying else { return }
      if let line = log.position(player.currentTime, of: item.duration) {
        stream.write(line + "\n")
      }
      return
    }
    guard isStale || drawing.isDue(at: now, after: .milliseconds(Self.drawingPause - 1)) else {
      return
    }
    isBlocked = !stream.hasRoom
    guard !isBlocked else { return }
    isStale = false
    look(controls, keys, at: now)
    guard let terminal = stream.terminal else { return }
    let drawn = PreviewScreen.drawn(for: model, on: terminal)
    pictureRoom = drawn.room
    let picture = transmission(of: drawn.picture, to: terminal)
    guard drawn.lines != shownLines || !picture.isEmpty else { return }
    shownLines = drawn.lines
    stream.write(picture + drawing.draw(drawn.lines, at: now, on: terminal))
  }

  /// What gives the terminal the picture of its lines; empty where it has it.
  private mutating func transmission(
    of cells: TerminalPicture.Cells?, to terminal: TerminalTraits
  ) -> String {
    guard terminal.pictures == .kitty, let cells, let shown = model.picture,
      sentPicture.map({ $0 != (shown.number, cells) }) ?? true
    else { return "" }
    sentPicture = (shown.number, cells)
    return shown.picture.transmission(cells)
  }

  /// Shows an event.
  mutating func show(_ event: PlayerEvent, _ controls: PreviewControls) {
    isStale = true
    let player = controls.player
    if case .itemBegan(let item) = event {
      guard !isScreen else { return }
      begun = item
      let number = (controls.items.index(of: item) ?? 0) + 1
      return show(
        log.began(item.name, number: number, of: controls.items.count, lasting: item.duration))
    }
    guard let line = log.line(for: event, at: player.currentTime, device: controls.device) else {
      return
    }
    if isScreen {
      switch event {
      // The first word of the screen says that it is buffering, and its last line counts xruns: neither
      // takes the place of an answer to a key.
      case .timeControlStatusChanged, .ranDry: return
      default: break
      }
    }
    show(line)
  }

  /// Shows an event of the sound server.
  mutating func show(_ event: AudioSession.Event, _ controls: PreviewControls) {
    isStale = true
    let line = event.line(at: controls.player.currentTime, device: controls.device)
    if let line { show(line) }
  }

  /// Shows a message, or prints it as a line.
  mutating func show(_ line: String) {
    isStale = true
    if isScreen { model.message = line } else { stream.write(line + "\n") }
  }

  /// Shows what is waited for, until `waiting` is nil, or prints it as a line.
  ///
  /// - Parameters:
  ///   - line: The message.
  ///   - hint: What keys are for, behind it on a screen.
  mutating func show(waiting line: String, hint: String) {
    guard isScreen else { return show(line) }
    waiting = line + (hasKeys ? hint : "")
  }

  /// Lets other output be written above the screen.
  mutating func interrupt(_ body: () -> Void) {
    let erased = drawing.erase(on: stream.terminal)
    if !erased.isEmpty { stream.write(erased) }
    body()
    shownLines = []
    isStale = true
  }

  /// Draws the next screen below other output.
  mutating func redrawBelow() {
    drawing.abandon()
    shownLines = []
    isStale = true
  }

  /// Clears the OVER marks.
  mutating func clear(_ controls: PreviewControls) {
    _ = controls.player.meters(since: &meterPlace)
    for index in model.channels.indices { model.channels[index].meter.clear() }
    message = nil
  }

  /// Erases the screen, and prints the position, if something was heard, and the marks.
  mutating func close(_ controls: PreviewControls, at time: Time?) {
    scan.end()
    pictures.end()
    closeScreen(controls, at: time)
    let text = controls.markFiles.map { Self.text(of: $0) } ?? controls.marksText
    if !text.isEmpty { stream.write(text) }
  }

  /// `the marks are in 'marks.txt'`, for each file.
  private static func text(of files: PreviewMarkFiles) -> String {
    files.files.map { "the marks are in '\($0.string.printable)'\n" }.joined()
  }

  private mutating func closeScreen(_ controls: PreviewControls, at time: Time?) {
    let erased =
      drawing.erase(on: stream.terminal) + (sentPicture == nil ? "" : TerminalPicture.removal)
    guard let time, let item = controls.player.currentItem else { return stream.write(erased) }
    let place = PreviewLayout.clock(min(time, item.duration))
    stream.write(
      erased
        + "\(item.name.printable): ended at \(place) of \(PreviewLayout.clock(item.duration))\n")
  }

  // MARK: The model

  private mutating func look(
    _ controls: PreviewControls, _ keys: PreviewKeys, at now: ContinuousClock.Instant
  ) {
    let player = controls.player
    if let current = player.currentItem, current !== item { turn(to: current) }
    if let index = controls.items.index(of: item) { model.entry = index + 1 }
    model.entryCount = controls.items.count
    model.rate = player.speed.percent
    (model.approximation, model.renderingRate) = (player.approximation, player.renderingRate)
    (model.volume, model.pan, model.loop) = (controls.volume, controls.pan, controls.loop)
    model.isLooping = controls.isLooping
    lookAtPlace(controls)
    lookAtPicture(controls, at: now)
    lookAtMeters(of: player, seconds: lastLook.duration(to: now).seconds)
    lastLook = now
    let device = player.device
    model.device = PreviewModel.Device(
      name: controls.device, format: device.format.map(Self.text),
      bufferedMilliseconds: Int((device.bufferedSeconds * 1000).rounded()), xruns: device.xruns)
    (model.mode, model.helpStart, model.hasKeys) = (keys.mode, keys.helpStart, hasKeys)
    (model.list, model.trackCursor) = (controls.list, controls.trackCursor)
    model.tour = controls.tour.map { ($0.index + 1, $0.joins.count) }
  }

  private mutating func lookAtPlace(_ controls: PreviewControls) {
    let player = controls.player
    let time = player.currentTime
    model.state =
      switch (player.timeControlStatus, player.reasonForWaitingToPlay) {
      // The player has stopped behind the last entry that is ready.
      case (.paused, _) where controls.isPlaying && controls.items.isLoading:
        .buffering(share: nil)
      case (.paused, _): .paused
      case (_, .noDevice): .waiting
      case (_, .toMinimizeStalls): .buffering(share: player.bufferingProgress)
      case (_, .toRenderAhead): .renderingAhead(share: player.bufferingProgress ?? 0)
      // A device opens in a moment, and the screen need not flicker.
      case (_, nil), (_, .openingDevice), (_, .startTime): .playing
      }
    model.time = time
    let whole = TimeRange(start: .zero, duration: model.duration)
    model.loaded = item.map(\.loadedTimeRanges).flatMap { $0 == [whole] ? nil : $0 }
    lookAtWords(controls)
    model.chapter = timelines.chapters.values(at: time).last
    let sources = timelines.segments.values(at: time)
    model.segments = sources.reduce(into: []) { names, source in
      if !names.contains(source.name) { names.append(source.name) }
    }
    model.sources = sources.compactMap(\.place)
    // Time passes after a jump, too, but no sooner than something is heard.
    if !hasSounded, model.state == .playing {
      hasSounded = firstTime.map { $0 != time } ?? false
      firstTime = time
    }
    model.overview = item.flatMap { scan.overview(of: $0, mayBegin: hasSounded) }
    let entry = controls.items.entry(of: item)?.id
    model.marks = (entry.map { controls.marks.marks(of: $0) } ?? []).map { mark in
      model.share(of: mark.range.start)...model.share(of: mark.range.end)
    }
  }

  private mutating func lookAtWords(_ controls: PreviewControls) {
    let transcript = item.map { controls.mix(of: $0).transcript } ?? Transcript()
    model.hasWords = !transcript.cues.isEmpty
    model.said = transcript.cue(at: model.time).map { SaidCue($0, at: model.time) }
  }

  private mutating func lookAtPicture(
    _ controls: PreviewControls, at now: ContinuousClock.Instant
  ) {
    (model.frame, model.picture) = (nil, nil)
    guard let item else { return }
    let mix = controls.mix(of: item)
    model.frame = mix.picture?.frame(at: model.time)?.number
    // No sooner than something is heard.
    guard pictureRoom != nil, hasSounded else { return }
    model.picture = pictures.picture(of: mix, at: model.time, now: now)
  }

  private mutating func lookAtMeters(of player: Player, seconds: Double) {
    let heard = player.meters(since: &meterPlace)
    let channels = heard?.channels ?? []
    let names = Self.channelNames(channels.count)
    if !names.isEmpty, model.channels.map(\.name) != names {
      model.channels = names.map { PreviewModel.Channel(name: $0) }
    }
    for index in model.channels.indices {
      model.channels[index].meter.show(
        channels[at: index], truePeak: heard?.truePeaks[at: index] ?? 0, after: seconds)
    }
    for index in model.tracks.indices {
      model.tracks[index].meter.show(heard?.tracks[at: index] ?? nil, after: seconds)
      guard let track = item?.tracks[index] else { continue }
      (model.tracks[index].isMuted, model.tracks[index].isSolo) = (!track.isEnabled, track.isSolo)
    }
    for index in model.reductions.indices {
      model.reductions[index].show(heard?.reductions[at: index]?.gain, after: seconds)
    }
    if let loudness = heard?.loudness { model.loudness = loudness }
  }

  private mutating func turn(to item: PlayerItem) {
    self.item = item
    model.title = item.name
    model.duration = item.duration
    model.hasChapters = !item.chapters.isEmpty
    model.tracks = item.tracks.map { PreviewModel.Track(name: $0.name) }
    model.reductions = item.reductions.map { reduction in
      let track = reduction.track.map { item.tracks[$0].name + " " } ?? ""
      return PreviewModel.Reduction(name: track + reduction.reducer.rawValue)
    }
    model.message = waiting
    model.loudness = LoudnessReading()
    for index in model.channels.indices { model.channels[index].meter.clear() }
    let starts = item.chapters.map(\.start) + [item.duration]
    timelines.chapters = PreviewTimeline(
      zip(item.chapters, starts.dropFirst()).map { chapter, end in
        (TimeRange(start: chapter.start, end: end), chapter.title)
      })
    model.chapterPlaces = item.chapters.map { model.share(of: $0.start) }
    // Adjacent segments are mostly of one item.
    var last: (origin: Origin, place: String?)?
    timelines.segments = PreviewTimeline(
      item.segments.map { segment in
        if last?.origin != segment.origin { last = (segment.origin, place(item, segment.origin)) }
        return (segment.timeRange, Source(name: segment.name, place: last?.place))
      })
  }

  private static func text(_ format: SinkFormat) -> String {
    let encoding =
      switch format.encoding {
      case .float32: "float"
      case .int32: "32 bits"
      case .int24, .packedInt24: "24 bits"
      case .int16: "16 bits"
      }
    let sound = AudioFormat.text(
      sampleRate: format.sampleRate, channelCount: format.channelCount)
    return "\(sound), \(encoding)"
  }

  private static func channelNames(_ count: Int) -> [String] {
    switch count {
    case 1: ["mono"]
    case 2: ["left", "right"]
    case 6: ["left", "right", "centre", "low", "left behind", "right behind"]
    default: (0..<count).map { "channel \($0 + 1)" }
    }
  }
}

extension Array {
  /// An element; nil outside the array.
  fileprivate subscript(at index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
