extension H264 {
  /// Makes the entry of an open group of pictures an IDR picture, and counts all numbers from it on,
  /// up to the next IDR picture. Leading pictures are left out; each other slice keeps its references
  /// at their indices, and its data as they are.
  package struct OpenGOPRewriter: Sendable {
    /// What becomes of a picture.
    package enum Outcome: Sendable, Hashable {
      /// It is shown before the entry, and may refer to pictures before it.
      case leading
      /// Its NAL units, with new slice headers.
      case rewritten([[UInt8]])
      /// It stays as it is, as do all pictures behind it.
      case unchanged
    }

    /// NAL units that the record needs beside its own: none for CABAC, eight for each of CAVLC.
    package let pictureParameterSets: [[UInt8]]
    private let sets: ParameterSets
    /// The sets that a slice may name instead of one, itself first.
    private let choices: [UInt32: [PictureParameterSet]]
    private let idrPictureID: UInt32
    private var state: State?
    private var entry: Entry?
    private var hasEnded = false

    /// Where the source stands, before its next picture.
    private struct State: Sendable {
      /// `frame_num` of the first picture that was seen.
      let firstFrameNumber: UInt32
      var references: ReferenceFrames
      /// PicOrderCnt of the last reference picture's top field (8.2.1.1).
      var lastPictureOrder: Int
      /// How many reference pictures were seen.
      var number = 0
    }

    private struct Entry: Sendable {
      /// PicOrderCnt in the source.
      let order: Int
      /// What a decoder of the output has: no leading pictures, and no marking of theirs.
      var references: ReferenceFrames
      /// How many reference pictures the output has.
      var output = 1
    }

    /// One picture in the source, and what it may refer to.
    private struct Position {
      let number: Int
      let order: Int
      let references: ReferenceFrames
    }

    /// A group whose pictures come in order of decoding.
    package init(_ sets: ParameterSets, idrPictureID: UInt16) throws(BitstreamRefusal) {
      guard sets.sequence.hasFramesOnly else { throw .fieldCoding }
      guard sets.sequence.pictureOrderType != 1 else { throw .pictureOrderType1 }
      self.sets = sets
      self.idrPictureID = UInt32(idrPictureID)
      var choices = sets.pictures.mapValues { [$0] }
      var copies: [[UInt8]] = []
      var usedIDs = Set(sets.pictures.keys)
      for unit in sets.pictureUnits {
        let set = try PictureParameterSet(unit[...])
        guard !set.usesCABAC, choices[set.id]?.count == 1 else { continue }
        for copy in try PictureParameterSet.copies(
          of: unit, under: sets.sequence, usedIDs: &usedIDs)
        {
          choices[set.id]?.append(try PictureParameterSet(copy[...]))
          copies.append(copy)
        }
      }
      self.choices = choices
      pictureParameterSets = copies
    }

    /// Notes a picture that is decoded before the entry, so that its place in lists of references is
    /// known. Without it, a B slice whose list may reach a picture from before the entry is refused
    /// with `.unknownReferences`; x264's lists never do. A picture that cannot be read, or a missing
    /// one, discards what was noted.
    package mutating func observe(_ units: [ArraySlice<UInt8>]) {
      do throws(BitstreamRefusal) {
        let first = try slices(of: units).first
        if first.isIDR || state == nil { begin(with: first) }
        let isReset = try first.marking.map(Self.isReset) ?? false
        _ = try advance(over: first, output: nil)
        if isReset { state = nil }
      } catch {
        state = nil
      }
    }

    /// The next picture from the entry on, of one or more slices. After a refusal the group is of no
    /// more use.
    package mutating func rewrite(
      _ units: [ArraySlice<UInt8>]
    ) throws(BitstreamRefusal) -> Outcome {
      if hasEnded { return .unchanged }
      let (first, slices) = try slices(of: units)
      guard let entry else { return try enter(units, slices, first) }
      if first.isIDR {
        hasEnded = true
        return .unchanged
      }
      return try follow(entry, units, slices, first)
    }

    /// The slices of a picture, by their place among the units, and the header of the first.
    private func slices(
      of units: [ArraySlice<UInt8>]
    ) throws(BitstreamRefusal) -> (first: SliceHeader, all: [Int: Slice]) {
      var slices: [Int: Slice] = [:]
      var first: SliceHeader?
      for (index, unit) in units.enumerated() {
        guard let type = H264.type(of: unit) else { continue }
        if type.isUnsupportedSlice { throw .unsupportedSlice }
        guard type.isSlice else { continue }
        let slice = try Slice(unit, in: sets)
        let header = slice.header
        if let first {
          guard header.nal == first.nal, header.frameNumber == first.frameNumber,
            header.pictureOrderLSB == first.pictureOrderLSB
          else { throw .invalid(.sliceHeader) }
        }
        first = first ?? header
        slices[index] = slice
      }
      guard let first else { throw .invalid(.nalUnit) }
      return (first, slices)
    }

    private mutating func begin(with first: SliceHeader) {
      let capacity = sets.sequence.referenceFrames
      state = State(
        firstFrameNumber: first.frameNumber,
        references: ReferenceFrames(capacity: capacity, hasUnknown: !first.isIDR),
        lastPictureOrder: first.isIDR ? 0 : Int(first.pictureOrderLSB))
    }

    /// Decodes a picture of the source, as far as its numbers go.
    private mutating func advance(
      over first: SliceHeader, output: Int?
    ) throws(BitstreamRefusal) -> Position {
      guard var state else { throw .notAnEntry }
      let number = state.firstFrameNumber &+ UInt32(truncatingIfNeeded: state.number)
      guard first.frameNumber == number & numberMask else { throw .missingReference }
      let top = pictureOrder(of: first, in: state)
      let position = Position(
        number: state.number, order: top + min(0, Int(first.bottomDelta)),
        references: state.references)
      if first.nal.referenceIDC != 0 {
        let isLeading = entry.map { position.order < $0.order } ?? false
        try state.references.decoded(
          .init(
            number: state.number, output: isLeading ? nil : output, pictureOrder: position.order),
          marking: first.marking)
        state.number += 1
        state.lastPictureOrder = top
      }
      self.state = state
      return position
    }

    private var numberMask: UInt32 { UInt32(1 << sets.sequence.frameNumberBits) - 1 }

    /// PicOrderCnt of the top field: type 0 by 8.2.1.1, type 2 by 8.2.1.3.
    private func pictureOrder(of header: SliceHeader, in state: State) -> Int {
      let isReference = header.nal.referenceIDC != 0
      guard sets.sequence.pictureOrderType == 0 else {
        return state.number * 2 - (isReference ? 0 : 1)
      }
      let range = 1 << sets.sequence.pictureOrderBits
      let difference = (Int(header.pictureOrderLSB) - state.lastPictureOrder) & (range - 1)
      return state.lastPictureOrder + (difference >= range / 2 ? difference - range : difference)
    }

    private func lowBits(of order: UInt32, from entry: Entry) -> UInt32 {
      UInt32((Int(order) - entry.order) & ((1 << sets.sequence.pictureOrderBits) - 1))
    }

    private mutating func enter(
      _ units: [ArraySlice<UInt8>], _ slices: [Int: Slice], _ first: SliceHeader
    ) throws(BitstreamRefusal) -> Outcome {
      guard first.nal.referenceIDC != 0, !first.isIDR,
        slices.values.allSatisfy({ $0.header.kind == .i })
      else { throw .notAnEntry }
      if state == nil { begin(with: first) }
      // The lesser of both fields' orders becomes 0 (8.2.1).
      let order = try advance(over: first, output: 0).order
      let entry = Entry(order: order, references: keptReferences)
      self.entry = entry
      return .rewritten(
        try rewritten(units, slices, isEntry: true) { old throws(BitstreamRefusal) in
          var header = old
          header.nal.type = .idrSlice
          header.frameNumber = 0
          header.idrPictureID = idrPictureID
          header.pictureOrderLSB = lowBits(of: old.pictureOrderLSB, from: entry)
          header.marking = .idr(discardsOutput: false, isLongTerm: false)
          return header
        })
    }

    private mutating func follow(
      _ entry: Entry, _ units: [ArraySlice<UInt8>], _ slices: [Int: Slice], _ first: SliceHeader
    ) throws(BitstreamRefusal) -> Outcome {
      let isReset = try first.marking.map(Self.isReset) ?? false
      let isReference = first.nal.referenceIDC != 0
      let output = entry.output
      let position: Position
      if isReset {
        // Only where the picture stands is of interest: numbers begin anew behind it.
        var copy = self
        var plain = first
        plain.nal.referenceIDC = 0
        position = try copy.advance(over: plain, output: nil)
        hasEnded = true
      } else {
        position = try advance(over: first, output: output)
      }
      if position.order < entry.order {
        guard !isReset else { throw .missingReference }
        return .leading
      }
      let marking = isReset ? .adaptive([.reset]) : marking(in: entry)
      if isReference {
        self.entry = Entry(order: entry.order, references: keptReferences, output: output + 1)
      }
      return .rewritten(
        try rewritten(units, slices) { old throws(BitstreamRefusal) in
          var header = old
          header.frameNumber = UInt32(truncatingIfNeeded: output) & numberMask
          header.pictureOrderLSB = lowBits(of: old.pictureOrderLSB, from: entry)
          if isReference { header.marking = marking }
          try setLists(of: &header, position, in: entry)
          return header
        })
    }

    /// Whether numbers begin anew behind a picture, as behind an IDR picture.
    private static func isReset(_ marking: Marking) throws(BitstreamRefusal) -> Bool {
      guard case .adaptive(let operations) = marking, operations.contains(.reset) else {
        return false
      }
      let isPlain = operations.allSatisfy {
        if case .unmark = $0 { true } else { $0 == .reset }
      }
      guard isPlain else { throw .longTermReferences }
      return true
    }

    /// The references of the source that the output has, too.
    private var keptReferences: ReferenceFrames {
      state?.references.ofOutput ?? ReferenceFrames(capacity: 0, hasUnknown: false)
    }

    /// The marking that makes the output's references those of the source.
    private func marking(in entry: Entry) -> Marking {
      let before = entry.references.frames
      let after = Set(keptReferences.frames)
      let gone = before.filter { !after.contains($0) }
      let slides = before.count == max(1, sets.sequence.referenceFrames)
      if gone == (slides ? Array(before.prefix(1)) : []) { return .slidingWindow }
      return .adaptive(gone.map { .unmark(UInt32(entry.output - ($0.output ?? entry.output))) })
    }

    /// Gives a slice the lists of the source: by modifications in the output's numbers, where a decoder
    /// would make others.
    private func setLists(
      of header: inout SliceHeader, _ position: Position, in entry: Entry
    ) throws(BitstreamRefusal) {
      let bits = sets.sequence.frameNumberBits
      let lists = try position.references.lists(
        for: header, number: position.number, pictureOrder: position.order, numberBits: bits)
      var plain = header
      plain.listModifications = lists.map { _ in nil }
      let byItself = try entry.references.lists(
        for: plain, number: position.number, pictureOrder: position.order, numberBits: bits)
      for (index, list) in lists.enumerated() {
        // Decoders report a place that stays empty, even where no block refers to it.
        let isRight = zip(list, byItself[index]).allSatisfy { $1 != nil && ($0 == nil || $0 == $1) }
        header.listModifications[index] =
          isRight
          ? nil : try entry.references.steps(to: list, output: entry.output, numberBits: bits)
      }
    }

    /// The units with new slice headers. The entry's recovery point is left out: as an IDR picture it
    /// does not need one.
    private func rewritten(
      _ units: [ArraySlice<UInt8>], _ slices: [Int: Slice], isEntry: Bool = false,
      _ change: (SliceHeader) throws(BitstreamRefusal) -> SliceHeader
    ) throws(BitstreamRefusal) -> [[UInt8]] {
      var changed: [(Slice, SliceHeader, [PictureParameterSet])] = []
      for (_, slice) in slices.sorted(by: { $0.key < $1.key }) {
        let header = try change(slice.header)
        changed.append((slice, header, choices[header.pictureParameterSetID] ?? []))
      }
      var rest = try Slice.units(changed, sets.sequence)[...]
      var result: [[UInt8]] = []
      for (index, unit) in units.enumerated() {
        if slices[index] != nil {
          result += rest.popFirst().map { [$0] } ?? []
        } else if !isEntry || !Self.isRecoveryPoint(unit) {
          result.append(Array(unit))
        }
      }
      return result
    }

    private static func isRecoveryPoint(_ unit: ArraySlice<UInt8>) -> Bool {
      guard H264.type(of: unit) == .supplementalInformation,
        let messages = try? SupplementalMessage.messages(of: unit)
      else { return false }
      return messages.map(\.type) == [SupplementalMessage.recoveryPoint]
    }
  }
}
