@testable import VideoBitstream

/// A slow twin of `H264.ReferenceFrames`: the reference pictures of a whole stream, and each slice's
/// lists, by the letter of clause 8.2.4 and 8.2.5. Frames only, none for the long term; order of
/// output by type 0.
struct ReferenceDecoder {
  struct Frame: Hashable {
    /// `frame_num`, which wraps.
    var number: Int
    var order: Int
    /// How the test names it.
    let name: Int
  }

  private(set) var frames: [Frame] = []
  private let capacity: Int
  private let numberRange: Int
  private let orderRange: Int
  private var lastOrder = 0
  /// What differs from the rules of the standard.
  private(set) var violations: [String] = []

  init(_ set: H264.SequenceParameterSet) {
    capacity = max(1, set.referenceFrames)
    numberRange = 1 << set.frameNumberBits
    orderRange = 1 << set.pictureOrderBits
  }

  /// The names of the pictures in each list of the slice, then the picture itself is decoded.
  mutating func decode(_ header: H264.SliceHeader, name: Int) -> [[Int?]] {
    if header.isIDR {
      frames = []
      lastOrder = 0
    }
    let topOrder = topOrder(of: header)
    let order = min(topOrder, topOrder + Int(header.bottomDelta))
    if header.isIDR, order != 0 { violations.append("order \(order) of an IDR picture") }
    let lists = lists(of: header, order: order)
    if header.nal.referenceIDC != 0 {
      mark(header)
      frames.append(Frame(number: Int(header.frameNumber), order: order, name: name))
      if frames.count > capacity { violations.append("\(frames.count) references at \(name)") }
      lastOrder = topOrder
    }
    return lists.map { list in list.map { $0?.name } }
  }

  /// The top field's, by 8.2.1.1.
  private func topOrder(of header: H264.SliceHeader) -> Int {
    let low = Int(header.pictureOrderLSB)
    let lastLow = ((lastOrder % orderRange) + orderRange) % orderRange
    var high = lastOrder - lastLow
    if low < lastLow, lastLow - low >= orderRange / 2 { high += orderRange }
    if low > lastLow, low - lastLow > orderRange / 2 { high -= orderRange }
    return high + low
  }

  /// FrameNumWrap (8.2.4.1), which is PicNum of frames.
  private func wrapped(_ frame: Frame, at header: H264.SliceHeader) -> Int {
    frame.number > Int(header.frameNumber) ? frame.number - numberRange : frame.number
  }

  private mutating func lists(of header: H264.SliceHeader, order: Int) -> [[Frame?]] {
    var lists: [[Frame]]
    switch header.kind {
    case .i: lists = []
    case .p: lists = [frames.sorted { wrapped($0, at: header) > wrapped($1, at: header) }]
    case .b:
      let past = frames.filter { $0.order < order }.sorted { $0.order > $1.order }
      let future = frames.filter { $0.order > order }.sorted { $0.order < $1.order }
      lists = [past + future, future + past]
      if lists[1].count > 1, lists[0] == lists[1] { lists[1].swapAt(0, 1) }
    }
    var results: [[Frame?]] = []
    for (index, list) in lists.enumerated() {
      let size = header.listSizes[index]
      var result = list.prefix(size).map { Optional($0) }
      result += Array(repeating: nil, count: size - result.count)
      if let steps = header.listModifications[index] {
        result = modified(result, by: steps, header)
      }
      results.append(result)
    }
    return results
  }

  /// 8.2.4.3.1
  private mutating func modified(
    _ list: [Frame?], by steps: [H264.ListModification], _ header: H264.SliceHeader
  ) -> [Frame?] {
    let current = Int(header.frameNumber)
    var list = list
    var predicted = current
    for (index, step) in steps.enumerated() where index < list.count {
      switch step {
      case .subtract(let difference):
        predicted -= Int(difference)
        if predicted < 0 { predicted += numberRange }
      case .add(let difference):
        predicted += Int(difference)
        if predicted >= numberRange { predicted -= numberRange }
      case .longTerm: return []
      }
      let number = predicted > current ? predicted - numberRange : predicted
      let named = frames.first { wrapped($0, at: header) == number }
      if named == nil { violations.append("\(number) is not there to be listed") }
      // As the standard has it: a list that is longer by one for a while.
      var longer = list[..<index] + [named] + list[index...]
      var kept = index + 1
      for place in longer.indices.dropFirst(index + 1) {
        if let frame = longer[place], wrapped(frame, at: header) == number { continue }
        longer[kept] = longer[place]
        kept += 1
      }
      list = Array(longer.prefix(list.count))
    }
    return list
  }

  /// 8.2.5
  private mutating func mark(_ header: H264.SliceHeader) {
    switch header.marking {
    case .adaptive(let operations):
      for case .unmark(let difference) in operations {
        let number = Int(header.frameNumber) - Int(difference)
        guard let index = frames.firstIndex(where: { wrapped($0, at: header) == number }) else {
          violations.append("\(number) is no reference")
          continue
        }
        frames.remove(at: index)
      }
    case .slidingWindow where frames.count == capacity:
      let oldest = frames.indices.min {
        wrapped(frames[$0], at: header) < wrapped(frames[$1], at: header)
      }
      if let oldest { frames.remove(at: oldest) }
    default: break
    }
  }
}
