import Diagnosis
import MediaTime
import Synchronization

extension Effect {
  /// A processor of the program's own (`MTAudioProcessingTapCreate`, an `AVAudioUnit` in an
  /// `AVAudioEngine`). The sound is rendered, never copied.
  public static func processor(_ processor: some AudioProcessor) -> Effect {
    .custom(CustomEffect(.processor(processor)))
  }

  /// Passes the sound on as it is, and every block of it to a closure
  /// (`AVAudioNode.installTap(onBus:bufferSize:format:block:)`).
  ///
  /// Buffers are planar floats, with the moment in the effect's own sound: zero is the start of the
  /// segment that has the effect. An export renders a sound with a tap in order, on one thread;
  /// measurements before it, and players after a seek, are renderings of their own, so that a buffer
  /// may come again; the first one after a seek begins up to 4095 frames before what is heard. The sound
  /// is encoded and not copied.
  ///
  /// - Parameters:
  ///   - name: For plans and messages.
  ///   - body: Called on the rendering thread for each block: it should be quick.
  /// - Returns: The effect.
  public static func tap(
    _ name: String = "tap", _ body: @escaping @Sendable (PCMBuffer) -> Void
  ) -> Effect {
    .custom(CustomEffect(.tap(name, body)))
  }
}

/// An effect that is code of the program: a processor or a tap.
///
/// Equal processors have one identity; one without is equal to its copies alone. Processors with an
/// identity, and taps, can be encoded, for digests; none can be decoded.
public struct CustomEffect: Sendable, Hashable {
  package enum Work: Sendable {
    case processor(any AudioProcessor)
    case tap(String, @Sendable (PCMBuffer) -> Void)
  }

  /// What tells it from others.
  private enum Key: Hashable {
    case declared(String)
    case number(UInt64)
  }

  package let work: Work
  private let key: Key
  /// Of those that no text stands for.
  private static let count = Atomic<UInt64>(0)

  init(_ work: Work) {
    self.work = work
    key =
      if case .processor(let processor) = work, let identity = processor.identity {
        .declared(identity)
      } else {
        .number(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)
      }
  }

  /// The processor's name, or the tap's.
  public var name: String {
    switch work {
    case .processor(let processor): processor.name
    case .tap(let name, _): name
    }
  }

  /// Equal effects make the same sound.
  public static func == (one: Self, other: Self) -> Bool { one.key == other.key }

  /// By what equality is decided by.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }

  /// How much longer a sound is made for it.
  var tail: Time {
    if case .processor(let processor) = work { processor.tail } else { .zero }
  }

  /// Whether its sound comes in the order of time, on one thread: a tap is no part of the sound.
  package var isTap: Bool { if case .tap = work { true } else { false } }

  /// Frames before and after a frame that it depends on; nil: all before it.
  package func window(atRate sampleRate: Int) -> (before: Int, after: Int)? {
    guard case .processor(let processor) = work else { return (0, 0) }
    guard case .time(let time) = processor.memory else { return nil }
    let before = time.frames(atRate: sampleRate, rounding: .towardPositiveInfinity)
    return (Int(before), processor.latency(atRate: sampleRate))
  }

  private static let longestTail: Int64 = 60
  private static let longestMemory: Int64 = 3600

  /// What it declares and no renderer can do, in words; nil where all is possible.
  var problem: String? {
    guard case .processor(let processor) = work else { return nil }
    func isOutside(_ time: Time, _ seconds: Int64) -> Bool {
      !time.isNumeric || time < .zero || time > Time(value: seconds, timescale: 1)
    }
    if isOutside(processor.tail, Self.longestTail) {
      return "declares a tail of \(processor.tail.inWords); 0 to \(Self.longestTail) s are possible"
    }
    if case .time(let time) = processor.memory, isOutside(time, Self.longestMemory) {
      return "declares a memory of \(time.inWords); 0 to \(Self.longestMemory) s are possible, and "
        + "'.unbounded'"
    }
    return nil
  }

  /// As `problem`, of what it declares for a rate.
  package func problem(atRate sampleRate: Int) -> String? {
    guard case .processor(let processor) = work else { return nil }
    let (latency, most) = (processor.latency(atRate: sampleRate), 60 * sampleRate)
    guard !(0...most ~= latency) else { return nil }
    return "declares a latency of \(latency) frames at \(sampleRate) Hz; 0 to \(most) are possible"
  }
}

extension Time {
  fileprivate var inWords: String { isNumeric ? "\(seconds) s" : "\(self)" }
}

extension CustomEffect: Codable {
  private enum CodingKeys: CodingKey { case name, identity }

  /// Writes the identity of a processor; that of all taps is the same, since they change no sound.
  ///
  /// - Throws: `mendJob` for a processor without an identity.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    guard case .processor(let processor) = work else {
      return try container.encode("tap", forKey: .name)
    }
    guard let identity = processor.identity else {
      throw Failure(
        .mendJob,
        "the processor '\(name)' has no identity, so that nothing can stand for its sound; declare "
          + "'identity', or ask for no fingerprint")
    }
    try container.encode(identity, forKey: .identity)
  }

  /// Refuses: code of a program cannot be read from a file.
  ///
  /// - Throws: `mendJob`.
  public init(from decoder: any Decoder) throws {
    throw Failure(
      .mendJob, "an effect is code of the program that wrote this; make the export there")
  }
}

extension CustomEffect: CustomStringConvertible {
  /// For example `processor "Gain"`.
  public var description: String { (isTap ? "tap " : "processor ") + "\"\(name)\"" }
}

extension Composition {
  /// The processors and taps of its segments, nested ones too. O(segments).
  package var customEffects: [CustomEffect] {
    tracks.filter(\.sounds).flatMap(\.segments).flatMap { segment -> [CustomEffect] in
      let own = segment.effects.compactMap { effect -> CustomEffect? in
        if case .custom(let custom) = effect { custom } else { nil }
      }
      guard case .composition(let inner) = segment.content else { return own }
      return inner.customEffects + own
    }
  }
}
