extension H264 {
  /// Makes the entry of an open group an IDR picture, and counts what follows from it, up to the next
  /// IDR picture. Leading pictures go; whatever is decoded after them has the references that it had.
  /// Slice data stay as they are.
  package struct OpenGroup: Sendable {
    /// What becomes of a picture.
    package enum Outcome: Sendable, Hashable {
      /// It is shown before the entry, and refers to pictures before it.
      case leading
      /// Its NAL units, with new slice headers.
      case rewritten([[UInt8]])
      /// It stays as it is, as do all pictures behind it.
      case unchanged
    }

    private let sets: ParameterSets
    private let idrPictureID: UInt32
    private var state: State?
    private var hasEnded = false

    private struct State: Sendable {
      let firstFrameNumber: UInt32
      let firstPictureOrder: Int
      var references: ReferenceFrames
      /// The picture order of the last reference picture, in the source's numbers (8.2.1.1).
      var lastPictureOrder: Int
      /// Reference pictures since the entry, this among them; and without leading ones.
      var number = 0
      var output = 0
    }

    /// A group whose pictures come in order of decoding, the entry first.
    package init(_ sets: ParameterSets, idrPictureID: UInt16) throws(BitstreamRefusal) {
      guard sets.sequence.hasFramesOnly else { throw .fieldCoding }
      guard sets.sequence.pictureOrderType != 1 else { throw .pictureOrderType1 }
      self.sets = sets
      self.idrPictureID = UInt32(idrPictureID)
    }

    /// The next picture, of one or more slices. After a refusal the group is of no more use.
    package mutating func rewrite(
      _ units: [ArraySlice<UInt8>]
    ) throws(BitstreamRefusal) -> Outcome {
      if hasEnded { return .unchanged }
      var slices: [Int: Slice] = [:]
      for (index, unit) in units.enumerated() {
        guard let type = H264.type(of: unit) else { continue }
        if type.isUnsupportedSlice { throw .unsupportedSlice }
        if type.isSlice { slices[index] = try Slice(unit, in: sets) }
      }
      guard let first = slices.min(by: { $0.key < $1.key })?.value.header else {
        throw .invalid(.nalUnit)
      }
      let isOnePicture = slices.values.allSatisfy {
        $0.header.nal == first.nal && $0.header.frameNumber == first.frameNumber
          && $0.header.pictureOrderLSB == first.pictureOrderLSB
      }
      guard isOnePicture else { throw .invalid(.sliceHeader) }
      guard state != nil else { return try enter(units, slices, first) }
      if first.isIDR {
        hasEnded = true
        return .unchanged
      }
      return try follow(units, slices, first)
    }

    private mutating func enter(
      _ units: [ArraySlice<UInt8>], _ slices: [Int: Slice], _ first: SliceHeader
    ) throws(BitstreamRefusal) -> Outcome {
      guard first.nal.referenceIDC != 0, !first.isIDR,
        slices.values.allSatisfy({ $0.header.kind == .i })
      else { throw .notAnEntry }
      // The lesser of both fields' orders becomes 0 (8.2.1).
      let order = Int(first.pictureOrderLSB) + min(0, Int(first.bottomDelta))
      var references = ReferenceFrames(capacity: sets.sequence.referenceFrames)
      try references.decoded(
        .init(number: 0, output: 0, pictureOrder: 0), marking: .slidingWindow)
      state = State(
        firstFrameNumber: first.frameNumber, firstPictureOrder: order, references: references,
        lastPictureOrder: Int(first.pictureOrderLSB))
      let mask = (1 << sets.sequence.pictureOrderBits) - 1
      return .rewritten(
        try rewritten(units, slices) { [idrPictureID] old throws(BitstreamRefusal) in
          var header = old
          header.nal.type = .idrSlice
          header.frameNumber = 0
          header.idrPictureID = idrPictureID
          header.pictureOrderLSB = UInt32((Int(old.pictureOrderLSB) - order) & mask)
          header.marking = .idr(discardsOutput: false, isLongTerm: false)
          return header
        })
    }

    private mutating func follow(
      _ units: [ArraySlice<UInt8>], _ slices: [Int: Slice], _ first: SliceHeader
    ) throws(BitstreamRefusal) -> Outcome {
      guard var state else { throw .notAnEntry }
      let sequence = sets.sequence
      let numberMask = UInt32(1 << sequence.frameNumberBits) - 1
      let number = state.number + 1
      guard
        first.frameNumber
          == (state.firstFrameNumber &+ UInt32(truncatingIfNeeded: number)) & numberMask
      else { throw .missingReference }
      let top = pictureOrder(of: first, in: state)
      let order = top + min(0, Int(first.bottomDelta)) - state.firstPictureOrder
      let isReference = first.nal.referenceIDC != 0
      let isLeading = order < 0
      let output = state.output + 1
      let before = state.references
      let isReset = try first.marking.map(Self.isReset) ?? false
      if isReset {
        hasEnded = true
      } else if isReference {
        try state.references.decoded(
          .init(number: number, output: isLeading ? nil : output, pictureOrder: order),
          marking: first.marking)
        state.number = number
        state.lastPictureOrder = top
        if !isLeading { state.output = output }
      }
      self.state = state
      if isLeading {
        guard !isReset else { throw .missingReference }
        return .leading
      }
      let marking =
        isReset
        ? .adaptive([.reset])
        : marking(from: before, to: state.references, output: output)
      let orderMask = (1 << sequence.pictureOrderBits) - 1
      return .rewritten(
        try rewritten(units, slices) { old throws(BitstreamRefusal) in
          var header = old
          header.frameNumber = UInt32(truncatingIfNeeded: output) & numberMask
          header.pictureOrderLSB = UInt32(
            (Int(old.pictureOrderLSB) - state.firstPictureOrder) & orderMask)
          if isReference { header.marking = marking }
          try Self.setLists(
            of: &header, before, (number, output, order), numberBits: sequence.frameNumberBits)
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

    /// PicOrderCnt of the top field: type 0 by 8.2.1.1, type 2 by 8.2.1.3.
    private func pictureOrder(of header: SliceHeader, in state: State) -> Int {
      let isReference = header.nal.referenceIDC != 0
      guard sets.sequence.pictureOrderType == 0 else {
        return (state.number + 1) * 2 - (isReference ? 0 : 1)
      }
      let range = 1 << sets.sequence.pictureOrderBits
      let difference = (Int(header.pictureOrderLSB) - state.lastPictureOrder) & (range - 1)
      return state.lastPictureOrder + (difference >= range / 2 ? difference - range : difference)
    }

    /// What a picture must ask for so that its references become the source's, as far as the output
    /// has them.
    private func marking(
      from before: ReferenceFrames, to after: ReferenceFrames, output: Int
    ) -> Marking {
      let kept = Set(after.kept)
      let gone = before.kept.filter { !kept.contains($0) }
      let capacity = max(1, sets.sequence.referenceFrames)
      let slides = before.kept.count == capacity
      if gone == (slides ? Array(before.kept.prefix(1)) : []) { return .slidingWindow }
      return .adaptive(gone.map { .unmark(UInt32(output - ($0.output ?? output))) })
    }

    /// Gives a slice the lists of the source, said in the output's numbers where they are not what a
    /// decoder makes by itself.
    private static func setLists(
      of header: inout SliceHeader, _ references: ReferenceFrames,
      _ current: (number: Int, output: Int, order: Int), numberBits: Int
    ) throws(BitstreamRefusal) {
      let lists = try references.lists(
        for: header, number: current.number, pictureOrder: current.order, numberBits: numberBits)
      var plain = header
      plain.listModifications = lists.map { _ in nil }
      let byItself = try references.ofOutput.lists(
        for: plain, number: current.number, pictureOrder: current.order, numberBits: numberBits)
      for (index, list) in lists.enumerated() {
        // A place that stays empty makes decoders complain, even where no block refers to it.
        let isRight = zip(list, byItself[index]).allSatisfy { $1 != nil && ($0 == nil || $0 == $1) }
        header.listModifications[index] =
          isRight
          ? nil
          : try ReferenceFrames.steps(to: list, output: current.output, numberBits: numberBits)
      }
    }

    /// All units but recovery points, which an IDR picture needs not.
    private func rewritten(
      _ units: [ArraySlice<UInt8>], _ slices: [Int: Slice],
      _ change: (SliceHeader) throws(BitstreamRefusal) -> SliceHeader
    ) throws(BitstreamRefusal) -> [[UInt8]] {
      var result: [[UInt8]] = []
      for (index, unit) in units.enumerated() {
        guard let slice = slices[index] else {
          if !Self.isRecoveryPoint(unit) { result.append(Array(unit)) }
          continue
        }
        let header = try change(slice.header)
        let picture = try sets.picture(header.pictureParameterSetID)
        result.append(try slice.unit(with: header, sets.sequence, picture))
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
