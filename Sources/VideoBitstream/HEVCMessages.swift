extension HEVC {
  /// What registered users have laid down for pictures (`user_data_registered_itu_t_t35`, H.265 D.2.6).
  package enum RegisteredMessage: String, Sendable, CaseIterable {
    /// The tones of each picture (SMPTE ST 2094-40).
    case dynamicLight = "HDR10+"
    /// Those of television (CTA-608 and 708, in ATSC A/53).
    case captions

    /// What the message begins with: the country, the provider, and what the provider says of it.
    fileprivate var head: [UInt8] {
      switch self {
      case .dynamicLight: [0xB5, 0x00, 0x3C, 0x00, 0x01, 0x04]
      case .captions: [0xB5, 0x00, 0x31] + Array("GA94".utf8) + [0x03]
      }
    }
  }

  /// Which of them a picture has, each once. A damaged message is ignored. Complexity: O(bytes of messages)
  package static func registeredMessages(
    in units: [ArraySlice<UInt8>]
  ) -> [RegisteredMessage] {
    // The header has a byte more than that of H.264.
    let messages = units.filter { type(of: $0) == .prefixMessage }
      .flatMap { (try? SupplementalMessage.messages(of: $0.dropFirst())) ?? [] }
    return RegisteredMessage.allCases.filter { kind in
      messages.contains { $0.type == 4 && $0.payload.starts(with: kind.head) }
    }
  }
}
