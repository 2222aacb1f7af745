import TestSupport
import Testing

@testable import VideoBitstream

/// Streams of slice headers that are valid and more varied than x264's.
private struct StreamMaker {
  private var dice: Dice
  let sets: H264.ParameterSets
  /// Half of the streams have CABAC, and orders of both fields.
  private let hasFieldOrders: Bool
  private var decoder: ReferenceDecoder
  private(set) var units: [[UInt8]] = []
  private(set) var orders: [Int] = []
  private(set) var areReferences: [Bool] = []
  /// The pictures in each list of each picture, by their place in order of decoding.
  private(set) var lists: [[[Int?]]] = []
  /// Where the open group begins.
  private(set) var entry = 0
  private var references = 0
  private var numbers: [Int: Int] = [:]

  init(seed: UInt64) throws {
    dice = Dice(seed)
    hasFieldOrders = seed % 2 == 0
    sets = try Self.makeSets(
      references: UInt32(dice.number(1..<6)), hasFieldOrders: hasFieldOrders)
    decoder = ReferenceDecoder(sets.sequence)
    try add(.i, isReference: true, order: 0, isIDR: true)
    var order = 0
    let entryGroup = dice.number(1..<6)
    for group in 0..<10 {
      let length = Int(dice.number(1..<5))
      order += 2 * length
      let isEntry = group == entryGroup
      if isEntry { entry = units.count }
      try add(
        isEntry ? .i : chance(20) ? .b : .p, isReference: isEntry || chance(90), order: order)
      for step in (1..<length).shuffled(using: &dice) {
        try add(chance(20) ? .p : .b, isReference: chance(40), order: order - 2 * step)
      }
    }
  }

  private mutating func chance(_ percent: Int64) -> Bool { dice.number(0..<100) < percent }

  private static func makeSets(references: UInt32, hasFieldOrders: Bool) throws
    -> H264.ParameterSets
  {
    var sequence = BitWriter()
    for byte: UInt32 in [0x67, 77, 0, 31] { sequence.bits(byte, 8) }
    for value in [0, 0, 0, 3, references] { sequence.unsigned(value) }
    sequence.flag(false)
    for value: UInt32 in [10, 8] { sequence.unsigned(value) }
    sequence.bits(0b1100, 4)
    sequence.trailingBits()
    var picture = BitWriter()
    picture.bits(0x68, 8)
    for value: UInt32 in [0, 0] { picture.unsigned(value) }
    picture.bits(hasFieldOrders ? 0b11 : 0, 2)
    for value: UInt32 in [0, 0, 0] { picture.unsigned(value) }
    picture.bits(0, 3)
    for value: Int32 in [0, 0, 0] { picture.signed(value) }
    picture.bits(0, 3)
    picture.trailingBits()
    return try H264.ParameterSets(
      sequences: [EscapedBytes.unit(of: sequence.bytes)],
      pictures: [EscapedBytes.unit(of: picture.bytes)])
  }

