import Diagnosis
import MediaTime

/// Rate, channels and storage of the samples in a `PCMBuffer` (`AVAudioFormat`).
public struct PCMFormat: Sendable, Hashable, Codable {
  /// How one sample is stored (`AVAudioCommonFormat`; `AVLinearPCMBitDepthKey` and
  /// `AVLinearPCMIsFloatKey`).
  public enum SampleType: String, Sendable, Hashable, CaseIterable, Codable {
    /// 32-bit float: ±1 is full scale, and more is kept.
    case float32
    /// Integers from −2^15 to 2^15 − 1.
    case int16
    /// Integers from −2^23 to 2^23 − 1.
    case int24
    /// Integers from −2^31 to 2^31 − 1.
    case int32

    /// Bits of a sample.
    public var bitDepth: Int {
      switch self {
      case .int16: 16
      case .int24: 24
      case .float32, .int32: 32
      }
    }
  }

  /// Frames a second.
  public var sampleRate: Int
  /// The channels and their places.
  public var channelLayout: ChannelLayout
  /// How each sample is stored.
  public var sampleType: SampleType
  /// Whether the samples of a frame follow one another; else those of a channel do.
  public var isInterleaved: Bool

  /// A format; planar float by default.
  public init(
    sampleRate: Int, channelLayout: ChannelLayout, sampleType: SampleType = .float32,
    isInterleaved: Bool = false
  ) {
    self.sampleRate = sampleRate
    self.channelLayout = channelLayout
    self.sampleType = sampleType
    self.isInterleaved = isInterleaved
  }
}

/// Frames of sound with their moment: what readers give, writers take, and taps see
/// (`AVAudioPCMBuffer`, the `CMSampleBuffer` of an `AVAssetReaderTrackOutput`).
public struct PCMBuffer: Sendable, Hashable {
  /// Samples by their type. The frames of a planar buffer stand channel by channel.
  public enum Samples: Sendable, Hashable {
    case float32([Float])
    case int16([Int16])
    /// −2^23 … 2^23 − 1 each.
    case int24([Int32])
    case int32([Int32])

    fileprivate var count: Int {
      switch self {
      case .float32(let samples): samples.count
      case .int16(let samples): samples.count
      case .int24(let samples), .int32(let samples): samples.count
      }
    }

    fileprivate var type: PCMFormat.SampleType {
      switch self {
      case .float32: .float32
      case .int16: .int16
      case .int24: .int24
      case .int32: .int32
      }
    }
  }

  /// How the samples are stored.
  public let format: PCMFormat
  /// The moment of the first frame, exactly (`CMSampleBufferGetPresentationTimeStamp`).
  public let presentationTime: Time
  /// Frames of each channel (`AVAudioPCMBuffer.frameLength`).
  public let frameCount: Int
  /// `frameCount` samples of each channel.
  public let samples: Samples

  /// A buffer of samples.
  ///
  /// - Parameters:
  ///   - samples: Frame by frame where the buffer is interleaved, else channel by channel.
  ///   - sampleRate: Frames a second.
  ///   - channelLayout: The channels, in the order of the samples.
  ///   - isInterleaved: Whether the samples of a frame follow one another.
  ///   - time: The moment of the first frame.
  /// - Throws: `mendJob` where the samples are not the same number for each channel, or a format has
  ///   no rate or no channel.
  public init(
    _ samples: Samples, sampleRate: Int, channelLayout: ChannelLayout,
    isInterleaved: Bool = false, at time: Time = .zero
  ) throws(Failure) {
    let channels = channelLayout.count
    guard sampleRate > 0, channels > 0 else {
      throw Failure(
        .mendJob,
        "a buffer has \(sampleRate) Hz and \(channels) channels; give it one or more of each")
    }
    guard samples.count % channels == 0 else {
      throw Failure(
        .mendJob,
        "a buffer has \(samples.count) samples, which are not the same number for each of its "
          + "\(channels) channels; give it whole frames")
    }
    self.init(
      samples,
      PCMFormat(
        sampleRate: sampleRate, channelLayout: channelLayout, sampleType: samples.type,
        isInterleaved: isInterleaved), at: time)
  }

