import Diagnosis
import MPEGAudio
import MediaComposition
import MediaTime
import SystemPackage

extension Graph {
  /// Compiles an export: chooses the mix's rate and layout, puts every segment on the frame grid,
  /// and gives each output its sound.
  ///
  /// A segment's start on the timeline becomes a frame once, `time × rate` rounded half up,
  /// whatever the depth of nesting, and so does the start of its source's range. A segment that
  /// continues the one before it starts with the next frame, so a split segment equals the whole,
  /// wherever it was split. O(segments).
  ///
  /// - Throws: `Failure` (`mendJob`) for an output's impossible settings (the first of them;
  ///   `Export.settled()` throws all), a timeline of more than 10,000 hours, a part that is not on
  ///   it, compositions nested more than 200 deep, an empty range, a missing channel, a speed or
  ///   an effect out of bounds, and a ducking that `Composition.validate()` refuses.
  package init(compiling export: Export) throws(Failure) {
    guard !export.composition.isNested(deeperThan: Limits.deepestNesting) else {
      throw Failure(
        .mendJob,
        "compositions are nested more than \(Limits.deepestNesting) deep; put items side by side",
        origin: export.origin)
    }
    let settlement: Settlement
    do throws(Diagnostics) {
      settlement = try export.settlement()
    } catch {
      throw Failure(error, at: export.origin)
    }
    let mixFormat = settlement.mix
    var compiler = Compiler(format: mixFormat)
    let duration = export.composition.duration
    guard duration.isNumeric, duration >= .zero else {
      throw Failure(.mendJob, "the timeline's length is not a number", origin: export.origin)
    }
    guard duration <= Composition.longestDuration else {
      throw Failure(
        .mendJob, "the timeline would be \(duration.readableText) long; 10,000 hours are the most",
        origin: export.origin)
    }
    let length = duration.frames(atRate: mixFormat.sampleRate)
    let root = try compiler.addMix(
      of: export.composition, at: .zero, window: 0..<length, mix: export.mix,
      origin: export.origin)
    self.init(nodes: compiler.nodes, sinks: [], tracks: compiler.tracks)
    heardTracks = compiler.heardTracks(of: export.composition, compiler.tracks)
    shownTracks = export.composition.shownTracksOfPictures
    try addSinks(of: export, settlement.outputs, from: root)
  }
}

/// Puts compositions on frame grids.
struct Compiler {
  let format: AudioFormat
  private(set) var nodes: [Node] = []
  /// The children of the mix that was added last, by track of its composition.
  private(set) var tracks: [[Node.ID]] = []
  /// The tracks of mixes that have some with names.
  private(set) var mixTracks: [Node.ID: [HeardTrack]] = [:]
  /// The matrix of the last layout: most files have the same one.
  private var lastMatrix: (layout: ChannelLayout, matrix: ChannelMatrix)?

  init(format: AudioFormat) { self.format = format }

  mutating func add(_ node: Node) -> Node.ID {
    nodes.append(node)
    return nodes.count - 1
  }

  /// Lets a node of a track have the track's name in place of those that it is made of.
  mutating func moveName(from children: [Node.ID], to sum: Node.ID) {
    nodes[sum].name = children.first.flatMap { nodes[$0].name }
    for child in children { nodes[child].name = nil }
  }

  /// Appends the node that mixes `composition`, whose own zero lies at `start` on the timeline.
  mutating func addMix(
    of composition: Composition, at start: Time, window: Range<Int64>, mix: AudioMix,
    matrix: ChannelMatrix? = nil, origin: Origin
  ) throws(Failure) -> Node.ID {
    var children: [[Node.ID]] = []
    let duckings = try DuckingPlan(
      of: composition, at: start, rate: format.sampleRate, window: window)
    for (track, window) in zip(composition.tracks, duckings.windows) {
      guard track.sounds else {
        if track.mediaType == .video {
          for segment in track.segments { try Limits.requireRanges(segment) }
        }
        children.append([])
        continue
      }
      var sounds = try addSegments(of: track, at: start, window: window)
      if !track.mix.isUnity || track.preferredVolume != .unity {
        var level = level(of: track.mix, at: start)
        level.gain *= Float(track.preferredVolume.factor)
        sounds = [
          add(
            Node(.mix(sounds), format: format, frames: window, level: level, origin: track.origin))
        ]
      }
      for node in sounds { nodes[node].name = track.name }
      children.append(sounds)
    }
    duck(&children, by: duckings, in: composition)
    tracks = children
    var level = level(of: mix, at: start)
    level.matrix = matrix
    let heard = heardTracks(of: composition, children)
    let node = add(
      Node(
        .mix(children.flatMap(\.self)), format: format, frames: window, level: level,
        origin: origin))
    if heard.contains(where: { $0.name != nil }) { mixTracks[node] = heard }
    return node
  }

