import Diagnosis
import MediaComposition
import MediaTime

extension Lowering {
  /// When a picture of a clip's file is shown, in the time of `lowered`, which is a part of the file;
  /// nil after a report.
  mutating func time(
    of picture: PicturePlace, in lowered: LoweredItem, _ stage: Stage, at origin: Origin
  ) -> Time? {
    do throws(QuantityError) {
      guard stage != .level else {
        throw QuantityError(
          "'\(picture)' is a picture of the source, and this time counts in the item as it sounds",
          help: "write seconds, or name 'clock: source'")
      }
      guard case .asset(let asset) = lowered.content else {
        throw QuantityError(
          "'\(picture)' is a picture of a clip, and \(lowered.name) is none", help: "write seconds")
      }
      let time = try asset.start(of: picture, called: lowered.name) - lowered.source.start
      guard time.isNumeric, time >= .zero - Self.slack else {
        throw QuantityError(
          "'\(picture)' is shown before \(lowered.name) begins to sound",
          help: "write a later one, or 'start'")
      }
      return time
    } catch let refusal {
      error(refusal.message, at: origin, help: refusal.help)
      return nil
    }
  }
}

extension Asset {
  /// When a picture is shown, in the time of the sound; `name` is that of the file in messages.
  ///
  /// - Throws: Why that is not known.
  func start(
    of picture: PicturePlace, called name: LoweredItem.Name
  ) throws(QuantityError) -> Time {
    guard let track = tracks.first(where: { $0.mediaType == .video }) else {
      let isMovie = MovieContainer(extension: location.file?.extension ?? "") != nil
      throw QuantityError(
        isPredicted && isMovie
          ? "'\(picture)' is not known before \(name) is made"
          : "'\(picture)' is a picture, and \(name) has no moving picture", help: "write seconds")
    }
    guard let first = track.firstPicture, let duration = track.frameDuration, duration > .zero
    else {
      throw QuantityError(
        "'\(picture)' has no certain time: \(name) does not say that its pictures all last equally "
          + "long", help: "write seconds")
    }
    let number = try track.number(
      of: picture, lasting: duration, called: name, until: self.duration)
    return first + duration.multiplied(by: number, over: 1) - start
  }
}

extension AssetTrack {
  /// How many pictures come before one; `end` is how long the file lasts.
  fileprivate func number(
    of picture: PicturePlace, lasting duration: Time, called name: LoweredItem.Name, until end: Time
  ) throws(QuantityError) -> Int64 {
    let code: Timecode
    switch picture {
    case .number(let number): return number
    case .timecode(let timecode): code = timecode
    }
    let number = try code.number(lasting: duration)
    guard let text = timecode else { return number }
    // A point stands for drop-frame in some files.
    guard let start = Timecode(text.replacing(".", with: ";")),
      let first = try? start.number(lasting: duration)
    else {
      throw QuantityError(
        "'\(picture)' has no certain time: \(name) begins at '\(text)', which is no timecode of its "
          + "pictures", help: "write 'frame 1234', counted from 0, or seconds")
    }
    guard start.isDropFrame == code.isDropFrame else {
      throw QuantityError(
        "the timecodes of \(name), which begins at '\(start)', are "
          + (start.isDropFrame ? "drop-frame" : "not drop-frame"),
        help: "write '\(code.withOtherSign)'")
    }
    guard number < first else { return number - first }
    // A recording that goes on after midnight.
    let next = number + Timecode.day(lasting: duration, isDropFrame: code.isDropFrame) - first
    guard duration.multiplied(by: next, over: 1) <= end else {
      throw QuantityError(
        "'\(picture)' is before the first picture of \(name), which is '\(start)'",
        help: "timecodes count from there on")
    }
    return next
  }
}
