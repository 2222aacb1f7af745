internal import CFFmpeg

extension Stream {
  /// The MD5 of all samples of a FLAC, by its header (`STREAMINFO`, RFC 9639, 8.2): 16 bytes; nil of
  /// other codecs, without a header, and where it is unknown, which zeros say.
  package var digestOfFLAC: [UInt8]? {
    guard codecName == "flac", parameters.extradata_size >= 34, let data = parameters.extradata
    else { return nil }
    let digest = (18..<34).map { data[$0] }
    return digest.contains { $0 != 0 } ? digest : nil
  }
}

extension Frame {
  /// Copies integer samples as they were encoded: decoders put them at the top of 16 or 32 bits.
  ///
  /// - Parameters:
  ///   - range: Which samples of each channel; all of them are in the frame.
  ///   - bits: Significant bits of a sample, from 1 to 32.
  ///   - planes: One for each channel of the frame, with room for as many samples as `range` has.
  /// - Throws: `LibAVError` where the samples are no integers of at least so many bits.
  /// - Complexity: O(samples)
  package func copyIntegers(
    _ range: Range<Int>, ofBits bits: Int,
    to planes: UnsafePointer<UnsafeMutablePointer<Int32>>
  ) throws(LibAVError) {
    precondition(range.lowerBound >= 0 && range.upperBound <= sampleCount)
    switch AVSampleFormat(pointer.pointee.format) {
    case AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P:
      try copy(range, of: Int16.self, ofBits: bits, to: planes)
    case AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P:
      try copy(range, of: Int32.self, ofBits: bits, to: planes)
    default: throw Self.noIntegers
    }
  }

  private static let noIntegers = LibAVError.refused("has samples that are decoded to no integers")

  private func copy<Sample: FixedWidthInteger & BitwiseCopyable>(
    _ range: Range<Int>, of type: Sample.Type, ofBits bits: Int,
    to planes: UnsafePointer<UnsafeMutablePointer<Int32>>
  ) throws(LibAVError) {
    let channels = channelCount
    let isPlanar = av_sample_fmt_is_planar(AVSampleFormat(pointer.pointee.format)) != 0
    guard (1...Sample.bitWidth).contains(bits), let data = pointer.pointee.extended_data else {
      throw Self.noIntegers
    }
    let shift = Sample(Sample.bitWidth - bits)
    for channel in 0..<channels {
      guard let plane = data[isPlanar ? channel : 0] else { throw Self.noIntegers }
      let (step, first) = isPlanar ? (1, 0) : (channels, channel)
      let target = planes[channel]
      plane.withMemoryRebound(to: Sample.self, capacity: sampleCount * step) { samples in
        for index in 0..<range.count {
          let sample = samples[(range.lowerBound + index) * step + first]
          target[index] = Int32(truncatingIfNeeded: sample >> shift)
        }
      }
    }
  }
}