  private mutating func addSegments(
    of track: Track, at start: Time, window: Range<Int64>
  ) throws(Failure) -> [Node.ID] {
    var children: [Node.ID] = []
    children.reserveCapacity(track.segments.count)
    var before: Placement?
    for segment in track.segments {
      try Limits.requireRanges(segment)
      let target = start + segment.target.start
      let place = Placement(of: segment, at: target, after: before, rate: format.sampleRate)
      before = place
      guard !segment.isEmpty, segment.mix.gain != .silence,
        !place.frames.clamped(to: window).isEmpty
      else { continue }
      try Limits.require(segment, at: format.sampleRate)
      let node =
        segment.isProcessed(by: track.timePitchAlgorithm)
        ? try addExcerpt(segment, track.timePitchAlgorithm, at: place, window: window)
        : try addPlain(segment, at: place, window: window)
      if let node { children.append(node) }
    }
    return children
  }

  /// Appends the nodes of a segment whose frames lie on the timeline's own grid.
  private mutating func addPlain(
    _ segment: Segment, at place: Placement, window: Range<Int64>
  ) throws(Failure) -> Node.ID? {
    let frames = place.frames.clamped(to: window)
    switch segment.content {
    case .silence:
      return nil
    case .asset(let asset):
      let source = Source(
        asset, matrix: try matrix(from: asset, for: segment),
        ratio: FrameRatio(
          from: asset.sampleRate, lasting: segment.source.duration, to: format.sampleRate,
          lasting: segment.target.duration) ?? .one)
      // Rounding may need one frame more than the asset has; the timeline is silent there.
      let zero = place.frames.lowerBound - place.source.lowerBound
      let sounding = frames.clamped(to: zero..<zero + source.frameCount)
      guard !sounding.isEmpty else { return nil }
      return add(
        Node(
          .source(source, start: sounding.lowerBound - zero), format: format,
          frames: sounding, level: level(of: segment.mix, at: place.target),
          origin: segment.origin))
    case .composition(let inner):
      return try addMix(
        of: inner, at: place.zero, window: frames,
        mix: segment.mix.delayed(by: segment.source.start),
        matrix: try matrix(for: segment), origin: segment.origin)
    }
  }

  /// Appends a segment that is reversed, stretched or filtered, on a grid of its own that begins
  /// with the source's range.
  private mutating func addExcerpt(
    _ segment: Segment, _ algorithm: TimePitchAlgorithm, at place: Placement, window: Range<Int64>
  ) throws(Failure) -> Node.ID? {
    var plain = segment
    (plain.mix, plain.effects, plain.isReversed) = (.unity, [], false)
    plain.loudness = nil
    let isStretched = segment.isScaled && !segment.isAssetVarispeed(algorithm)
    var taken = place.source
    if isStretched {
      plain.target = plain.source
      let first = segment.source.start.frame(atRate: format.sampleRate)
      taken = first..<first + segment.source.duration.frame(atRate: format.sampleRate)
    }
    var length = Int64(taken.count)
    guard
      var node = try addPlain(
        plain, at: Placement(source: taken, rate: format.sampleRate), window: 0..<length)
    else { return nil }
    // Reversed, its silent end would be its start.
    if nodes[node].frames != 0..<length {
      node = add(Node(.mix([node]), format: format, frames: 0..<length, origin: segment.origin))
    }
    func process(_ process: SoundProcess) {
      node = add(
        Node(
          .process(process, node), format: format, frames: 0..<length, origin: segment.origin))
    }
    if segment.isReversed { process(.reverse) }
    if isStretched {
      length = segment.target.duration.frame(atRate: format.sampleRate)
      let ratio =
        FrameRatio(
          from: format.sampleRate, lasting: segment.source.duration, to: format.sampleRate,
          lasting: segment.target.duration) ?? .one
      process(algorithm == .varispeed ? .varispeed(ratio) : .stretch(ratio, algorithm))
    }
    for effects in segment.effects.processes { process(effects) }
    if let target = segment.loudness { process(.normalize(Normalization(target))) }
    let first = place.frames.lowerBound
    let frames = place.frames.clamped(to: first..<(first + length)).clamped(to: window)
    guard !frames.isEmpty else { return nil }
    return add(
      Node(
        .excerpt(node, start: frames.lowerBound - first), format: format, frames: frames,
        level: level(of: segment.mix, at: place.target), origin: segment.origin))
  }
}

// MARK: - Levels and channels

extension Compiler {
  /// From the asset's channels, or those that the segment selects, to the mix's.
  private mutating func matrix(
    from asset: Asset, for segment: Segment
  ) throws(Failure) -> ChannelMatrix {
    guard let selection = segment.channels else {
      if let lastMatrix, lastMatrix.layout == asset.channelLayout { return lastMatrix.matrix }
      let matrix = ChannelMatrix(from: asset.channelLayout, to: format.channelLayout)
      lastMatrix = (asset.channelLayout, matrix)
      return matrix
    }
    guard
      let matrix = ChannelMatrix(
        from: asset.channelLayout, selecting: selection, to: format.channelLayout)
    else {
      throw noChannel(selection, of: asset.channelLayout, segment, location: asset.location)
    }
    return matrix
  }

