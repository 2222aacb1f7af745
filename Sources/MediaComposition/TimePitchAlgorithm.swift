/// How sound is made to last longer or shorter (`AVAudioTimePitchAlgorithm`).
public enum TimePitchAlgorithm: String, Sendable, Hashable, CaseIterable, Codable {
  /// Pitch kept, by rubberband: for many voices at once, such as music, whose attacks it keeps. A bare
  /// tone wavers.
  case spectral
  /// Pitch kept, by FFmpeg's atempo, in the time domain: for one voice, spoken, sung or played, and
  /// cheap. Attacks move by up to 45 ms.
  case timeDomain = "time_domain"
  /// Pitch moves along as on a tape, by resampling: exact.
  case varispeed
}
