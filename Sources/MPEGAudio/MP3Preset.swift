/// The names that LAME gives to some of its settings (`--preset`).
package enum MP3Preset: String, Sendable, Hashable, CaseIterable, Codable {
  case medium, standard, extreme, insane
  case phone
  case phonePlus = "phon+"
  case longWave = "lw"
  case mediumWaveEurope = "mw-eu"
  case shortWave = "sw"
  case mediumWaveUS = "mw-us"
  case voice, fm, radio, tape, hifi, cd, studio

  /// What the name stands for.
  package var settings: MP3Settings {
    switch self {
    case .medium: MP3Settings(.vbr(quality: 4))
    case .standard: .standard
    case .extreme: MP3Settings(.vbr(quality: 0))
    case .insane: MP3Settings(.cbr(bitRate: 320_000))
    case .phone: MP3Settings(.abr(bitRate: 16_000))
    case .phonePlus, .longWave, .mediumWaveEurope, .shortWave: MP3Settings(.abr(bitRate: 24_000))
    case .mediumWaveUS: MP3Settings(.abr(bitRate: 40_000))
    case .voice: MP3Settings(.abr(bitRate: 56_000))
    case .fm, .radio, .tape: MP3Settings(.abr(bitRate: 112_000))
    case .hifi: MP3Settings(.abr(bitRate: 160_000))
    case .cd: MP3Settings(.abr(bitRate: 192_000))
    case .studio: MP3Settings(.abr(bitRate: 256_000))
    }
  }

  /// Whether LAME also mixes down to one channel under this name, which `settings` cannot say.
  package var isMono: Bool {
    switch self {
    case .phone, .phonePlus, .longWave, .mediumWaveEurope, .shortWave, .mediumWaveUS, .voice: true
    default: false
    }
  }
}
