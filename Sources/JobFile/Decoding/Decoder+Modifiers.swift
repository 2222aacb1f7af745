import Diagnosis
import JobModel
import MediaComposition
import MediaTime
import YAML

// MARK: - Channels and level

extension Decoder {
  /// What becomes of an item's channels and of their level; what `fields` leave out stays.
  func level(_ item: inout Item, _ fields: Fields, _ scope: Scope, in context: ItemContext) {
    func value<Value>(
      _ key: String, _ parse: (String) throws(QuantityError) -> Value
    ) -> Located<Value>? {
      self.value(fields[key]?.value, scope, parse)
    }
    if context == .job {
      item.channels = pickedChannel(of: item, fields, scope) ?? item.channels
    } else {
      item.channels = value("channels", Quantity.itemChannels) ?? item.channels
    }
    item.invertsPolarity = value("polarity", Quantity.polarity)?.value ?? item.invertsPolarity
    item.isMuted = value("mute", Quantity.boolean)?.value ?? item.isMuted
    item.gain =
      value("gain") { text throws(QuantityError) in try Gain(parsing: text) } ?? item.gain
    if let volume = fields["volume"] { self.volume(&item, volume.value, scope) }
    if let pan = fields["pan"] { item.pan = self.pan(pan.value, scope) }
    item.fadeIn = fade(fields["fade_in"]?.value, scope) ?? item.fadeIn
    item.fadeOut = fade(fields["fade_out"]?.value, scope) ?? item.fadeOut
  }

  /// The one channel that a job's `channels` picks of its clip; a layout is the mix's, and not the
  /// item's.
  private func pickedChannel(
    of item: Item, _ fields: Fields, _ scope: Scope
  ) -> Located<ItemChannels>? {
    guard let entry = fields["channels"], let text = text(entry.value, scope)?.string,
      let channels = try? Quantity.itemChannels(text), channels.isPick
    else { return nil }
    guard case .clip = item.content else {
      sink.error(
        "'\(text)' is a channel of a file, and this job is more than one clip",
        at: entry.value.origin, help: "give the clips 'channels', and the job 'mono' or 'stereo'")
      return nil
    }
    return Located(channels, at: entry.value.origin)
  }

  /// The layout of a job's mix: mono where one channel is picked.
  func mixChannels(_ fields: Fields, _ scope: Scope) -> Located<ChannelLayout>? {
    value(fields["channels"]?.value, scope) { text throws(QuantityError) in
      if let channels = try? Quantity.itemChannels(text), channels.isPick { return .mono }
      return try Quantity.channels(text)
    }
  }

  /// Points, or `{ points: …, curve: … }`.
  private func volume(_ item: inout Item, _ node: YAMLNode, _ scope: Scope) {
    guard case .mapping(let entries) = node.kind else { return }
    guard entries.contains(where: { Schema.volume[$0.key] != nil }) else {
      item.volume = points(entries, scope)
      item.volumeCurve = .linear
      return
    }
    guard let fields = fields(of: node, as: .volume) else { return }
    if let curve = value(fields["curve"]?.value, scope, Quantity.curve) {
      item.volumeCurve = curve.value
    }
    guard case .mapping(let points)? = fields["points"]?.value.kind else {
      if !fields.isIncomplete {
        sink.error(
          "a volume needs 'points'", at: node.origin,
          help: "write { points: { 0s: 0 dB, 30s: -6 dB }, curve: exponential }")
      }
      return
    }
    item.volume = self.points(points, scope)
  }

  private func points(_ entries: [YAMLEntry], _ scope: Scope) -> [VolumePoint] {
    entries.compactMap { entry in
      let gain = value(entry.value, scope) { text throws(QuantityError) in try Gain(parsing: text) }
      guard let moment = keyMoment(entry), let gain else { return nil }
      return VolumePoint(moment, gain.value)
    }
  }

  /// One place, or points.
  private func pan(_ node: YAMLNode, _ scope: Scope) -> [PanPoint] {
    guard case .mapping(let entries) = node.kind else {
      return value(node, scope, Quantity.pan).map {
        [PanPoint(Located(.start, at: $0.origin), $0.value)]
      } ?? []
    }
    return entries.compactMap { entry in
      let pan = value(entry.value, scope, Quantity.pan)
      guard let moment = keyMoment(entry), let pan else { return nil }
      return PanPoint(moment, pan.value)
    }
  }

