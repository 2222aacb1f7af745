import MediaTime
import Playback

/// The contents of the preview's screen at one moment.
struct PreviewModel {
  /// The state of the player.
  enum State: Equatable {
    case playing, paused
    /// Waiting for a device.
    case waiting
    /// Waiting for bytes of a server, or for the next entry. `share`, from 0 to 1, is the part that
    /// is here of the sound that must be here before playback continues; nil: the first sound is
    /// enough.
    case buffering(share: Double?)
    /// Rendering ahead what is too heavy to be heard live.
    case renderingAhead(share: Double)
  }

  /// A track of the current entry.
  struct Track {
    var name: String
    var isMuted = false
    var isSolo = false
    var meter = LevelMeter()
  }

  /// A channel of the current entry.
  struct Channel {
    /// Such as `L`.
    var name: String
    var meter = LevelMeter()
  }

  /// What lowers the sound of a track, or of the mix.
  struct Reduction: Equatable {
    /// Such as `music duck`.
    var name: String
    /// In decibels, 0 or less: it falls at once and rises slowly.
    private(set) var gain = 0.0

    /// Shows the lowest gain of the last `seconds`; nil is none.
    mutating func show(_ gain: Double?, after seconds: Double) {
      self.gain = min(gain ?? 0, self.gain + LevelMeter.fall * seconds, 0)
    }
  }

  /// A range that is looped.
  struct Loop: Equatable {
    var start: Time
    /// Nil until it is set.
    var end: Time?
  }

  /// The sound device.
  struct Device {
    var name: String
    /// Such as `48 kHz stereo, 16 bits`; nil if the device is not open.
    var format: String?
    var bufferedMilliseconds = 0
    var xruns = 0
  }

  var state = State.playing
  /// The name of the entry.
  var title = ""
  /// From 1.
  var entry = 1
  var entryCount = 1
  var time = Time.zero
  var duration = Time.zero
  /// The parts of the entry that are here; nil: all.
  var loaded: [TimeRange]?
  /// In hundredths.
  var rate = 100
  /// The share of the way to the export's samples, while the sound is only near them; nil: they are
  /// heard.
  var approximation: Double?
  /// Seconds of sound that are rendered in a second, if that is known.
  var renderingRate: Double?
  /// In decibels.
  var volume = 0
  /// In hundredths, to the right.
  var pan = 0
  /// The loop.
  var loop: Loop?
  /// Whether the first entry follows the last.
  var isLooping = false
  /// Whether `n` and `p` go to chapters, and not to segments.
  var hasChapters = false
  /// The current chapter.
  var chapter: String?
  /// Whether anything is said in the entry.
  var hasWords = false
  /// What is said.
  var said: SaidCue?
  /// The names of the current segments.
  var segments: [String] = []
  /// Where the job declares them, such as `podcast.yaml:8`.
  var sources: [String] = []
  /// What is known of the entry's sound; nil if no picture is made of it.
  var overview: Overview?
  /// The number of the picture that is shown, in its source; nil where none is known.
  var frame: Int64?
  /// The picture that was decoded last; nil: there is none to be shown.
  var picture: PreviewPictures.Shown?
  /// The starts of the chapters, from 0 to 1.
  var chapterPlaces: [Double] = []
  /// The marks of the entry, from 0 to 1; a place has no length.
  var marks: [ClosedRange<Double>] = []
  /// The number of the join that a tour plays, from 1, and of all joins; nil without a tour.
  var tour: (number: Int, count: Int)?
  var tracks: [Track] = []
  /// The track under the cursor, from 0, while there is one.
  var trackCursor: Int?
  var channels: [Channel] = []
  var reductions: [Reduction] = []
  var loudness = LoudnessReading()
  var device = Device(name: "")
  /// A message, until the next one or a key.
  var message: String?
  /// What is wrong with the job files, until it is mended.
  var notice: String?
  /// What the next keys are for.
  var mode = PreviewKeys.Mode.commands
  /// The list, while it is open.
  var list: PreviewList?
  /// The first line of the help that is shown; nil: it is hidden.
  var helpStart: Int?
  /// Whether there is a keyboard.
  var hasKeys = true

  /// The place of a time in the entry, from 0 to 1.
  func share(of time: Time) -> Double {
    duration > .zero ? max(0, min(1, time.seconds / duration.seconds)) : 0
  }
}