  /// A planar buffer of float samples, one list for each channel.
  ///
  /// - Throws: `mendJob` where there is not one list for each channel, or they differ in length.
  /// - Complexity: O(samples)
  public init(
    planes: [[Float]], sampleRate: Int, channelLayout: ChannelLayout, at time: Time = .zero
  ) throws(Failure) {
    guard planes.count == channelLayout.count, Set(planes.map(\.count)).count <= 1 else {
      throw Failure(
        .mendJob,
        "a buffer has lists of \(planes.map { "\($0.count)" }.joined(separator: ", ")) samples for "
          + "\(channelLayout.count) channels; give it one of the same length for each")
    }
    try self.init(
      .float32(Array(planes.joined())), sampleRate: sampleRate, channelLayout: channelLayout,
      at: time)
  }

  /// A buffer of whole frames, whose type is the format's.
  package init(_ samples: Samples, _ format: PCMFormat, at time: Time) {
    (self.samples, self.format, presentationTime) = (samples, format, time)
    frameCount = samples.count / max(1, format.channelLayout.count)
  }

  /// Exactly `frameCount` by the rate.
  public var duration: Time { Time(frames: Int64(frameCount), rate: format.sampleRate) }

  /// One channel's samples as floats, ±1 being full scale; integers of up to 24 bits exactly, those of
  /// 32 bits to the nearest (`AVAudioPCMBuffer.floatChannelData`). O(frames).
  ///
  /// - Parameter index: 0 …< the number of channels.
  /// - Returns: `frameCount` samples.
  public func channel(_ index: Int) -> [Float] {
    precondition(
      0..<format.channelLayout.count ~= index, "a buffer has the channels of its layout alone")
    return [Float](unsafeUninitializedCapacity: frameCount) { target, count in
      if let start = target.baseAddress { copyChannel(index, to: start) }
      count = frameCount
    }
  }

  /// Writes one channel's samples as floats to room for `frameCount` of them.
  package func copyChannel(_ index: Int, to target: UnsafeMutablePointer<Float>) {
    let channels = format.channelLayout.count
    let (first, stride) = format.isInterleaved ? (index, channels) : (index * frameCount, 1)
    switch samples {
    case .float32(let samples): Self.copy(samples, first, stride, frameCount, target) { $0 }
    case .int16(let samples):
      Self.copy(samples, first, stride, frameCount, target) { Float($0) * 0x1p-15 }
    case .int24(let samples):
      Self.copy(samples, first, stride, frameCount, target) { Float($0) * 0x1p-23 }
    case .int32(let samples):
      Self.copy(samples, first, stride, frameCount, target) { Float($0) * 0x1p-31 }
    }
  }

  @inline(__always)
  private static func copy<Sample>(
    _ samples: [Sample], _ first: Int, _ stride: Int, _ count: Int,
    _ target: UnsafeMutablePointer<Float>, _ value: (Sample) -> Float
  ) {
    samples.withUnsafeBufferPointer { samples in
      var index = 0
      while index < count {
        target[index] = value(samples[first + index * stride])
        index += 1
      }
    }
  }

  /// The samples as little-endian bytes, two, three or four for each (`AVLinearPCM…Key`). O(samples).
  public var bytes: [UInt8] {
    switch samples {
    case .float32(let samples): Self.bytes(samples, 4) { $0.bitPattern }
    case .int16(let samples): Self.bytes(samples, 2) { UInt32(truncatingIfNeeded: $0) }
    case .int24(let samples): Self.bytes(samples, 3) { UInt32(truncatingIfNeeded: $0) }
    case .int32(let samples): Self.bytes(samples, 4) { UInt32(truncatingIfNeeded: $0) }
    }
  }

  private static func bytes<Sample>(
    _ samples: [Sample], _ size: Int, _ bits: (Sample) -> UInt32
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(samples.count * size)
    for sample in samples {
      let bits = bits(sample)
      for place in 0..<size { bytes.append(UInt8(truncatingIfNeeded: bits >> (8 * UInt32(place)))) }
    }
    return bytes
  }
}
