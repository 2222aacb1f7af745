internal import CFDKAAC

/// Turns sound into packets of AAC (`HANDLE_AACENCODER`).
///
/// Owns its encoder. One thread at a time; it starts no threads of its own, and its bytes depend on
/// the sound, the settings and the library alone.
package final class FDKEncoder {
  /// What is encoded, and how.
  package struct Settings: Sendable, Hashable {
    /// The audio object type (ISO 14496-3, table 1.17): 2 is AAC-LC, 5 HE-AAC, 29 HE-AAC v2.
    package var objectType: Int
    /// Bits a second for all channels together; nil for a variable bit rate.
    package var bitRate: Int?
    /// 1 (smallest) to 5, without a bit rate.
    package var quality: Int
    /// Frames a second.
    package var sampleRate: Int
    /// 1 to 6, in the order of WAVE (`channelConfiguration`; ISO 14496-3, table 1.19).
    package var channelCount: Int

    /// Settings with a bit rate, or a quality.
    package init(
      objectType: Int, bitRate: Int?, quality: Int = 0, sampleRate: Int, channelCount: Int
    ) {
      (self.objectType, self.bitRate, self.quality) = (objectType, bitRate, quality)
      (self.sampleRate, self.channelCount) = (sampleRate, channelCount)
    }
  }

  /// What it encodes.
  package let settings: Settings
  /// Frames of a packet, of what it decodes to.
  package let frameLength: Int
  /// Frames before the first of the sound in what its packets decode to, with those of the decoder's
  /// spectral band replication.
  package let delay: Int
  /// The AudioSpecificConfig (ISO 14496-3, 1.6.2.1): HE-AAC is named behind the core's own, which
  /// decoders without it pass over.
  package let configuration: [UInt8]

  private let library: FDKLibrary
  private let encoder: OpaquePointer
  /// Samples side by side that fill a packet, and how many frames of them are there.
  private var samples: [Int16]
  private var filled = 0
  private var bytes: [UInt8]

  /// An encoder, ready for sound.
  ///
  /// - Throws: Of kind `libraryMissing`; the library's refusal of the settings; a bit rate that it would
  ///   change without a word is one as well.
  package init(_ settings: Settings) throws(FDKError) {
    guard let library = FDKLibrary.shared else { throw FDKError(.libraryMissing, "dlopen") }
    var opened: OpaquePointer?
    let status = library.functions.Open(&opened, 0, UInt32(clamping: settings.channelCount))
    guard status == 0, let opened else { throw FDKError("aacEncOpen", status) }
    (self.library, self.settings, encoder) = (library, settings, opened)
    var info = avjob_fdk_info()
    do throws(FDKError) {
      try Self.configure(opened, settings, library.functions)
      let status = library.functions.Info(opened, &info)
      guard status == 0 else { throw FDKError("aacEncInfo", status) }
    } catch {
      (frameLength, delay, configuration, samples, bytes) = (0, 0, [], [], [])
      throw error
    }
    frameLength = Int(info.frame_length)
    delay = Int(info.delay)
    configuration = settings.withoutStereo(
      withUnsafeBytes(of: info.configuration) { Array($0.prefix(Int(info.configuration_size))) })
    samples = [Int16](repeating: 0, count: frameLength * settings.channelCount)
    bytes = [UInt8](repeating: 0, count: max(1, Int(info.largest_packet)))
  }

  deinit {
    var encoder: OpaquePointer? = encoder
    _ = library.functions.Close(&encoder)
  }

  private static func configure(
    _ encoder: OpaquePointer, _ settings: Settings, _ functions: avjob_fdk
  ) throws(FDKError) {
    func set(_ parameter: Int, _ value: Int, else kind: FDKError.Kind) throws(FDKError) {
      let status = functions.oder_SetParam(encoder, Int32(parameter), UInt32(clamping: value))
      guard status == 0 else { throw FDKError(kind, "aacEncoder_SetParam", status) }
    }
    try set(avjob_fdk_object_type, settings.objectType, else: .noProfile)
    try set(avjob_fdk_sample_rate, settings.sampleRate, else: .unsupported)
    try set(avjob_fdk_channel_mode, settings.channelCount, else: .unsupported)
    try set(avjob_fdk_channel_order, avjob_fdk_wave_order, else: .unsupported)
    if let bitRate = settings.bitRate {
      try set(avjob_fdk_bit_rate, bitRate, else: .unsupported)
    } else {
      try set(avjob_fdk_rate_mode, settings.quality, else: .unsupported)
    }
    // As FFmpeg sets it: a search that costs time, and never quality.
    try set(avjob_fdk_afterburner, 1, else: .unsupported)
    try set(avjob_fdk_transport, avjob_fdk_raw, else: .unsupported)
    try set(avjob_fdk_signalling, avjob_fdk_compatible, else: .unsupported)
    // Without sound it makes itself ready.
    let status = functions.Encode(encoder, nil, nil, nil, nil)
    guard status == 0 else {
      let isPoor = status == avjob_fdk_no_memory
      throw FDKError(isPoor ? .noMemory : .unsupported, "aacEncEncode", status)
    }
    guard let bitRate = settings.bitRate else { return }
    let taken = Int(functions.oder_GetParam(encoder, Int32(avjob_fdk_bit_rate)))
    guard taken == bitRate else { throw FDKError(.otherBitRate(taken), "aacEncoder_GetParam") }
  }

  /// Encodes `count` frames from `start` of the planes on.
  ///
  /// - Parameters:
  ///   - planes: One pointer for each channel, to samples of 16 bits.
  ///   - start: The first frame's place in them.
  ///   - count: PCM frames, any number.
  ///   - take: Gets each packet, in order; its bytes are overwritten then.
  /// - Throws: The library's error, and that of `take`.
  package func encode(
    _ planes: UnsafePointer<UnsafeMutablePointer<Int32>>, from start: Int, count: Int,
    _ take: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let channels = settings.channelCount
    var done = 0
    while done < count {
      let length = min(frameLength - filled, count - done)
      for channel in 0..<channels {
        for index in 0..<length {
          samples[(filled + index) * channels + channel] =
            Int16(truncatingIfNeeded: planes[channel][start + done + index])
        }
      }
      filled += length
      done += length
      if filled == frameLength { try encodeFilled(take) }
    }
  }

  /// Encodes the rest; nothing may be encoded after it.
  package func finish(_ take: (UnsafeRawBufferPointer) throws -> Void) throws {
    if filled > 0 { try encodeFilled(take) }
    while try step(from: 0, count: -1, take) != nil {}
  }

  private func encodeFilled(_ take: (UnsafeRawBufferPointer) throws -> Void) throws {
    var done = 0
    while done < filled {
      guard let taken = try step(from: done, count: filled - done, take), taken > 0 else {
        throw FDKError("aacEncEncode", 0)
      }
      done += taken
    }
    filled = 0
  }

  /// Encodes some frames, or the end where `count` is −1: gives how many were taken; nil at the end.
  private func step(
    from start: Int, count: Int, _ take: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Int? {
    var (taken, written) = (0 as Int32, 0 as Int32)
    let channels = settings.channelCount
    let status = samples.withUnsafeBufferPointer { samples in
      bytes.withUnsafeMutableBufferPointer { bytes in
        avjob_fdk_encode(
          library.functionTable, encoder, samples.baseAddress.map { $0 + start * channels },
          Int32(clamping: count), Int32(clamping: channels), bytes.baseAddress,
          Int32(clamping: bytes.count), &taken, &written)
      }
    }
    if status == avjob_fdk_eof { return nil }
    guard status == 0 else { throw FDKError("aacEncEncode", status) }
    if written > 0 {
      try bytes.withUnsafeBytes { try take(UnsafeRawBufferPointer(rebasing: $0[..<Int(written)])) }
    }
    return Int(taken)
  }
}

extension FDKEncoder.Settings {
  /// The configuration of HE-AAC with one channel, and that it has no parametric stereo: where nothing
  /// says so, FFmpeg decodes it to two channels (ISO 14496-3, 1.6.5.3: the extension 0x548, and a flag).
  func withoutStereo(_ configuration: [UInt8]) -> [UInt8] {
    // Two bytes of the core's and 21 bits of the band replication's leave three bits.
    guard objectType == 5, channelCount == 1, configuration.count == 5, configuration[4] & 7 == 0
    else { return configuration }
    return configuration[..<4] + [configuration[4] | 5, 0x48, 0]
  }
}
