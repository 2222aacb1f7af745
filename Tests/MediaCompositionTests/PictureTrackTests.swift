import Diagnosis
import MediaTime
import SystemPackage
import Testing

@testable import MediaComposition

@Suite("Tracks of pictures")
struct PictureTrackTests {
  private let a = film("a.mp4")
  private let b = film("b.mp4")
  private let voice = sound("voice.wav")

  private func error(_ edit: () throws -> Void) -> EditError? {
    do {
      try edit()
      return nil
    } catch {
      return error as? EditError
    }
  }

  @Test("a track of pictures takes assets that have one, and other tracks of pictures")
  func media() throws {
    var track = Track(mediaType: .video)
    #expect(
      error { try track.insertTimeRange(range(0, 5), of: voice, at: .zero) }
        == .missingMedia(.video))
    try track.insertTimeRange(range(0, 5), of: a, at: .zero)
    let heard = Track(segments: track.segments)
    #expect(
      error { try track.insertTimeRange(range(0, 5), of: heard, at: .zero) }
        == .missingMedia(.video))
    var other = heard
    #expect(
      error { try other.insertTimeRange(range(0, 5), of: track, at: .zero) }
        == .missingMedia(.audio))
    let silent = Composition(tracks: [Track(segments: [clip(voice, from: 0, lasting: 5, at: 0)])])
    #expect(
      error { try track.insertTimeRange(range(0, 5), of: silent, at: .zero) }
        == .missingMedia(.video))
    try track.insertTimeRange(range(0, 5), of: Composition(tracks: [heard]), at: .invalid)
    try track.insertTimeRange(range(2, 6), of: track, at: .invalid)
    #expect(track.segments.map(\.target) == [range(0, 5), range(5, 5), range(10, 3), range(13, 3)])
    let wrong = Track(mediaType: .video, segments: [clip(voice, from: 0, lasting: 5, at: 0)])
    #expect(error { try wrong.validate() } == .missingMedia(.video))
    try track.validate()
  }

  @Test("an asset with a picture goes into a track of each kind, and pushes back what is on all")
  func assets() throws {
    var composition = Composition()
    try composition.insertTimeRange(range(0, 10), of: a, at: .zero)
    try composition.insertTimeRange(range(0, 4), of: voice, at: seconds(6))
    #expect(composition.tracks.map(\.mediaType) == [.audio, .video])
    #expect(composition.tracks.map(\.end) == [seconds(14), seconds(14)])
    let picture = composition.videoTracks[0].segments
    #expect(picture.map(\.target) == [range(0, 6), range(6, 4), range(10, 4)])
    #expect(picture.map(\.isEmpty) == [false, true, false])
    try composition.removeTimeRange(range(6, 4))
    let whole = [clip(a, from: 0, lasting: 10, at: 0)]
    #expect(composition.tracks.map(\.segments) == [whole, whole])
    try composition.scaleTimeRange(range(0, 10), toDuration: seconds(20))
    #expect(composition.videoTracks[0].segments.map(\.target) == [range(0, 20)])
    #expect(composition.tracks(withMediaType: .audio).count == 1)
    let index = composition.addMutableTrack(withMediaType: .video)
    #expect(composition.tracks[index] == Track(mediaType: .video))
  }

  @Test("pictures that followed their sound stay where they were when a track of pictures comes")
  func separated() throws {
    var composition = Composition(tracks: [
      Track(segments: [clip(a, from: 0, lasting: 10, at: 0)]),
      Track(segments: [clip(voice, from: 0, lasting: 10, at: 0)]),
    ])
    let before = composition
    try composition.insertTimeRange(range(0, 2), of: b, at: seconds(4))
    #expect(composition.tracks.map(\.mediaType) == [.audio, .audio, .video])
    let picture = composition.tracks[2].segments
    #expect(picture.map(\.target) == [range(0, 4), range(4, 2), range(6, 6)])
    #expect(picture[0].content == .composition(before))
    #expect(picture[2].source == range(4, 6))
    #expect(composition.shownAssets == [a, b])
  }

  @Test("the pictures of an inserted composition go into tracks of pictures")
  func compositions() throws {
    var target = Composition()
    try target.insertTimeRange(range(0, 10), of: a, at: .zero)
    let other = Composition(tracks: [
      Track(name: "talk", segments: [clip(b, from: 0, lasting: 10, at: 0)])
    ])
    try target.insertTimeRange(range(2, 4), of: other, at: seconds(5))
    #expect(target.tracks.map(\.mediaType) == [.audio, .video])
    #expect(target.tracks.map(\.end) == [seconds(14), seconds(14)])
    let piece = target.videoTracks[0].segments[1]
    #expect(piece.content == .composition(other) && piece.source == range(2, 4))

    var followed = Composition()
    followed.addTrack()
    try followed.insertTimeRange(range(0, 10), of: other, at: .zero)
    #expect(followed.videoTracks.isEmpty)
    #expect(followed.shownAssets == [b])
  }

  @Test("what is shown is not heard: it has no say in sound and chapters, and is read")
  func unheard() throws {
    var segment = clip(a, from: 0, lasting: 5, at: 0)
    segment.chapters = [Chapter(start: .zero, title: "x")]
    let picture = Track(name: "voice", mediaType: .video, segments: [segment])
    var ducked = Track(segments: [clip(voice, from: 0, lasting: 5, at: 0)])
    ducked.ducking = AudioDucking(under: ["voice"], by: 12)
    let composition = Composition(tracks: [picture, ducked])
    #expect(composition.assets == [voice])
    #expect(composition.readAssets == [voice, a])
    #expect(composition.chapters == [])
    #expect(composition.sources(at: seconds(1)).map(\.asset) == [voice])
    #expect(composition.times(of: a, at: seconds(1)) == [])
    #expect(error { try composition.validate() } == .unknownTrack("voice"))
  }

  @Test("a disabled track of pictures shows nothing, and without any the sound's are shown")
  func disabled() {
    let heard = Track(segments: [clip(a, from: 0, lasting: 5, at: 0)])
    var picture = Track(mediaType: .video, segments: [clip(b, from: 0, lasting: 5, at: 0)])
    #expect(Composition(tracks: [heard]).shownAssets == [a])
    #expect(Composition(tracks: [heard, picture]).shownAssets == [b])
    picture.isEnabled = false
    var composition = Composition(tracks: [heard, picture])
    #expect(composition.shownAssets == [])
    composition.removeTrack(at: 1)
    #expect(composition.shownAssets == [a])
  }
}

