/// How sound is made to last longer or shorter (`AVAudioTimePitchAlgorithm`).
public enum TimePitchAlgorithm: String, Sendable, Hashable, CaseIterable, Codable {
  /// Pitch kept, by rubberband: the best for music.
  case spectral
  /// Pitch kept, by FFmpeg's atempo, in the time domain: good for speech, and cheap.
  case timeDomain = "time_domain"
  /// Pitch moves along as on a tape, by resampling: exact.
  case varispeed
}