  private mutating func add(
    _ kind: H264.SliceHeader.Kind, isReference: Bool, order: Int, isIDR: Bool = false
  ) throws {
    if isIDR { references = 0 }
    var header = H264.SliceHeader(
      nal: .init(UInt8((isReference ? 0x60 : 0) | (isIDR ? 5 : 1))), firstMacroblock: 0,
      kind: kind, isKindOfPicture: chance(50), pictureParameterSetID: 0,
      frameNumber: UInt32(references & 15))
    // The lesser of both fields' orders counts.
    let fieldDelta = isIDR || !hasFieldOrders ? 0 : Int32(dice.number(-1..<2))
    header.bottomDelta = fieldDelta
    header.pictureOrderLSB = UInt32((order - Int(min(0, fieldDelta))) & 127)
    header.overridesListSizes = kind != .i
    for _ in 0..<kind.listCount {
      let size = Int(dice.number(1..<6))
      header.listSizes.append(size)
      header.listModifications.append(chance(40) ? steps(size) : nil)
    }
    if isReference {
      header.marking = isIDR ? .idr(discardsOutput: false, isLongTerm: false) : marking()
    }
    let name = units.count
    lists.append(decoder.decode(header, name: name))
    var writer = BitWriter()
    header.write(to: &writer, sets.sequence, try #require(sets.pictures[0]))
    if hasFieldOrders { writer.alignWithOnes() }
    writer.bits(5, 3)
    writer.trailingBits()
    units.append(EscapedBytes.unit(of: writer.bytes))
    orders.append(order)
    areReferences.append(isReference)
    numbers[name] = references
    if isReference { references += 1 }
    #expect(decoder.violations == [])
  }

  private mutating func steps(_ size: Int) -> [H264.ListModification] {
    var predicted = references & 15
    return (0..<Int(dice.number(1..<Int64(size + 1)))).compactMap { _ in
      guard let frame = decoder.frames.randomElement(using: &dice) else { return nil }
      let rise = (frame.number - predicted) & 15
      predicted = frame.number
      return chance(50) ? .add(UInt32(rise == 0 ? 16 : rise)) : .subtract(UInt32(16 - rise))
    }
  }

  /// No reference becomes so old that its number returns.
  private mutating func marking() -> H264.Marking {
    let ages = decoder.frames.map { references - (numbers[$0.name] ?? 0) }
    let old = ages.filter { $0 > 11 }
    guard !old.isEmpty || chance(30) else { return .slidingWindow }
    var gone = old + ages.filter { $0 <= 11 }.filter { _ in chance(30) }
    let capacity = max(1, sets.sequence.referenceFrames)
    if gone.isEmpty, ages.count == capacity { gone = [ages[0]] }
    return .adaptive(gone.map { .unmark(UInt32($0)) })
  }
}

extension H264.SliceHeader.Kind {
  fileprivate var listCount: Int { self == .i ? 0 : self == .p ? 1 : 2 }
}

@Suite struct ReferenceListTests {
  @Test(
    "Behind an entry each slice has the references that it had, at the same indices",
    arguments: [0, 4, 100])
  func lists(observedCount: Int) throws {
    var rewrittenCount = 0
    var refusedCount = 0
    var changedCount = 0
    for seed in 0..<800 as Range<UInt64> {
      let stream = try StreamMaker(seed: seed)
      var rewriter = try H264.OpenGOPRewriter(stream.sets, idrPictureID: 0)
      let sets = try stream.sets.adding(pictures: rewriter.pictureParameterSets)
      var decoder = ReferenceDecoder(stream.sets.sequence)
      var kept: Set<Int> = []
      for place in stream.units[..<stream.entry].indices.suffix(observedCount) {
        rewriter.observe([stream.units[place][...]])
      }
      do throws(BitstreamRefusal) {
        for place in stream.units.indices.dropFirst(stream.entry) {
          let isLeading = stream.orders[place] < stream.orders[stream.entry]
          let outcome = try rewriter.rewrite([stream.units[place][...]])
          guard case .rewritten(let units) = outcome, !isLeading else {
            #expect(outcome == .leading && isLeading)
            continue
          }
          let header = try H264.Slice(units[0][...], in: sets).header
          if header.listModifications.contains(where: { $0 != nil }) { changedCount += 1 }
          let lists = decoder.decode(header, name: place)
          for (list, source) in zip(lists, stream.lists[place]) {
            for (index, name) in source.enumerated() {
              #expect(list[index] != nil)
              guard let name, kept.contains(name) else { continue }
              #expect(list[index] == name, "seed \(seed), picture \(place)")
            }
          }
          if stream.areReferences[place] { kept.insert(place) }
          rewrittenCount += 1
        }
      } catch {
        #expect(error == .unknownReferences)
        if !decoder.frames.isEmpty { refusedCount += 1 }
      }
      #expect(decoder.violations == [], "seed \(seed)")
    }
    #expect(rewrittenCount > 6000 && changedCount > 4000)
    if observedCount == 100 { #expect(refusedCount == 0) }
  }
}
