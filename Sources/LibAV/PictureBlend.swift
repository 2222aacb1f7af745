internal import CFFmpeg

extension Frame {
  /// A picture made of this one, of another of its form, and of black: each sample is the sum of theirs
  /// by their shares, rounded once, straight in the numbers above black, and the same on every machine.
  /// Its colours are this one's.
  ///
  /// - Parameters:
  ///   - share: This one's share, 0 … 1.
  ///   - other: Another picture with its share. What is left of 1 is black.
  /// - Returns: A picture of its own.
  /// - Throws: A refusal where both differ in form, or samples are not numbers in planes of their own.
  /// - Complexity: O(samples)
  package func blended(
    _ share: Double, with other: (frame: Frame, share: Double)? = nil
  ) throws(LibAVError) -> Frame {
    guard let samples = PlanarSamples(self) else {
      throw .refused(
        "has pictures of \(form.pixelFormat ?? "an unknown format"), which are not faded; write 'picture: "
          + "cut' in the fade")
    }
    guard other.map({ $0.frame.form == form }) ?? true else {
      throw .refused(
        "has pictures of another size or format than those that it is cross-faded with; encode all of "
          + "them, as 'video: { h264: crf 20 }'")
    }
    let result = try Frame()
    try check(av_frame_copy_props(result.pointer, pointer), "av_frame_copy_props")
    result.pointer.pointee.format = pointer.pointee.format
    result.pointer.pointee.width = pointer.pointee.width
    result.pointer.pointee.height = pointer.pointee.height
    try check(av_frame_get_buffer(result.pointer, 0), "av_frame_get_buffer")
    let weights = BlendWeights(share, other?.share ?? 0)
    let others = other?.frame ?? self
    for index in 0..<samples.planeCount {
      guard let target = result.plane(index), let own = plane(index),
        let other = others.plane(index)
      else { throw LibAVError.nothingDecoded }
      let lines = BlendedPlane(
        target: target, own: own, other: other, size: samples.size(ofPlane: index), weights,
        black: samples.black(ofPlane: index))
      if samples.depth > 8 { lines.blend(UInt16.self) } else { lines.blend(UInt8.self) }
    }
    return result
  }

  /// The bytes of a plane, and from one line to the next.
  fileprivate func plane(_ index: Int) -> (bytes: UnsafeMutablePointer<UInt8>, stride: Int)? {
    guard let bytes = pointer.pointee.extended_data?[index] else { return nil }
    let stride = withUnsafeBytes(of: pointer.pointee.linesize) {
      $0.load(fromByteOffset: index * MemoryLayout<Int32>.stride, as: Int32.self)
    }
    return (bytes, Int(stride))
  }
}

/// Shares as whole numbers, `one` together with that of black.
private struct BlendWeights {
  let own: Int32
  let other: Int32

  static let bits: Int32 = 15
  static let one: Int32 = 1 << bits

  init(_ own: Double, _ other: Double) {
    func whole(_ share: Double) -> Int32 {
      Int32((min(max(share, 0), 1) * Double(Self.one)).rounded())
    }
    self.own = whole(own)
    self.other = min(whole(other), Self.one - self.own)
  }
}

extension Frame {
  /// Whether samples have more bits than the format says, as decoders leave them in damaged pictures:
  /// x264 ends the process for such.
  ///
  /// - Complexity: O(samples) of more than 8 bits
  package var hasExcessBits: Bool {
    guard let samples = PlanarSamples(self), 9...15 ~= samples.depth else { return false }
    let excess = UInt16.max << UInt16(samples.depth)
    let data = pointer.pointee
    let planes = [data.data.0, data.data.1, data.data.2]
    let strides = [data.linesize.0, data.linesize.1, data.linesize.2]
    return (0..<min(3, samples.planeCount)).contains { index in
      guard let plane = planes[index] else { return false }
      let size = samples.size(ofPlane: index)
      return (0..<size.height).contains { row in
        let line = UnsafeRawPointer(plane + row * Int(strides[index]))
          .assumingMemoryBound(to: UInt16.self)
        var bits: UInt16 = 0
        for column in 0..<size.width { bits |= line[column] }
        return bits & excess != 0
      }
    }
  }
}

