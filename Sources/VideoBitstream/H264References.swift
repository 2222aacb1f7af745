extension H264 {
  /// The reference pictures of a stream that was entered at a place (8.2.4 and 8.2.5), and how many
  /// from before it there may still be. Frames only, and none for the long term.
  struct ReferenceFrames: Sendable {
    /// A reference picture that was seen.
    struct Frame: Sendable, Hashable {
      /// How many reference pictures were seen before it.
      let number: Int
      /// How many of these the output has; nil where it does not have this one.
      let output: Int?
      /// PicOrderCnt in the source.
      let pictureOrder: Int
    }

    /// In order of decoding.
    private(set) var frames: [Frame] = []
    /// At most so many pictures that were not seen are references.
    private var unknownCount: Int
    private let capacity: Int

    /// None yet; `capacity` is `max_num_ref_frames`.
    init(capacity: Int, hasUnknown: Bool) {
      self.capacity = max(1, capacity)
      unknownCount = hasUnknown ? self.capacity : 0
    }

    /// Those that the output has.
    var ofOutput: ReferenceFrames {
      var copy = self
      copy.frames.removeAll { $0.output == nil }
      copy.unknownCount = 0
      return copy
    }

    /// Applies the marking of a decoded reference picture, then adds the picture (8.2.5).
    mutating func decoded(
      _ frame: Frame, marking: Marking?
    ) throws(BitstreamRefusal) {
      switch marking {
      case .adaptive(let operations):
        for operation in operations {
          guard case .unmark(let difference) = operation else { throw .longTermReferences }
          let number = frame.number - Int(difference)
          if let index = frames.firstIndex(where: { $0.number == number }) {
            frames.remove(at: index)
          } else {
            unknownCount = max(0, unknownCount - 1)
          }
        }
      default:
        if frames.count == capacity { frames.removeFirst() }
      }
      frames.append(frame)
      guard frames.count <= capacity else { throw .invalid(.sliceHeader) }
      unknownCount = min(unknownCount, capacity - frames.count)
    }

    /// The lists that a slice of the source has: one of P, two of B. Nil stands for a picture that
    /// the output does not have.
    ///
    /// - Throws: `.unknownReferences` where a picture of the output stands behind an unknown number
    ///   of others.
    func lists(
      for header: SliceHeader, number: Int, pictureOrder: Int, numberBits: Int
    ) throws(BitstreamRefusal) -> [[Frame?]] {
      let initial = initialLists(kind: header.kind, pictureOrder: pictureOrder)
      var lists: [[Frame?]] = []
      for (list, size) in header.listSizes.enumerated() {
        var named: [Frame?] = []
        if let steps = header.listModifications[list] {
          named = try self.named(by: steps, number: number, numberBits: numberBits)
        }
        let isLeft = { (frame: Frame) in !named.contains(frame) }
        var result = named + initial[list].certain.filter(isLeft)
        if result.count < size {
          // What is behind pictures from before the entry may stand anywhere.
          guard !initial[list].behindUnknown.contains(where: { $0.output != nil && isLeft($0) })
          else { throw .unknownReferences }
          result += Array(repeating: nil, count: size - result.count)
        }
        lists.append(result.prefix(size).map { $0?.output == nil ? nil : $0 })
      }
      return lists
    }

    /// Lists by 8.2.4.2.1 and 8.2.4.2.3: as far as they are certain, and what else is in them.
    private typealias InitialList = (certain: [Frame], behindUnknown: [Frame])

    private func initialLists(kind: SliceHeader.Kind, pictureOrder: Int) -> [InitialList] {
      guard kind == .b else {
        // The highest number is the last decoded; all pictures before the entry have lower ones.
        return [(frames.reversed(), [])]
      }
      let past = frames.filter { $0.pictureOrder < pictureOrder }
        .sorted { $0.pictureOrder > $1.pictureOrder }
      let future = frames.filter { $0.pictureOrder > pictureOrder }
        .sorted { $0.pictureOrder < $1.pictureOrder }
      let first = unknownCount == 0 ? (past + future, []) : (past, future)
      var second: InitialList = (future + past, [])
      if future.isEmpty || past.isEmpty && unknownCount == 0 {
        // Equal lists of several pictures: the first two change places in the second.
        if unknownCount > 0 {
          second = ([], past)
        } else if second.certain.count > 1 {
          second.certain.swapAt(0, 1)
        }
      }
      return [first, second]
    }

    /// The pictures that `ref_pic_list_modification` names, in order (8.2.4.3.1). Numbers wrap: a
    /// difference of MaxPicNum names the same picture again.
    private func named(
      by steps: [ListModification], number: Int, numberBits: Int
    ) throws(BitstreamRefusal) -> [Frame?] {
      let count = 1 << numberBits
      var predicted = number
      var named: [Frame?] = []
      for step in steps {
        switch step {
        case .subtract(let difference): predicted -= Int(difference)
        case .add(let difference): predicted += Int(difference)
        case .longTerm: throw .longTermReferences
        }
        // Numbers of pictures are at most the current one, and less than MaxPicNum below it.
        if predicted > number { predicted -= count }
        if predicted <= number - count { predicted += count }
        named.append(frames.first { $0.number == predicted })
      }
      return named
    }

    /// Steps that make a list of these pictures of the output, for a picture with this number. A
    /// place without a picture gets one that stands before it, or else any: no block refers to it.
    func steps(
      to list: [Frame?], output: Int, numberBits: Int
    ) throws(BitstreamRefusal) -> [ListModification] {
      let first = list.lazy.compactMap { $0?.output }.first
      guard var last = first ?? frames.last?.output else { throw .unknownReferences }
      var predicted = output
      var steps: [ListModification] = []
      for frame in list {
        last = frame?.output ?? last
        let difference = last - predicted
        guard difference.magnitude < 1 << numberBits else { throw .invalid(.sliceHeader) }
        let magnitude = UInt32(difference.magnitude)
        steps.append(
          difference > 0
            ? .add(magnitude) : .subtract(difference == 0 ? 1 << UInt32(numberBits) : magnitude))
        predicted = last
      }
      return steps
    }
  }
}
