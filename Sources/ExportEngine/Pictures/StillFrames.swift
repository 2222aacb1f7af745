import Diagnosis
import ExportGraph
import LibAV
import MediaComposition
import MediaTime

/// Still pictures, each from its moment on. Each is decoded when it is shown, and turned as its file says.
final class StillFrames: PictureFrames {
  /// Of all pictures: that of the settings, or of the first one.
  let form: PictureForm
  let source = 0
  private let isCut: Bool
  private var stills: ArraySlice<StillPicture>

  /// As many as are shown a second where the settings have no rate: players seek by pictures, and
  /// some services refuse videos with fewer.
  static let usualRate = VideoSettings.FrameRate(2)
  /// The longest side that an output gets from a picture alone.
  private static let longestSide = 1920

  /// Stills in order of their moments.
  ///
  /// - Throws: `mendInput` where the first is no picture.
  init(_ stills: [StillPicture], _ settings: VideoSettings) throws(Failure) {
    self.stills = stills[...]
    isCut = settings.fit == .cover
    guard let first = stills.first, let picture = try readPicture(first.picture, as: "the image")
    else { throw Failure(.mendJob, "has no image that can be shown") }
    form = PictureForm(
      like: PictureForm(width: picture.width, height: picture.height).limited(to: Self.longestSide),
      rotation: picture.orientation.rotation, settings.size)
  }

  func next() throws(LibAVError) -> (frame: Frame, time: Time)? {
    guard let still = stills.popFirst() else { return nil }
    let picture: Picture?
    do throws(Failure) {
      picture = try readPicture(still.picture, as: "the image")
    } catch {
      throw LibAVError.refusedPicture(error.message).blamed(on: error)
    }
    guard let picture else { return try next() }
    do throws(LibAVError) {
      guard Decoder.exists(for: picture) else { throw LibAVError.missingStillDecoder }
      let frame = try Decoder.decode(picture)
      let orientation = picture.orientation
      var plan = PictureScaler.Plan(
        frame.form, frame.colours(of: nil), rotation: orientation.rotation, to: form, in: .bt709,
        isCut: isCut)
      plan.isMirrored = orientation.isMirrored
      return (try plan.opened().scaled(frame), still.start)
    } catch {
      throw error.blamed(on: error.inputFailure(still.picture.location))
    }
  }
}

extension PictureCache {
  /// Throws where a still cannot be shown, without decoding any.
  mutating func requireStills(_ stills: [StillPicture]) throws(Failure) {
    for still in stills {
      // A media file's picture was checked by the probe.
      guard case .picture(let location) = still.picture else { continue }
      let head = try picture(location, as: "the image").head
      guard Decoder.exists(for: head) else {
        let error = LibAVError.missingStillDecoder
        throw error.cause as? Failure ?? error.machineFailure
      }
    }
  }
}

extension LibAVError {
  fileprivate static var missingStillDecoder: LibAVError {
    missingCodec(
      "FFmpeg's decoder of JPEG and PNG", to: "show stills",
      or: "leave the picture out with 'video: none'")
  }
}

extension MediaLibrary {
  /// Opens stills as the picture of an output.
  ///
  /// - Parameters:
  ///   - plan: Which, and when.
  ///   - settings: How they are encoded.
  ///   - tally: Counts the pictures.
  ///   - sound: Opens what a waveform is drawn of.
  /// - Returns: The track at its first packet.
  /// - Throws: As reading the pictures and the sound does, and what the encoder refuses.
  func openStills(
    of plan: PicturePlan, _ settings: VideoSettings, counting tally: PictureTally,
    _ sound: () throws(Failure) -> OutputSound
  ) throws(Failure) -> Companions {
    // So that nothing is encoded before one of the last is refused.
    var pictures = PictureCache()
    try pictures.requireStills(plan.stills)
    var settings = settings
    let usual =
      settings.waveform == nil ? StillFrames.usualRate : VideoSettings.Waveform.usualRate
    let rate = settings.frameRate ?? usual
    settings.frameRate = rate
    let stills = try StillFrames(plan.stills, settings)
    let frames: any PictureFrames =
      if let waveform = settings.waveform {
        WaveformFrames(stills, waveform.colour, rate, try sound())
      } else {
        stills
      }
    do throws(LibAVError) {
      let encoder = try PictureRenderer.open(settings, stills.form, like: nil, timescale: 1)
      let renderer = PictureRenderer(
        frames, encoder, hasConstantRate: true, endsExactly: true, until: plan.duration,
        counting: tally)
      let setting = CompanionSetting(delay: 0, language: nil)
      let track = try PictureTrack(
        .encoder(encoder, renderer.timeBase), setting, renderer.next)
      track.pictureDuration = encoder.timeBase
      return .made(CompanionTracks(track))
    } catch {
      throw error.cause as? Failure ?? error.machineFailure
    }
  }
}