/// How the samples of a format lie where each component has a plane, one sample after the other.
private struct PlanarSamples {
  let depth: Int
  let planeCount: Int
  private let isRGB: Bool
  private let isFullRange: Bool
  private let width: Int
  private let height: Int
  /// By how many bits the planes of colour are smaller.
  private let shift: (x: Int, y: Int)

  /// nil for other formats, and for those with transparency.
  init?(_ frame: Frame) {
    let format = AVPixelFormat(frame.pointer.pointee.format)
    guard let facts = av_pix_fmt_desc_get(format)?.pointee else { return nil }
    let unlike =
      AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM
      | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_ALPHA | AV_PIX_FMT_FLAG_FLOAT
    let first = facts.comp.0
    depth = Int(first.depth)
    planeCount = Int(facts.nb_components)
    guard facts.flags & UInt64(unlike) == 0,
      av_pix_fmt_count_planes(format) == Int32(facts.nb_components), 8...16 ~= depth,
      first.shift == 0, first.step == (depth > 8 ? 2 : 1),
      planeCount == 1 || facts.comp.1.depth == first.depth
    else { return nil }
    isRGB = facts.flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0
    isFullRange = frame.isFullRange
    (width, height) = (Int(frame.pointer.pointee.width), Int(frame.pointer.pointee.height))
    shift = (Int(facts.log2_chroma_w), Int(facts.log2_chroma_h))
  }

  func size(ofPlane index: Int) -> (width: Int, height: Int) {
    guard index > 0 else { return (width, height) }
    return ((width + (1 << shift.x) - 1) >> shift.x, (height + (1 << shift.y) - 1) >> shift.y)
  }

  /// The sample of black (ITU-T H.273, 8.3).
  func black(ofPlane index: Int) -> Int32 {
    if isRGB { return 0 }
    if index > 0 { return 1 << Int32(depth - 1) }
    return isFullRange ? 0 : 16 << Int32(depth - 8)
  }
}

/// One plane of a picture that is made of two.
private struct BlendedPlane {
  typealias Bytes = (bytes: UnsafeMutablePointer<UInt8>, stride: Int)

  private let target: Bytes
  private let own: Bytes
  private let other: Bytes
  private let size: (width: Int, height: Int)
  private let weights: BlendWeights
  /// Black by its share, and half of a step, for rounding.
  private let base: Int32

  init(
    target: Bytes, own: Bytes, other: Bytes, size: (width: Int, height: Int),
    _ weights: BlendWeights, black: Int32
  ) {
    (self.target, self.own, self.other, self.size) = (target, own, other, size)
    self.weights = weights
    base =
      (BlendWeights.one - weights.own - weights.other) * black + 1 << (BlendWeights.bits - 1)
  }

  /// Writes all samples. Sums of 16 bits by weights of 15 fit in 31.
  func blend<Sample: FixedWidthInteger & UnsignedInteger>(_: Sample.Type) {
    func line(_ plane: Bytes, _ row: Int) -> UnsafeMutablePointer<Sample> {
      UnsafeMutableRawPointer(plane.bytes + row * plane.stride)
        .assumingMemoryBound(to: Sample.self)
    }
    for row in 0..<size.height {
      let result = line(target, row)
      let (first, second) = (line(own, row), line(other, row))
      for column in 0..<size.width {
        let sum =
          Int32(truncatingIfNeeded: first[column]) &* weights.own
          &+ Int32(truncatingIfNeeded: second[column]) &* weights.other &+ base
        result[column] = Sample(truncatingIfNeeded: sum >> BlendWeights.bits)
      }
    }
  }
}
