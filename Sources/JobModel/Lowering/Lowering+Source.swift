import Diagnosis
import MediaComposition
import MediaTime

/// What counts before an item is edited: ranges, and levels in the time of the source.
extension Lowering {
  /// How long a sound takes to become silent before a muted range, and to rise after it: long
  /// enough for no click, and shorter than a sound of speech.
  private static let muteRamp = Time(value: 5, timescale: 1000)

  /// Written ranges in the item's time after its range, in order; ranges that overlap or touch are
  /// one. nil after a report.
  ///
  /// Of ranges in the time of the source, those outside the item's range are left out. Words count beside
  /// them.
  mutating func ranges(
    _ written: [Located<ItemRange>], _ key: ClockedKey, of lowered: LoweredItem,
    from content: LoweredItem?, by item: Item, at place: ItemPlace
  ) -> [Located<TimeRange>]? {
    var content = item.clocks[key] == .source ? content : nil
    content?.speech = lowered.speech
    var found: [Located<TimeRange>] = []
    var isWhole = true
    for range in written {
      let written = part(
        range.value, of: content ?? lowered, at: place, content == nil ? .edits : .content,
        else: range.origin)
      let part = written.flatMap {
        key == .cut ? snapped($0, of: content ?? lowered, by: item, else: range.origin) : $0
      }
      guard let part else {
        isWhole = false
        continue
      }
      guard content != nil else {
        found.append(Located(part, at: range.origin))
        continue
      }
      let start = max(part.start - lowered.source.start, .zero)
      let end = min(part.end - lowered.source.start, lowered.duration)
      if start < end { found.append(Located(TimeRange(start: start, end: end), at: range.origin)) }
    }
    for (selection, use) in item.words(for: key) {
      guard let ranges = ranges(of: selection, use, in: lowered, by: item, at: place) else {
        isWhole = false
        continue
      }
      found += ranges
    }
    return isWhole ? found.merged : nil
  }

  /// The levels of the item before its edits, in its time after its range; nil after a report.
  mutating func sourceMix(
    of item: Item, _ lowered: LoweredItem, from content: LoweredItem?, at place: ItemPlace
  ) -> AudioMix? {
    var mix = AudioMix.unity
    if let content {
      if item.clocks[.volume] == .source {
        addVolume(of: item, content, at: place, .content, to: &mix)
      }
      if item.clocks[.pan] == .source { addPan(of: item, content, at: place, .content, to: &mix) }
      mix = mix.delayed(by: -lowered.source.start)
    }
    redactions = []
    guard !item.mutes.isEmpty || item.mutedWords != nil else { return mix }
    guard let ranges = ranges(item.mutes, .mute, of: lowered, from: content, by: item, at: place)
    else { return nil }
    if !ranges.isEmpty {
      mix.envelopes.append(Self.envelope(silencing: ranges.map(\.value), of: lowered.duration))
      redactions = ranges.map { SegmentSpeech.Redaction($0.value, text: item.redaction) }
    }
    return mix
  }

  /// Remarks when the points of the item that count in the time of its source are heard.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - lowered: It, when its time is final.
  ///   - content: It, before its range was taken.
  ///   - range: What was taken.
  ///   - place: Of the item.
  mutating func remarkClocks(
    of item: Item, _ lowered: LoweredItem, from content: LoweredItem, _ range: TimeRange,
    at place: ItemPlace
  ) {
    let (edits, trimmed) = (edits, trimmed)
    func heard(_ time: Time) -> Time? {
      guard range.contains(time) else { return nil }
      let inRange = time - range.start
      guard let edited = edits.isEmpty ? inRange : edits.edited(inRange) else { return nil }
      let whole = edits.isEmpty ? range.duration : edits.reduce(.zero) { $0 + $1.duration }
      let left = trimmed ?? TimeRange(start: .zero, duration: whole)
      guard left.contains(edited) else { return nil }
      let sounding = item.isReversed ? left.end - edited : edited - left.start
      guard let speed = item.speed?.value else { return sounding }
      return sounding.multiplied(by: speed.denominator, over: speed.numerator)
    }
    let points: [(ClockedKey, [Located<Moment>])] = [
      (.volume, item.volume.map(\.moment)), (.pan, item.pan.map(\.moment)),
    ]
    for (key, moments) in points where item.clocks[key] == .source && moments.count > 1 {
      for moment in moments {
        guard let time = time(moment, of: content, at: place, .content) else { continue }
        let heard = heard(time)
        guard heard != time else { continue }
        remark(
          heard.map { "\(Self.text(time)) of the source is \(Self.text($0)) of \(lowered.name)" }
            ?? "\(Self.text(time)) of the source is not heard in \(lowered.name)", at: moment.origin
        )
      }
    }
  }

