import MediaComposition

/// What was done to a sound, in a few words each, for the text of a row of coding history (EBU R 98,
/// `T=`): levels and effects.
extension Graph {
  /// Words for one output; more are counted.
  private static let mostSteps = 12

  /// The changes of level and tone between sources and a node, in the order of the signal, each once. Texts
  /// are ASCII. O(n log n)
  func codingSteps(of node: Node.ID) -> [String] {
    var heard: Set<Node.ID> = []
    var open = [node]
    while let next = open.popLast() {
      guard heard.insert(next).inserted else { continue }
      // The sound that lowers another one is not heard here.
      if case .duck(let child, _, _) = nodes[next].kind {
        open.append(child)
      } else {
        open += nodes[next].kind.children
      }
    }
    var steps: [String] = []
    // Children stand before their parents.
    for step in heard.sorted().flatMap({ nodes[$0].codingSteps }) where !steps.contains(step) {
      steps.append(step)
    }
    guard steps.count > Self.mostSteps else { return steps }
    return steps.prefix(Self.mostSteps - 1) + ["\(steps.count - Self.mostSteps + 1) more"]
  }
}

extension Node {
  fileprivate var codingSteps: [String] {
    switch kind {
    case .source(let source, _):
      [source.selectionText(to: format.channelLayout)].compactMap(\.self) + level.codingSteps
    case .process(let process, _): process.codingSteps + level.codingSteps
    case .duck: ["duck"] + level.codingSteps
    case .mix, .convert, .excerpt: level.codingSteps
    }
  }
}

extension Level {
  fileprivate var codingSteps: [String] {
    var steps: [String] = []
    if let matrix { steps.append(matrix.selectionText) }
    if gain < 0 { steps.append("polarity inverted") }
    if abs(gain) != 1 {
      let text = gain == 0 ? "silence" : Gain(factor: Double(abs(gain))).decibels.signedTenths
      steps.append(gain == 0 ? text : "gain \(text.ascii) dB")
    }
    if rampsInOrder.contains(where: { $0.start != 1 || $0.end != 1 }) { steps.append("fade") }
    if pan != nil { steps.append("pan") }
    return steps
  }
}

extension SoundProcess {
  /// Time and loudness are told by what is heard and by the target.
  fileprivate var codingSteps: [String] {
    switch self {
    case .reverse, .varispeed, .stretch, .normalize: []
    case .filter(let effects): effects.map(\.codingName)
    case .delay(let settings): [Effect.delay(settings).codingName]
    case .reverb(let reverb): [Effect.reverb(reverb).codingName]
    case .leveler(let settings): [Effect.leveler(settings).codingName]
    case .limiter(let settings): [Effect.limiter(settings).codingName]
    case .custom(let effect): effect.isTap ? [] : [Effect.custom(effect).codingName]
    }
  }
}

extension Effect {
  /// Its name, with a setting where it has only one: `highpass 80 Hz`, `compressor`.
  fileprivate var codingName: String {
    if case .filter = self { return "filter" }
    let name = description.prefix { $0 != "(" }
    return String(name.last == " " ? name.dropLast() : name).ascii
  }
}

extension String {
  /// With the minus sign of ASCII.
  var ascii: String { String(map { $0 == "\u{2212}" ? "-" : $0 }) }
}