  /// A key that is a time.
  func keyMoment(_ entry: YAMLEntry) -> Located<Moment>? {
    do throws(QuantityError) {
      return Located(try Moment(parsing: entry.key), at: entry.keyOrigin)
    } catch {
      sink.error(error.message, at: entry.keyOrigin, help: error.help)
      return nil
    }
  }
}

// MARK: - Time

extension Decoder {
  /// What becomes of an item's time, and the filters behind it; what `fields` leave out stays.
  func edits(_ item: inout Item, _ fields: Fields, _ scope: Scope) {
    if let cut = fields["cut"] { item.cuts = ranges(cut.value, scope) }
    if let insert = fields["insert"] { item.insertions = insertions(insert.value, scope) }
    item.isReversed =
      value(fields["reverse"]?.value, scope, Quantity.boolean)?.value ?? item.isReversed
    if let speed = fields["speed"].flatMap({ speed($0.value, scope) }) {
      item.speed = speed.value.isUnity ? nil : speed
    }
    if let loop = value(fields["loop"]?.value, scope, Quantity.loop) {
      item.loop = loop.value == .count(1) ? nil : loop
    }
    if let effects = fields["effects"] { item.effects = self.effects(effects.value, scope) }
  }

  /// A factor, or a map with what becomes of the pitch.
  private func speed(_ node: YAMLNode, _ scope: Scope) -> Located<Speed>? {
    guard case .mapping = node.kind else { return value(node, scope, Quantity.speed) }
    guard let fields = fields(of: node, as: .speed) else { return nil }
    let isKept = value(fields["pitch"]?.value, scope) { text throws(QuantityError) in
      switch text {
      case "keep": return true
      case "follow": return false
      default:
        throw QuantityError(
          "'\(text)' is nothing that a pitch does", help: "write 'keep' or 'follow'")
      }
    }
    let algorithm = value(fields["algorithm"]?.value, scope) { text throws(QuantityError) in
      guard let algorithm = TimePitchAlgorithm(rawValue: text) else {
        throw QuantityError(
          "'\(text)' is no algorithm", help: "write 'spectral', 'time_domain' or 'varispeed'")
      }
      return algorithm
    }
    if let isKept, let algorithm, isKept.value == (algorithm.value == .varispeed) {
      sink.error(
        isKept.value
          ? "'varispeed' does not keep the pitch"
          : "'\(algorithm.value.rawValue)' keeps the pitch",
        at: algorithm.origin,
        help: isKept.value ? "write 'spectral' or 'time_domain'" : "write 'varispeed'",
        notes: [.init("the pitch is spoken of here", at: isKept.origin)])
    }
    guard let rate = fields["rate"]?.value else {
      if !fields.isIncomplete {
        sink.error("a speed needs a 'rate'", at: node.origin, help: "write { rate: 1.05 }")
      }
      return nil
    }
    guard var speed = value(rate, scope, Quantity.speed) else { return nil }
    let usual: TimePitchAlgorithm = isKept?.value == false ? .varispeed : .spectral
    speed.value.algorithm = algorithm?.value ?? usual
    return speed
  }

  private func effects(_ node: YAMLNode, _ scope: Scope) -> [Effect] {
    guard case .sequence(let nodes) = node.kind else { return [] }
    return nodes.flatMap { node -> [Effect] in
      guard case .mapping = node.kind else {
        return text(node, scope).flatMap { effect(named: $0.string, at: node.origin) }.map { [$0] }
          ?? []
      }
      guard let fields = fields(of: node, as: .effect) else { return [] }
      return fields.entries.compactMap { entry in
        switch entry.key {
        case "highpass":
          value(entry.value, scope, Quantity.frequency).map { .highpass(frequency: $0.value) }
        case "lowpass":
          value(entry.value, scope, Quantity.frequency).map { .lowpass(frequency: $0.value) }
        default:
          value(entry.value, scope, Quantity.reduction).map { .denoise(reduction: $0.value) }
        }
      }
    }
  }