  /// Silence over ranges in order that do not touch. The ramps lie outside them, and two between
  /// neighbours share the time there.
  private static func envelope(
    silencing ranges: [TimeRange], of duration: Time
  ) -> VolumeEnvelope {
    var ramps: [VolumeRamp] = []
    var before = Time.zero
    for (index, range) in ranges.enumerated() {
      let isLast = index == ranges.count - 1
      let room = range.start - before
      let fall = min(muteRamp, index == 0 ? room : room.multiplied(by: 1, over: 2))
      let rest = (isLast ? duration : ranges[index + 1].start) - range.end
      let rise = min(muteRamp, isLast ? rest : rest.multiplied(by: 1, over: 2))
      if fall > .zero {
        ramps.append(
          VolumeRamp(
            from: .unity, to: .silence, over: TimeRange(start: range.start - fall, duration: fall)))
      }
      if rise > .zero {
        ramps.append(
          VolumeRamp(from: .silence, to: .unity, over: TimeRange(start: range.end, duration: rise)))
      }
      before = range.end
    }
    return VolumeEnvelope(ramps, initial: ranges.first?.start == .zero ? .silence : .unity)
  }
}

extension [Located<TimeRange>] {
  /// In order, those that overlap or touch as one, at the place of the first. O(n log n)
  var merged: [Located<TimeRange>] {
    var result: [Located<TimeRange>] = []
    for range in sorted(by: { $0.value.start < $1.value.start }) {
      guard let last = result.last, range.value.start <= last.value.end else {
        result.append(range)
        continue
      }
      let end = Swift.max(last.value.end, range.value.end)
      result[result.count - 1].value = TimeRange(start: last.value.start, end: end)
    }
    return result
  }
}

extension [TimeRange] {
  /// What is between these ranges, which are in order and do not touch, and the ends of `duration`.
  func gaps(in duration: Time) -> [TimeRange] {
    var gaps: [TimeRange] = []
    var time = Time.zero
    for range in self {
      if time < range.start { gaps.append(TimeRange(start: time, end: range.start)) }
      time = range.end
    }
    if time < duration { gaps.append(TimeRange(start: time, end: duration)) }
    return gaps
  }
}

extension AudioMix {
  /// Adds a move of the volume from one gain to another, with one of the picture.
  mutating func addRamp(
    from start: Gain, to end: Gain, over range: TimeRange, _ curve: VolumeCurve,
    _ picture: PictureTransition?
  ) {
    envelopes.append(
      VolumeEnvelope([
        VolumeRamp(from: start, to: end, over: range, curve: curve, picture: picture)
      ]))
  }

  /// The share of it that is heard in `range`, in the time of that. O(envelopes · log ramps + the
  /// ramps in the range)
  func part(_ range: TimeRange) -> AudioMix {
    var part = self
    part.envelopes = []
    for envelope in envelopes {
      let ramps = envelope.ramps.touching(range, \.timeRange)
      let before = ramps.startIndex > 0 ? envelope.ramps[ramps.startIndex - 1].endVolume : nil
      let initial = before ?? envelope.initial
      if ramps.isEmpty {
        part.gain = part.gain * initial
      } else {
        part.envelopes.append(VolumeEnvelope(Array(ramps), initial: initial))
      }
    }
    let ramps = pan.ramps.touching(range, \.timeRange)
    let before = ramps.startIndex > 0 ? pan.ramps[ramps.startIndex - 1].end : nil
    part.pan = PanEnvelope(before ?? pan.initial, ramps: Array(ramps))
    return part.delayed(by: -range.start)
  }
}

extension Array {
  /// The ramps, in order of time, that are under way in `range`. O(log n)
  fileprivate func touching(
    _ range: TimeRange, _ time: (Element) -> TimeRange
  ) -> ArraySlice<Element> {
    let start = partitioningIndex { time($0).end > range.start }
    let end = partitioningIndex { time($0).start >= range.end }
    return self[start..<Swift.max(start, end)]
  }
}
