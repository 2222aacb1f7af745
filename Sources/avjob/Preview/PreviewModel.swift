import MediaTime

/// What the preview's screen shows, at one moment.
struct PreviewModel {
  /// How it is getting on.
  enum State { case playing, paused, waiting }

  /// A track of the entry that is heard.
  struct Track {
    var name: String
    var isMuted = false
    var isSolo = false
    var meter = LevelMeter()
  }

  /// A channel of what is heard.
  struct Channel {
    /// Such as `L`.
    var name: String
    var meter = LevelMeter()
  }

  /// In LUFS; nil for what is not known, or silence.
  struct Loudness {
    var momentary: Double?
    var shortTerm: Double?
    var integrated: Double?
    /// In decibels of full scale; nil before there is one.
    var truePeak: Double?
    /// Whether any channel was over full scale since that was cleared.
    var isOver = false
  }

  /// A range that is heard again and again.
  struct Loop: Equatable {
    var start: Time
    /// Nil while nobody has said it.
    var end: Time?
  }

  /// Where it plays.
  struct Device {
    var name: String
    /// Such as `48 kHz stereo, 16 bits`; nil where it is not there.
    var format: String?
    var bufferedMilliseconds = 0
    var xruns = 0
  }

  var state = State.playing
  /// Of the entry.
  var title = ""
  /// From 1.
  var entry = 1
  var entryCount = 1
  var time = Time.zero
  var duration = Time.zero
  /// In hundredths.
  var rate = 100
  /// In decibels.
  var volume = 0
  /// In hundredths, to the right.
  var pan = 0
  /// What is looped.
  var loop: Loop?
  /// Whether the first entry comes again after the last.
  var isLooping = false
  /// Whether `n` and `p` lead to chapters, and not to segments.
  var hasChapters = false
  /// The chapter that is heard.
  var chapter: String?
  /// What sounds.
  var segments: [String] = []
  var tracks: [Track] = []
  var channels: [Channel] = []
  var loudness = Loudness()
  var device = Device(name: "")
  /// Something to be read until the next one comes, or a key.
  var message: String?
  /// What was typed after `g`; nil where nothing is being typed.
  var typed: String?
  /// Whether the next number is that of a track to be heard alone.
  var takesSolo = false
  var showsHelp = false
}
