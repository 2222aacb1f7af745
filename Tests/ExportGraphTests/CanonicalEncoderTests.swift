import Diagnosis
import MediaComposition
import MediaTime
import SystemPackage
import TestSupport
import Testing

@testable import ExportGraph

@Suite("A value as bytes for a digest")
struct CanonicalEncoderTests {
  private func bytes(
    _ value: some Encodable, naming name: @escaping (MediaLocation) -> [UInt8] = \.bytes
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try CanonicalEncoder(naming: name) { bytes += $0 }.encode(value)
    return bytes
  }

  /// Lists, maps and leaves, in every nesting.
  private indirect enum Tree: Encodable, Hashable {
    case leaf(String)
    case number(Int)
    case nothing
    case list([Tree])
    case map([Entry])
    case packed([Tree])

    struct Entry: Hashable {
      var key: String
      var value: Tree
    }

    struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(_ text: String) { stringValue = text }
      init?(stringValue: String) { self.init(stringValue) }
      init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .leaf(let text):
        var container = encoder.singleValueContainer()
        try container.encode(text)
      case .number(let number):
        var container = encoder.singleValueContainer()
        try container.encode(number)
      case .nothing:
        var container = encoder.singleValueContainer()
        try container.encodeNil()
      case .list(let trees):
        var container = encoder.unkeyedContainer()
        for tree in trees { try container.encode(tree) }
      case .map(let entries):
        var container = encoder.container(keyedBy: Key.self)
        for entry in entries { try container.encode(entry.value, forKey: Key(entry.key)) }
      case .packed(let trees):
        // Containers that nobody closes.
        var container = encoder.container(keyedBy: Key.self)
        for tree in trees {
          var nested = container.nestedUnkeyedContainer(forKey: Key("n"))
          try nested.encode(tree)
        }
      }
    }

    static func random(depth: Int, _ dice: inout Dice) -> Tree {
      let count = Int(dice.number(0..<3))
      switch dice.number(0..<(depth > 0 ? 6 : 3)) {
      case 0: return .leaf(["", "a", "{", "k", "}"][Int(dice.number(0..<5))])
      case 1: return .number(Int(dice.number(-1..<2)))
      case 2: return .nothing
      case 3: return .list((0..<count).map { _ in random(depth: depth - 1, &dice) })
      case 4:
        return .map(
          (0..<count).map { _ in
            Entry(
              key: ["a", "b", "n"][Int(dice.number(0..<3))], value: random(depth: depth - 1, &dice))
          })
      default: return .packed((0..<count).map { _ in random(depth: depth - 1, &dice) })
      }
    }

    /// What an encoder is told, in which an empty list is an empty map.
    var told: Tree {
      switch self {
      case .leaf, .number, .nothing: self
      case .list(let trees): .list(trees.map(\.told))
      case .map(let entries) where entries.isEmpty: .list([])
      case .map(let entries): .map(entries.map { Entry(key: $0.key, value: $0.value.told) })
      case .packed(let trees) where trees.isEmpty: .list([])
      case .packed(let trees):
        .map(trees.map { Entry(key: "n", value: .list([$0.told])) })
      }
    }
  }

  @Test("no two values have the same bytes, however they are nested")
  func injective() throws {
    var dice = Dice(1)
    var found: [[UInt8]: Tree] = [:]
    for _ in 0..<20_000 {
      let tree = Tree.random(depth: 3, &dice)
      let bytes = try bytes(tree)
      #expect(found.updateValue(tree.told, forKey: bytes).map { $0 == tree.told } ?? true)
    }
    #expect(found.count > 2000)
  }

  @Test("a container that another one was opened in front of is not written to any more")
  func closed() {
    struct Odd: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        var nested = container.nestedUnkeyedContainer()
        try container.encode(1)
        try nested.encode(2)
      }
    }
    #expect(throws: EncodingError.self) { try bytes(Odd()) }
  }

  @Test("a type without an order of its own is refused, wherever it stands")
  func unordered() {
    struct Holder<Value: Encodable>: Encodable { var list: [Value?] }
    #expect(throws: EncodingError.self) { try bytes(["a": 1]) }
    #expect(throws: EncodingError.self) { try bytes(Holder(list: [["a": 1]])) }
    #expect(throws: EncodingError.self) { try bytes(Holder(list: [nil, Set([1])])) }
    #expect(throws: Never.self) { try bytes(Holder(list: [[1]])) }
  }

  @Test("places in a job file and the identity of a file do not count; all else does")
  func whatCounts() throws {
    func segment(
      _ file: String = "a.wav", inode: UInt64 = 1, origin: UInt32 = 1, gain: Double = 1
    ) -> Segment {
      let asset = Asset(
        location: .file(FilePath(file)), streamIndex: 0, container: "wav", codec: "pcm_s16le",
        sampleRate: 10, channelLayout: .stereo, frameCount: 100,
        identity: FileIdentity(device: 1, inode: inode, size: 3, modificationTime: 4))
      return Segment(
        .asset(asset), source: TimeRange(start: .zero, duration: Time(value: 1, timescale: 1)),
        at: .zero, mix: AudioMix(gain: Gain(factor: gain)), origin: Origin(rawValue: origin))
    }
    let usual = try bytes(segment())
    #expect(try bytes(segment(inode: 2, origin: 9)) == usual)
    #expect(try bytes(segment("b.wav")) != usual)
    #expect(
      try bytes(segment("b.wav"), naming: { _ in [1] }) == bytes(segment(), naming: { _ in [1] }))
    #expect(try bytes(segment(gain: 0.5)) != usual)
  }

  @Test("a value of any size comes out whole, some KB at a time")
  func streaming() throws {
    let long = (0..<100_000).map { "\($0)" }
    var sizes: [Int] = []
    var all: [UInt8] = []
    try CanonicalEncoder(naming: \.bytes) {
      sizes.append($0.count)
      all += $0
    }.encode(long)
    #expect(all.count > 100_000 * 12)
    #expect(sizes.allSatisfy { $0 < 10_000 })
    #expect(try bytes(Array(long.dropLast())) != all)
  }
}
