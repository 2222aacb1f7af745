import TestSupport
import Testing

@testable import LibAV

@Suite("Rows of filters, some of which get no sound beyond full scale")
struct FilterRowTests {
  private typealias Filter = FilterChain.Filter

  private static func filter(
    _ name: String, _ arguments: String = "", _ excess: Filter.Excess? = nil
  ) -> Filter {
    var filter = Filter(name, arguments: arguments)
    filter.excess = excess
    return filter
  }

  private static let loud = Signal.noise(seed: 21, count: 20_000, amplitude: 5)
  private static let soft = Signal.noise(seed: 22, count: 20_000, amplitude: 1)
  /// Frames of libavfilter's that fit into no block of ours.
  private static let cut = filter("asetnsamples", "n=1000:p=0")

  @Test("what is beyond full scale passes a filter, to the sample, or is left out")
  func excess() throws {
    let clipped = Self.loud.map { min(max($0, -1), 1) }
    let beyond = zip(Self.loud, clipped).map { $0 - $1 }
    let cases: [([Filter], [Float])] = [
      ([Self.filter("anull", "", .passed)], Self.loud),
      ([Self.filter("anull", "", .dropped)], clipped),
      ([Self.filter("volume", "0", .passed)], beyond),
      ([Self.filter("volume", "0", .passed), Self.filter("volume", "0.5")], beyond.map { $0 / 2 }),
      (
        [Self.filter("volume", "0.5"), Self.filter("anull", "", .dropped)],
        Self.loud.map { min(max($0 / 2, -1), 1) }
      ),
      (
        [Self.filter("anull", "", .passed), Self.filter("volume", "0", .dropped)],
        beyond.map { _ in 0 }
      ),
    ]
    for (filters, expected) in cases {
      for row in [filters, [Self.cut] + filters, filters + [Self.cut]] {
        let channels = try run(row, [Self.loud, Self.loud.map { -$0 }])
        #expect(channels[0].count >= 19_000)
        #expect(channels[0].elementsEqual(expected.prefix(channels[0].count)), "\(row)")
        #expect(channels[1] == channels[0].map { -$0 }, "\(row)")
      }
    }
  }

  @Test("a sound within full scale comes out bit for bit as of the filters alone")
  func within() throws {
    let filters = [("deesser", "i=0.8"), ("acompressor", "ratio=4"), ("highpass", "f=80")]
    for (name, arguments) in filters {
      let chain = try FilterChain.open(
        [Self.filter(name, arguments)], sampleRate: 48_000, channelCount: 1)
      let alone = try filtered(
        [Self.soft], inBlocksOf: 3001, feed: { try chain.feed($0, count: $1) },
        take: { try chain.take(into: $0, at: 0, capacity: $1) })[0]
      let bound = try run([Self.filter(name, arguments, .passed)], [Self.soft])[0]
      #expect(bound.map(\.bitPattern) == alone.map(\.bitPattern), "\(name)")
    }
  }

  @Test("filters behind one of its own chain see the time of the sound, from any start")
  func time() throws {
    for start in [0, 8000, 11_200] as [Int64] {
      let row = [
        Self.filter("asetnsamples", "n=64:p=0"), Self.filter("anull", "", .passed),
        Self.filter("volume", "0:enable=gte(t,1.5)"),
      ]
      let sound = try run(row, [Self.soft], rate: 8000, start: start)[0]
      let place = Int(12_000 - start)
      let first = try #require(sound.firstIndex { $0 == 0 })
      #expect(abs(first - place) <= 64, "\(start)")
      #expect(sound[first...].allSatisfy { $0 == 0 })
    }
  }

  @Test("a row without filters gives what it gets")
  func empty() throws {
    #expect(try run([], [Self.loud])[0] == Self.loud)
  }

  @Test("a filter that there is not is an error wherever it stands")
  func refuses() throws {
    for place in 0..<3 {
      var row = [Self.filter("anull"), Self.filter("anull", "", .passed), Self.filter("anull")]
      row[place] = Self.filter("anil", "", row[place].excess)
      let error = #expect(throws: LibAVError.self) {
        try FilterRow.open(row, sampleRate: 8000, channelCount: 1)
      }
      #expect(error?.isMissingFilter == true && error?.operation == "anil")
    }
  }

  /// What a row gives for whole channels.
  private func run(
    _ filters: [Filter], _ channels: [[Float]], rate: Int = 48_000, start: Int64 = 0
  ) throws -> [[Float]] {
    let row = try FilterRow.open(
      filters, sampleRate: rate, channelCount: channels.count, start: start)
    return try filtered(
      channels, inBlocksOf: 3001, feed: { try row.feed($0, count: $1) },
      take: { try row.take(into: $0, at: 0, capacity: min($1, 777)) })
  }
}
