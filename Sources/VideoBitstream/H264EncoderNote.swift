extension H264 {
  /// x264's message about itself (`user_data_unregistered`, D.1.7), where decoders go by it: before core
  /// 151 it coded blocks of 4:4:4 under CABAC otherwise than H.264 says, and libavcodec decodes that,
  /// and the very same pictures wrongly where the message is missing.
  ///
  /// - Parameters:
  ///   - units: Of the stream's first picture, at which the message stands alone.
  ///   - sequence: The stream's parameter set.
  /// - Returns: The unit; nil where decoders need none.
  package static func encoderNote(
    in units: [ArraySlice<UInt8>], under sequence: SequenceParameterSet
  ) -> [UInt8]? {
    guard sequence.chromaFormat == 3, !sequence.hasSeparatePlanes else { return nil }
    return units.first { unit in core(in: unit).map { $0 < 151 } ?? false }.map(Array.init)
  }

  /// x264's message in a picture's units, of whatever version.
  package static func encoderMessage(in units: [ArraySlice<UInt8>]) -> [UInt8]? {
    units.first { core(in: $0) != nil }.map(Array.init)
  }

  /// The version that x264's message has in a unit; nil where it is no such message.
  private static func core(in unit: ArraySlice<UInt8>) -> Int? {
    guard type(of: unit) == .supplementalInformation else { return nil }
    // It has no two zeros in a row, so that no bytes are escaped. Its text follows 16 bytes.
    let head = unit.prefix(64)
    let words = Array("x264 - core ".utf8)
    guard let place = head.firstRange(of: words)?.upperBound else { return nil }
    return Int(
      String(decoding: unit[place...].prefix { (48...57).contains($0) }.prefix(4), as: UTF8.self))
  }

  /// The messages of a picture that registered users have laid down (`user_data_registered_itu_t_t35`, D.2.6),
  /// as captions are. Encoders write each of them into a unit of its own.
  package static func registeredMessages(in units: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
    units.filter { type(of: $0) == .supplementalInformation && $0.dropFirst().first == 4 }
  }
}
