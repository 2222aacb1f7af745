/// Which of libavfilter's audio filters an effect may name.
///
/// Allowed is what opens nothing, has one input and one output of the same rate and channels, and
/// gives each frame at its own time, whatever its options are: a test feeds each with a click, alone
/// and with options. `afftdn` lags, by a known time. All others are refused, the usual ones with
/// what to use instead.
package enum FilterTable {
  /// By FFmpeg's names.
  package static let allowed: Set<String> = [
    "acompressor", "acontrast", "acrusher", "adeclip", "adenorm", "adynamicequalizer", "aemphasis",
    "afftdn", "agate", "allpass", "aphaser", "apulsator", "asubboost", "asubcut",
    "asupercut", "asuperpass", "asuperstop", "atilt", "bandpass", "bandreject", "bass", "biquad",
    "chorus", "compand", "crossfeed", "crystalizer", "dcshift", "deesser", "equalizer",
    "extrastereo", "flanger", "highpass", "highshelf", "lowpass", "lowshelf", "pan", "stereowiden",
    "tiltshelf", "treble", "tremolo", "volume",
  ]

  /// Functions of libavutil's expressions that may never end, or that read the clock.
  static let unboundedFunctions = ["while(", "taylor(", "root(", "time("]
  static let unboundedReason = "may not end, or gives another sound at each run"

  struct Refusal: Sendable {
    var why: String
    var instead: String
  }

  static let refused: [String: Refusal] = {
    var refused: [String: Refusal] = [:]
    func refuse(_ names: String, _ why: String, _ instead: String) {
      for name in names.split(separator: " ") {
        refused[String(name)] = Refusal(why: why, instead: instead)
      }
    }
    let opens = "opens files or devices"
    refuse("amovie movie", opens, "put the file on a track of its own")
    refuse("ladspa lv2 sofalizer asr ametadata", opens, "filter the file before")
    refuse("arnndn", opens, "use 'denoise'")
    refuse("firequalizer", opens, "use 'eq'")
    refuse("afir headphone", "has more than one input", "filter the file before")
    refuse("asendcmd azmq", "takes commands from outside", "write 'enable' for times")
    let changesTime = "changes the time of a sound"
    refuse("atempo rubberband asetrate", changesTime, "use 'speed'")
    refuse("atrim", changesTime, "use 'from' and 'to'")
    refuse("aloop", changesTime, "use 'loop'")
    refuse("areverse", changesTime, "use 'reverse'")
    refuse("adelay", changesTime, "use 'at', or a silence in a list")
    refuse("apad", changesTime, "put a silence behind the item")
    refuse("silenceremove", changesTime, "use 'trim'")
    refuse(
      "asetpts asettb asetnsamples acue arealtime compensationdelay", changesTime,
      "place the item with 'at'")
    refuse("asoftclip", "moves a sound where it oversamples", "use 'limiter'")
    refuse("aecho", "makes a sound longer", "use 'delay'")
    refuse("aresample aformat", "changes the rate of a sound", "write 'sample_rate' for an output")
    refuse(
      "channelmap channelsplit join amerge earwax surround dialoguenhance virtualbass haas bs2b",
      "changes the channels of a sound", "use 'channels', or 'pan' of a job")
    refuse(
      "amix acrossfade amultiply sidechaincompress sidechaingate", "has more than one input",
      "use 'tracks'")
    refuse("afade", "counts from the start of the sound alone", "use 'fade_in' and 'fade_out'")
    let lags = "gives a sound late, by a time that depends on its options"
    refuse("anlmdn afwtdn", lags, "use 'denoise'")
    refuse("adeclick", lags, "use 'declick'")
    refuse("afftfilt superequalizer", lags, "use 'eq'")
    refuse("alimiter apsyclip", lags, "use 'limiter'")
    refuse(
      "adecorrelate adynamicsmooth afreqshift aphaseshift vibrato stereotools", lags,
      "filter the file before")
    refuse(
      "dynaudnorm speechnorm", "follows the level of sound that is still to come",
      "use 'leveler'")
    refuse("loudnorm", "changes the rate of a sound", "use 'loudness'")
    return refused
  }()
}