  /// Within the mix's layout; nil where the segment selects nothing.
  private func matrix(for segment: Segment) throws(Failure) -> ChannelMatrix? {
    guard let selection = segment.channels else { return nil }
    let layout = format.channelLayout
    guard let matrix = ChannelMatrix(from: layout, selecting: selection, to: layout) else {
      throw noChannel(selection, of: layout, segment, location: nil)
    }
    return matrix
  }

  private func noChannel(
    _ selection: ChannelSelection, of layout: ChannelLayout, _ segment: Segment,
    location: MediaLocation?
  ) -> Failure {
    let name = if case .channel(let index) = selection { " \(index &+ 1)" } else { "" }
    return Failure(
      .mendJob,
      "is \(layout.name) and has no channel\(name); its channels are 1 to \(layout.count)",
      location: location, origin: segment.origin)
  }

  /// `mix`, whose own zero lies at `start` on the timeline, on the frame grid.
  private func level(of mix: AudioMix, at start: Time) -> Level {
    func frames(_ range: TimeRange) -> Range<Int64> {
      let first = (start + range.start).frame(atRate: format.sampleRate)
      return first..<max(first, (start + range.end).frame(atRate: format.sampleRate))
    }
    let envelopes = (mix.volume == .unity ? [] : [mix.volume]) + mix.envelopes
    let isPanned = format.channelLayout.count > 1 && !mix.pan.isCentre
    return Level(
      gain: Float(mix.gain.factor) * (mix.invertsPolarity ? -1 : 1),
      envelopes: envelopes.map { envelope in
        Level.Envelope(
          Float(envelope.initial.factor),
          envelope.ramps.map { ramp in
            Level.Ramp(
              frames: frames(ramp.timeRange), start: Float(ramp.startVolume.factor),
              end: Float(ramp.endVolume.factor), curve: ramp.curve)
          })
      },
      pan: isPanned
        ? Level.Envelope(
          Float(mix.pan.initial.position),
          mix.pan.ramps.map { ramp in
            Level.Ramp(
              frames: frames(ramp.timeRange), start: Float(ramp.start.position),
              end: Float(ramp.end.position), curve: .linear)
          }) : nil)
  }
}

extension Segment {
  /// Whether its content is changed besides its place: it then has a grid of its own.
  fileprivate func isProcessed(by algorithm: TimePitchAlgorithm) -> Bool {
    isReversed || !effects.allSatisfy(\.isNeutral) || loudness != nil
      || isScaled && !isAssetVarispeed(algorithm)
  }

  /// Whether its speed is part of resampling the asset.
  fileprivate func isAssetVarispeed(_ algorithm: TimePitchAlgorithm) -> Bool {
    guard isScaled, algorithm == .varispeed, case .asset = content else { return false }
    return true
  }
}

extension Export {
  /// The chapters that begin in the written part, in its own time and in order. A chapter that is
  /// under way at the start begins with the part; where it is the only one, the part lies within a
  /// chapter and has none. A chapter on the frame after the last of `frames` belongs to the next
  /// part.
  func chapters(in frames: Range<Int64>, rate: Int) -> [Chapter] {
    let all = (chapters + composition.chapters).sortedByStart
    guard let timeRange else { return all.placeable(among: frames.count, rate: rate) }
    let first = all.lastIndex { $0.start <= timeRange.start } ?? 0
    let touched = all.dropFirst(first).filter { chapter in
      let frame = (chapter.start - timeRange.start).frames(atRate: rate)
      return chapter.start < timeRange.end && (frame <= 0 || frame < frames.count)
    }
    if touched.count == 1, let only = touched.first, only.start <= timeRange.start { return [] }
    return touched.map { chapter in
      var moved = chapter
      moved.start = max(.zero, chapter.start - timeRange.start)
      return moved
    }
    .placeable(among: frames.count, rate: rate)
  }
}

extension Sink {
  /// The chapters that its file would have of those of a media file that is all of it, at its own rate.
  package func placeable(_ chapters: [Chapter]) -> [Chapter] {
    let rate = output.sampleRate ?? 1
    return chapters.sortedByStart.placeable(among: frames.count, rate: rate)
      .distinct(in: output, as: format.kind, rate: rate)
  }
}

extension [Chapter] {
  /// These chapters without chapters of media files that would not last a frame.
  fileprivate func placeable(among frameCount: Int, rate: Int) -> [Chapter] {
    let sound = 0..<Int64(Swift.max(1, frameCount))
    func frame(_ chapter: Chapter) -> Int64 { chapter.start.frames(atRate: rate) }
    return filter { !$0.isInherited || sound.contains(frame($0)) }.lasting(by: frame)
  }

  /// These chapters without those of media files that would begin at the moment of another one by the
  /// clock of the file that they go into.
  func distinct(in output: Output, as kind: Output.Kind, rate: Int) -> [Chapter] {
    guard output.chapters.inFile, let clock = output.capabilities(as: kind).chapterBounds?.rate
    else {
      return self
    }
    return lasting { Time(frames: $0.start.frames(atRate: rate), rate: rate).frames(atRate: clock) }
  }
}
