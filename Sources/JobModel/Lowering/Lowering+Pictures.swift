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
        let start = lowered.source.start
        throw QuantityError(
          "'\(picture)' is shown before "
            + (start > .zero
              ? "the range of \(lowered.name), which starts at \(start.readableText)"
              : "\(lowered.name) begins to sound"),
          help: "write a later one, or 'start'")
      }
      return time
    } catch let refusal {
      error(refusal.message, at: origin, help: refusal.help)
      return nil
    }
  }

  /// Refuses a `snap` to pictures whose times are not known.
  mutating func checkSnap(of item: Item, _ lowered: LoweredItem) -> Bool {
    guard let snap = item.snap, case .asset(let asset) = lowered.content else { return true }
    let what = "snap: \(snap.value.rawValue)"
    do throws(QuantityError) {
      switch snap.value {
      case .frame: _ = try asset.pictures(for: what, called: lowered.name)
      case .keyframe: _ = try asset.movingPicture(for: what, called: lowered.name)
      }
      return true
    } catch let refusal {
      error(refusal.message, at: snap.origin, help: "leave it out")
      return false
    }
  }

  /// A part of a clip, each edge moved as the item's `snap` says; nil, after a report, where nothing
  /// is left, or where no picture is found.
  mutating func snapped(
    _ part: TimeRange, of lowered: LoweredItem, by item: Item, else origin: Origin
  ) -> TimeRange? {
    guard let snap = item.snap, case .asset(let asset) = lowered.content else { return part }
    let offset = lowered.source.start
    let whole = TimeRange(start: offset, duration: lowered.duration)
    let moved = (
      start: snapped(offset + part.start, .start, of: asset, within: whole, by: snap),
      end: snapped(offset + part.end, .end, of: asset, within: whole, by: snap)
    )
    guard let start = moved.start, let end = moved.end else { return nil }
    guard start < end else {
      let lengths = lengths(part.start, part.end)
      error(
        "'snap' leaves nothing from \(lengths.a) to \(lengths.b): both are nearest to one "
          + (snap.value == .keyframe ? "key picture" : "picture"),
        at: origin, help: "make the range longer")
      return nil
    }
    return TimeRange(start: start - offset, end: end - offset)
  }

  /// Which edge of a part is moved.
  enum Edge { case start, end }

  /// A moment of a clip's sound, moved as `snap` says; nil after a report. The ends of `whole` stay; no
  /// part begins at its end, but one may end there that ends nearer to it than to a key picture.
  mutating func snapped(
    _ time: Time, _ edge: Edge, of asset: Asset, within whole: TimeRange, by snap: Located<Snap>
  ) -> Time? {
    guard snap.value == .keyframe, asset.hasMovingPicture, whole.start < time, time < whole.end
    else { return asset.snapped(time, within: whole) }
    let search = KeyPictureSearch(in: asset, near: time)
    guard let found = keyPicture(search, at: snap.origin) else { return nil }
    let distance = found < time ? time - found : found - time
    if edge == .end, whole.end - time <= distance { return whole.end }
    return min(max(found, whole.start), whole.end)
  }
}

extension Asset {
  /// When a picture is shown, in the time of the sound; `name` is that of the file in messages.
  ///
  /// - Throws: Why that is not known.
  func start(
    of picture: PicturePlace, called name: LoweredItem.Name
  ) throws(QuantityError) -> Time {
    let pictures = try pictures(for: "\(picture)", called: name)
    switch picture {
    case .number(let number): return pictures.grid.start(of: number)
    case .timecode(let code):
      return pictures.grid.start(of: try pictures.number(of: code, called: name, until: duration))
    }
  }

  /// A moment of the sound, moved to the nearest one in `whole` at which a picture is first shown, the
  /// later of two that are as near. The ends of `whole` stay, and so does all of a file whose pictures
  /// have no known times.
  func snapped(_ time: Time, within whole: TimeRange) -> Time {
    guard whole.start < time, time < whole.end,
      let pictures = try? pictures(for: "", called: .medium(location))
    else { return time }
    let number = pictures.grid.number(nearest: time)
    let near = [number - 1, number, number + 1].map(pictures.grid.start)
    let moved = near[1] < whole.start ? near[2] : near[1] > whole.end ? near[0] : near[1]
    return min(max(moved, whole.start), whole.end)
  }

  /// When its pictures are shown; `what` needs that.
  func pictures(
    for what: String, called name: LoweredItem.Name
  ) throws(QuantityError) -> PictureTimes {
    let track = try movingPicture(for: what, called: name)
    guard let grid = pictureGrid else {
      throw QuantityError(
        "'\(what)' needs pictures that all last equally long, and \(name) does not say that its do",
        help: "write seconds")
    }
    return PictureTimes(grid: grid, timecode: track.timecode)
  }

  /// Whether it has a moving picture.
  var hasMovingPicture: Bool { tracks.contains { $0.mediaType == .video } }

  /// Its moving picture; `what` needs that.
  func movingPicture(
    for what: String, called name: LoweredItem.Name
  ) throws(QuantityError) -> AssetTrack {
    guard let track = tracks.first(where: { $0.mediaType == .video }) else {
      let isMovie = MovieContainer(extension: location.file?.extension ?? "") != nil
      throw QuantityError(
        isPredicted && isMovie
          ? "'\(what)' is not known before \(name) is made"
          : "'\(what)' needs a moving picture, and \(name) has none", help: "write seconds")
    }
    return track
  }
}

/// When the pictures of a file are shown, in the time of its sound.
struct PictureTimes {
  let grid: PictureGrid
  /// Of the first one, as the file has it.
  let timecode: String?

  /// How many pictures come before one; `end` is how long the file lasts.
  func number(
    of code: Timecode, called name: LoweredItem.Name, until end: Time
  ) throws(QuantityError) -> Int64 {
    let duration = grid.duration
    guard let timecode else { return try code.number(lasting: duration) }
    // First: of a file whose own timecodes do not fit its rate, none could be written instead.
    guard let start = Timecode(stored: timecode),
      let first = try? start.number(lasting: duration)
    else {
      throw QuantityError(
        "\(name) begins at '\(timecode)', which is no timecode of its pictures",
        help: "write 'frame 1234', counted from 0, or seconds")
    }
    let number = try code.number(lasting: duration)
    guard start.isDropFrame == code.isDropFrame else {
      throw QuantityError(
        "the timecodes of \(name), which begins at '\(start)', are "
          + (start.isDropFrame ? "drop-frame" : "not drop-frame"),
        help: "write '\(code.withOtherSign)'")
    }
    guard number < first else { return number - first }
    // A recording that goes on after midnight.
    let next = number + PictureRate(duration).day(isDropFrame: code.isDropFrame) - first
    guard duration.multiplied(by: next, over: 1) <= end else {
      throw QuantityError(
        "'\(code)' is before the first picture of \(name), which is '\(start)'",
        help: "timecodes count from there on")
    }
    return next
  }
}