@Suite("Presets of outputs")
struct OutputPresetTests {
  private func composition(_ assets: Asset...) -> Composition {
    Composition(tracks: assets.map { Track(segments: [clip($0, from: 0, lasting: 5, at: 0)]) })
  }

  @Test("passthrough copies the picture, and the sound in the format that the file can hold")
  func passthrough() throws {
    let movie = try Output(path: "a.M4V", preset: .passthrough, of: composition(film("a.mp4")))
    #expect(movie.video == .strictCopy && movie.fileType == .m4v)
    #expect(movie.request == .copied(.aac))
    #expect(movie.copying == Output.Copying(isRequired: false))
    let other = try Output(path: "a.mkv", preset: .passthrough, of: composition(film("a.mp4")))
    #expect(other.video == .strictCopy && other.request == .usual(.opus) && other.copying == nil)
    let wave = try Output(path: "a.wav", preset: .passthrough, of: composition(sound("a.wav")))
    #expect(wave.video == nil && wave.request == .copied(.wav))
    let smaller = try Output(path: "a.m4a", preset: .passthrough, of: composition(sound("b.wav")))
    #expect(smaller.request == .usual(.alac))
  }

  @Test("presets that encode give the picture's codec and the usual sound")
  func encoding() throws {
    let shown = composition(film("a.webm", codec: "vp9"))
    var settings = VideoSettings()
    let movie = try Output(path: "a.mp4", preset: .highestQuality, of: shown)
    #expect(movie.video == .encode(settings) && movie.request == .usual(.aac))
    settings.codec = .h265
    let smaller = try Output(path: "a.mov", preset: .hevcHighestQuality, of: shown)
    #expect(smaller.video == .encode(settings))
    settings.mostSize = VideoSettings.Size(width: 1920, height: 1080)
    let boxed = try Output(path: "a.mp4", preset: .hevc1920x1080, of: shown)
    #expect(boxed.video == .encode(settings))
    let alone = try Output(path: "a.m4a", preset: .appleM4A, of: shown)
    #expect(alone.video == nil && alone.request == .usual(.aac))
  }

