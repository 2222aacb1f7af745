import MediaTime
import NowPlaying

/// A command for a preview, of its keyboard or of another program.
enum PlayerCommand: Sendable, Hashable {
  case play, pause, playOrPause
  /// Pause, and go to the start.
  case stop
  /// Go to a time of the entry, or that much forward.
  case seek(Change<Time, Time>)
  /// Go forward, or back if negative; beyond the end, to the next entry.
  case skip(by: Time)
  /// Frames of the entry forward, or back if negative, in a pause.
  case frame(by: Int)
  /// To the next or the previous picture of the entry, in a pause.
  case nextPicture, previousPicture
  /// Go to a time, as it was typed.
  case go(to: String)
  /// Go to the next or previous place of the entry, or else to the next or previous entry.
  case next(Stops), previous(Stops)
  /// Go to the entry of an index, or that many entries further.
  case entry(Change<Int, Int>)
  /// Go to a track of `PreviewTracks`, by its identity.
  case content(String)
  /// So many items or joins further, or back if negative.
  case item(by: Int), join(by: Int)
  /// Play some seconds around each join, or end that.
  case tour
  /// Change the volume by decibels, or to a factor.
  case volume(Change<Int, Double>)
  /// Hundredths to the right.
  case pan(by: Int)
  /// Change the speed by hundredths, or to a factor.
  case rate(Change<Int, Double>)
  case repeats(RepeatType)
  /// Tracks are counted from 0.
  case mute(Int), solo(Int)
  case track(TrackCommand)
  case loopStart, loopEnd, noLoop
  case words(WordsCommand)
  /// Mark the place, or the loop; remove the last mark, or name it.
  case mark, markLoop, unmark, nameMark(String)
  case list(ListCommand)
  /// Go over from the mix to the encoded output, or back.
  case encoded
  /// Clears the OVER marks.
  case clear
  /// Escape: end what is under way.
  case leave
  case quit

  /// A step, back if it is negative, or a new value.
  enum Change<Step: Sendable & Hashable, Value: Sendable & Hashable>: Sendable, Hashable {
    case by(Step), to(Value)
  }

  /// Places of an entry.
  enum Stops {
    case chapters
    /// Items where there are no chapters.
    case chaptersOrItems
  }

  /// What is done with the cursor of the tracks.
  enum TrackCommand: Hashable {
    case choose, leave
    case move(by: Int)
    /// To a track, counted from 1.
    case go(to: Int)
    case first, last
    /// At the cursor.
    case mute, solo
  }

  /// What is done with what is said in the entry.
  enum WordsCommand: Hashable {
    /// Go to the first place behind this one where these words are said.
    case find(String)
    /// To the next of those places, or to the one before if negative.
    case findAgain(by: Int)
    /// So many cues further, or back if negative.
    case cue(by: Int)
    /// Mark what was found, or the cue.
    case markFound
  }

  /// What is done with the list of entries, chapters and marks.
  enum ListCommand: Hashable {
    case open, close
    /// Opens the list of sound devices instead.
    case openDevices
    case move(by: Int)
    case first, last
    /// Shows only rows with a text, or goes to the entry of a number.
    case find(String)
    /// Goes to the place of the chosen row, and closes the list.
    case choose
    /// Removes the chosen mark.
    case remove
  }

  /// So much forward, or back if negative.
  static func step(milliseconds: Int64) -> Self {
    .seek(.by(Time(value: milliseconds, timescale: 1000)))
  }
}