  /// An effect without a setting.
  private func effect(named name: String, at origin: Origin) -> Effect? {
    guard let key = Schema.effect[name] else {
      let nearest = Spelling.nearest(to: name, among: Schema.effect.keys.map(\.name))
      let built = Schema.effect.keys.filter { $0.instead == nil }.map { "'\($0.name)'" }
      sink.error(
        "unknown effect '\(name)'", at: origin,
        help: nearest.map { "did you mean '\($0)'?" }
          ?? "the effects are \(built.joined(separator: ", "))")
      return nil
    }
    if let instead = key.instead {
      sink.error("'\(name)' is not built yet", at: origin, help: instead)
      return nil
    }
    // The default of FFmpeg's afftdn.
    if name == "denoise" { return .denoise(reduction: 12) }
    sink.error("'\(name)' needs a frequency", at: origin, help: "write '\(name): 80 Hz'")
    return nil
  }

  private func insertions(_ node: YAMLNode, _ scope: Scope) -> [Item] {
    guard case .sequence(let nodes) = node.kind else { return [] }
    return nodes.flatMap { node -> [Item] in
      items(node, scope, in: .insertion).filter { item in
        guard item.at == nil else { return true }
        // One that is no time has been told.
        if case .mapping(let entries) = node.kind, entries.contains(where: { $0.key == "at" }) {
          return false
        }
        sink.error(
          "an inserted item needs an 'at'", at: item.origin,
          help: "write { clip: ad.mp3, at: 1:30 }")
        return false
      }
    }
  }
}

// MARK: - Ranges

extension Decoder {
  private func ranges(_ node: YAMLNode, _ scope: Scope) -> [Located<ItemRange>] {
    guard case .sequence(let nodes) = node.kind else { return listedRanges(node, scope) }
    return nodes.compactMap { node in
      guard case .mapping = node.kind else {
        guard let text = text(node, scope) else { return nil }
        do throws(RangeError) {
          return Located(try range(text), at: text.origin)
        } catch {
          sink.error(error.reason.message, at: error.origin, help: error.reason.help)
          return nil
        }
      }
      guard let fields = fields(of: node, as: .range) else { return nil }
      guard let range = range(fields, scope) else {
        if !fields.isIncomplete, fields.entries.isEmpty {
          sink.error("an empty range", at: node.origin, help: "write { from: 1:00, to: 2:30 }")
        }
        return nil
      }
      return Located(range, at: node.origin)
    }
  }

  private struct RangeError: Error {
    var reason: QuantityError
    var origin: Origin
  }

  /// `FROM..TO`, `..TO`, `FROM..`, `FROM..+LENGTH`.
  private func range(_ text: Text) throws(RangeError) -> ItemRange {
    let scalars = Array(text.string.unicodeScalars)
    guard scalars.count > 2,
      let dot = scalars.indices.dropLast().first(where: {
        scalars[$0] == "." && scalars[$0 + 1] == "."
      })
    else {
      let meant = Self.range(meantBy: text.string) ?? "12:00..13:30"
      let reason = QuantityError("'\(text.string)' is no range", help: "write '\(meant)'")
      throw RangeError(reason: reason, origin: text.origin)
    }
    func located<Value>(
      _ part: Range<Int>, _ parse: (String) throws(QuantityError) -> Value
    ) throws(RangeError) -> Located<Value> {
      var view = String.UnicodeScalarView()
      view.append(contentsOf: scalars[part])
      let word = String(view).trimmingBlanks
      let origin = text.origin(of: part, in: map)
      do throws(QuantityError) {
        return Located(try parse(word), at: origin)
      } catch {
        throw RangeError(reason: error, origin: origin)
      }
    }
    func moment(_ text: String) throws(QuantityError) -> Moment { try Moment(parsing: text) }
    var range = ItemRange()
    if dot > 0 { range.from = try located(0..<dot, moment) }
    let tail = (dot + 2)..<scalars.count
    guard !tail.isEmpty else { return range }
    if scalars[tail.lowerBound] == "+" {
      range.end = .duration(try located((tail.lowerBound + 1)..<tail.upperBound, Self.time))
    } else {
      range.end = .moment(try located(tail, moment))
    }
    return range
  }
}

extension String {
  fileprivate var trimmingBlanks: String {
    var text = self[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