  @Test("a sized preset has the box that its name says, and writes what the others do that encode")
  func sized() throws {
    let shown = composition(film("a.webm", codec: "vp9"))
    let boxes: [Output.Preset: (Int, Int)] = [
      .size640x480: (640, 480), .size960x540: (960, 540), .size1280x720: (1280, 720),
      .size1920x1080: (1920, 1080), .size3840x2160: (3840, 2160), .hevc1920x1080: (1920, 1080),
      .hevc3840x2160: (3840, 2160), .hevc7680x4320: (7680, 4320),
    ]
    for preset in Output.Preset.allCases {
      let name = "\(preset)"
      #expect(
        (boxes[preset] != nil) == name.contains { $0.isNumber && name.contains("x") }, "\(name)")
      guard let box = boxes[preset] else { continue }
      let size = VideoSettings.Size(width: box.0, height: box.1)
      guard case .encode(let settings) = try Output(path: "a.mp4", preset: preset, of: shown).video
      else {
        Issue.record("\(name) encodes nothing")
        continue
      }
      #expect(
        settings.mostSize == size && settings.size == nil && name.hasSuffix("\(box.0)x\(box.1)"))
      #expect(settings.codec == (name.hasPrefix("hevc") ? .h265 : .h264))
      #expect(
        preset.supportedFileTypes(for: shown)
          == Output.Preset.highestQuality.supportedFileTypes(for: shown))
    }
  }

  @Test("each preset says which files it writes, and refuses others")
  func types() {
    let h264 = composition(film("a.mp4"))
    let vp9 = composition(film("a.webm", codec: "vp9"))
    let both = composition(film("a.mp4"), film("a.webm", codec: "vp8"))
    func types(_ preset: Output.Preset, _ composition: Composition) -> [Output.FileType] {
      preset.supportedFileTypes(for: composition)
    }
    #expect(types(.passthrough, h264) == [.mp4, .m4v, .mov, .mkv])
    #expect(types(.passthrough, vp9) == [.mp4, .m4v, .mkv, .webm])
    #expect(types(.passthrough, both) == [])
    #expect(types(.passthrough, composition(sound("a.wav"))) == [.m4a, .wav, .aiff, .caf, .flac])
    #expect(types(.highestQuality, vp9) == [.mp4, .m4v, .mov, .mkv])
    #expect(types(.highestQuality, composition(sound("a.wav"))) == [])
    #expect(types(.appleM4A, h264) == [.m4a])
    func refusal(_ path: FilePath, _ preset: Output.Preset, _ composition: Composition) -> String? {
      let failure = #expect(throws: Failure.self) {
        try Output(path: path, preset: preset, of: composition)
      }
      #expect(failure?.path == path)
      return failure?.message
    }
    #expect(
      refusal("a.webm", .passthrough, h264)
        == "the preset does not write such a file of this composition: write .mp4, .m4v, .mov or .mkv"
    )
    #expect(
      refusal("a.mkv", .passthrough, both)
        == "no file holds all pictures of the composition as they are: choose a preset that encodes "
        + "them")
    #expect(
      refusal("a.mp4", .highestQuality, composition(sound("a.wav")))
        == "the preset encodes pictures, and the composition shows none: choose another preset")
  }

  @Test("every kind of output has a type of file, and every type a kind")
  func extensions() {
    // Names of telephone systems are not among AVFoundation's.
    for kind in Output.Kind.allCases where kind != .raw {
      for name in kind.capabilities.extensions where RawSound.ofTelephone(name) == nil {
        #expect(Output.FileType(extension: name.uppercased()) != nil, "\(name)")
      }
    }
    for type in Output.FileType.allCases {
      #expect(type.soundKinds.first == Output.Kind(extension: type.rawValue))
    }
    #expect(Output.FileType(extension: "oga") == .ogg)
    #expect(Output.FileType(extension: "avi") == nil)
  }
}
