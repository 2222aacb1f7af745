/// The container of a WAV: its first four bytes, and how many bits its sizes have.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum WaveContainer: String, Sendable, Hashable, CaseIterable, Codable {
  /// RIFF, whose sizes have 32 bits; from 4 GiB on RF64.
  case riff
  /// RF64 at any size (EBU Tech 3306): a chunk `ds64` has sizes of 64 bits.
  case rf64
  /// BW64 at any size (ITU-R BS.2088), which stores sizes as RF64 does.
  case bw64

  /// Its name, as `RF64`.
  package var name: String { rawValue.uppercased() }
}

extension Output {
  /// The container of a WAV; nil: RIFF, or RF64 from 4 GiB on, and a copy of a whole WAV as its source.
  ///
  /// Outputs in other formats are refused with it.
  public var waveContainer: WaveContainer? {
    get { marks?.container }
    set {
      guard newValue != marks?.container else { return }
      var changed = marks ?? MarkRequest()
      changed.container = newValue
      marks = changed
    }
  }
}
