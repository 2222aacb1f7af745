import Diagnosis
import MediaComposition
import MediaTime

extension Lowering {
  /// The levels of the item over the duration of `lowered`.
  mutating func mix(_ item: Item, _ lowered: LoweredItem, at place: ItemPlace) -> AudioMix {
    var mix = AudioMix(gain: item.gain?.value ?? .unity, invertsPolarity: item.invertsPolarity)
    if item.clocks[.volume] != .source { addVolume(of: item, lowered, at: place, .level, to: &mix) }
    if item.clocks[.pan] != .source { addPan(of: item, lowered, at: place, .level, to: &mix) }
    if let fade = item.fadeIn, let duration = duration(of: fade, "fade-in", lowered) {
      let range = TimeRange(start: .zero, duration: duration)
      mix.addRamp(
        from: .silence, to: .unity, over: range, fade.value.curve ?? .linear,
        fade.value.cutsPicture ? nil : .black)
    }
    if let fade = item.fadeOut, let duration = duration(of: fade, "fade-out", lowered) {
      let range = TimeRange(start: lowered.duration - duration, duration: duration)
      mix.addRamp(
        from: .unity, to: .silence, over: range, fade.value.curve ?? .linear,
        fade.value.cutsPicture ? nil : .black)
    }
    guard item.isMuted else { return mix }
    // The rest was checked all the same: errors count in muted items too. Their picture is seen.
    let moves = mix.envelopes.filter { $0.ramps.contains { $0.picture != nil } }
    return AudioMix(gain: .silence, envelopes: moves)
  }

  /// A track's ducking with exact times.
  mutating func ducking(_ written: ItemDucking) -> AudioDucking {
    var ducking = AudioDucking(under: written.under.map(\.value), by: written.depth)
    ducking.threshold = written.threshold ?? ducking.threshold
    for (time, name, path) in [
      (written.attack, "attack", \AudioDucking.attack), (written.hold, "hold", \.hold),
      (written.release, "release", \.release),
    ] {
      guard let time, let length = self.time(time, rate: sampleRate) else { continue }
      ducking[keyPath: path] = length
      guard length > AudioDucking.longestTime else { continue }
      let most = Self.text(AudioDucking.longestTime)
      error(
        "the \(name) lasts \(Self.text(length)), but \(most) at most", at: time.origin,
        help: "make it shorter, or write 'volume' points")
    }
    return ducking
  }

  private mutating func duration(
    of fade: Located<Fade>, _ kind: String, _ lowered: LoweredItem
  ) -> Time? {
    let text = Located(fade.value.duration, at: fade.origin)
    guard let duration = time(text, rate: lowered.rate), duration > .zero else { return nil }
    guard duration <= lowered.duration + Self.slack else {
      let lengths = lengths(duration, lowered.duration)
      error(
        "the \(kind) lasts \(lengths.a), but \(lowered.name) only \(lengths.b)", at: fade.origin,
        help: "make it shorter")
      return nil
    }
    return min(duration, lowered.duration)
  }

  /// A volume curve from point to point. One point is a gain.
  mutating func addVolume(
    of item: Item, _ lowered: LoweredItem, at place: ItemPlace, _ stage: Stage,
    to mix: inout AudioMix
  ) {
    let points = points(item.volume, .volume, lowered, at: place, stage)
    noteClocks(item, item.volume.map(\.moment), .volume, lowered, at: place)
    guard points.contains(where: { $0.value != .unity }) else { return }
    guard points.count > 1 else {
      mix.gain = mix.gain * (points.first?.value ?? .unity)
      return
    }
    mix.envelopes.append(
      VolumeEnvelope(
        zip(points, points.dropFirst()).map { a, b in
          VolumeRamp(
            from: a.value, to: b.value, over: TimeRange(start: a.time, end: b.time),
            curve: item.volumeCurve)
        }))
  }

  /// A pan from point to point. One point holds.
  mutating func addPan(
    of item: Item, _ lowered: LoweredItem, at place: ItemPlace, _ stage: Stage,
    to mix: inout AudioMix
  ) {
    let points = points(item.pan, .pan, lowered, at: place, stage)
    noteClocks(item, item.pan.map(\.moment), .pan, lowered, at: place)
    guard let first = points.first, points.contains(where: { $0.value != .centre }) else { return }
    mix.pan = PanEnvelope(
      first.value,
      ramps: zip(points, points.dropFirst()).map { a, b in
        PanRamp(from: a.value, to: b.value, over: TimeRange(start: a.time, end: b.time))
      })
  }

  /// Notes the moment of the first point that 'cut' moves, unless a clock is named: cuts count
  /// before the cut, points after it.
  private mutating func noteClocks(
    _ item: Item, _ moments: [Located<Moment>], _ key: ClockedKey, _ lowered: LoweredItem,
    at place: ItemPlace
  ) {
    guard item.clocks[key] == nil, item.pauses == nil, item.trim == nil, item.isCut,
      !item.isReversed, item.speed?.value.isUnity ?? true
    else { return }
    for moment in moments where moment.value.anchor == .start {
      guard let time = time(moment, of: lowered, at: place, .level),
        let original = edits.original(of: time), original != time
      else { continue }
      let instead = edits.edited(time).map {
        "; for \(Self.text(time)) before it write '\(Self.text($0))', or name a 'clock'"
      }
      return note(
        "this point is at \(Self.text(time)) after 'cut', which is \(Self.text(original)) before it",
        at: moment.origin,
        help: "times of 'cut' count before the cut, those of '\(key.rawValue)' after it"
          + (instead ?? "; or name a 'clock'"))
    }
  }

  private mutating func points<Value>(
    _ written: [ItemPoint<Value>], _ key: ClockedKey, _ lowered: LoweredItem,
    at place: ItemPlace, _ stage: Stage
  ) -> [(time: Time, value: Value)] {
    var points: [(time: Time, value: Value, origin: Origin)] = []
    for point in written {
      let moment = point.moment
      guard let time = time(moment, of: lowered, at: place, stage) else { continue }
      guard time >= .zero else {
        error(
          "this point is before the start of \(lowered.name)", at: moment.origin,
          help: "write a later time")
        continue
      }
      points.append((time, point.value, moment.origin))
    }
    points.sort { $0.time < $1.time }
    for (a, b) in zip(points, points.dropFirst()) where a.time == b.time {
      error(
        "two points of the \(key.rawValue) at one time", at: b.origin,
        help: "leave one of them out",
        notes: [.init("the other one is here", at: a.origin)])
    }
    return points.map { ($0.time, $0.value) }
  }
}
