import Diagnosis
import LibAV
import MediaTime
import SystemPackage
import TestSupport
import Testing
import Threads

@testable import ExportEngine

@Suite("Where ranges of pictures begin")
struct PictureSurveyTests {
  private let stage = Stage()

  /// The picture of a movie of eight seconds at 25 pictures a second, with a key picture at each of `keys`.
  private func reel(
    _ keys: String, _ options: String = "",
    unless cancellation: CancellationFlag = CancellationFlag()
  ) throws -> PictureReel {
    try Tool.succeed(
      "sh", "-c",
      "ffmpeg -v error -y -f lavfi -i testsrc2=s=64x48:r=25:d=8 -f lavfi -i anoisesrc=d=8 -c:a aac "
        + "-c:v libx264 -preset ultrafast -g 1000 -x264-params scenecut=0 -force_key_frames \(keys) "
        + "\(options) movie.mp4", in: stage.folder.root)
    let asset = try stage.library.asset(at: FilePath(stage.folder.path("movie.mp4")))
    return try PictureReel(
      0, stage.library.openPictures(of: asset), of: asset.pictureTrack, unless: cancellation)
  }

  private func passage(_ reel: PictureReel, from milliseconds: Int64) -> PicturePassage {
    let from = Time(value: milliseconds, timescale: 1000)
    return PicturePassage(
      PictureRange(source: 0, from: from, to: nil, place: { $0 - from }), of: reel)
  }

  @Test("what was seen before a range is not read again", arguments: ["0", "0,2"])
  func once(keys: String) throws {
    let reel = try reel(keys)
    var passage = passage(reel, from: 6000)
    let found = try passage.enter()
    let entrance = try #require(found)
    let key = keys == "0" ? 0 : 2.0
    let shown = entrance.window.pictures.first.map { reel.time(of: $0.shown).seconds }
    #expect(shown == key && !entrance.isCopied)
    #expect(reel.time(of: entrance.first).seconds == 6)
    // The reel stands behind the pictures around the range's start.
    let next = try reel.next()
    #expect((next.map { reel.time(of: $0.shown).seconds } ?? 0) > 6)
    // All from the key picture on come, each once.
    var window = entrance.window
    try reel.seek(to: 1 << 40)
    var numbers: [Int] = []
    while let picture = window.take(1).first, numbers.count < 90 {
      numbers.append(Int((reel.time(of: picture.shown).seconds * 25).rounded()))
      try window.fill(1)
    }
    #expect(numbers.count == 90)
    #expect(Set(numbers) == Set(Int(key * 25)..<Int(key * 25) + 90))
  }

  @Test("a range that begins with a key picture is copied from it")
  func copied() throws {
    let reel = try reel("0,2,4")
    var passage = passage(reel, from: 4000)
    let found = try passage.enter()
    let entrance = try #require(found)
    #expect(entrance.isCopied && entrance.window.pictures.first?.shown == entrance.first)
  }

  @Test(
    "a picture that changes the form ends what is decoded, unless what follows it is shown in the range"
  )
  func change() throws {
    let reel = try reel("0", "-preset fast -bf 2 -x264-params scenecut=0:b-adapt=0:b-pyramid=0")
    func all() throws -> [CodedPicture] {
      var pictures: [CodedPicture] = []
      try reel.rewind()
      while let picture = try reel.next() { pictures.append(picture) }
      return pictures
    }
    let pictures = try all()
    // In order of decoding: two pictures follow it that are shown before it.
    let place = try #require(
      pictures.indices.dropFirst(30).dropLast(30).first {
        pictures[$0 + 2].shown < pictures[$0].shown
      })
    let changed = CodedPicture(
      packet: pictures[place].packet, shown: pictures[place].shown, kind: .other,
      duration: pictures[place].duration, change: "size of its picture")
    func given(until tick: Int64) throws -> [Int64] {
      // The reel stands at its end.
      var read = try all()
      read[place] = changed
      let window = PictureWindow(reel, ahead: read[...])
      let passage = PicturePassage(
        PictureRange(source: 0, from: nil, to: reel.time(of: tick), place: { $0 }), of: reel)
      var feed = PictureFeed(passage, window, from: 0, to: { _, _ in false }, nil)
      var given: [Int64] = []
      while let picture = try feed.next() { given.append(picture.shown) }
      return given
    }
    let earliest = pictures[place + 1].shown
    #expect(earliest < changed.shown)
    // All that is shown before what follows it was given.
    #expect(try given(until: earliest) == pictures[..<place].map(\.shown))
    let after = pictures.map(\.shown).filter { $0 > changed.shown }.min()
    for tick in [pictures[place + 2].shown, changed.shown, try #require(after)] {
      let error = #expect(throws: LibAVError.self) { try given(until: tick) }
      #expect(
        error?.inputFailure(.file("movie.mp4")).message.contains(
          "changes the size of its picture midway")
          == true)
    }
  }

  @Test("the form of a JPEG is found behind any number of segments of applications")
  func segments() throws {
    let reel = try reel("0", "-c:v mjpeg -pix_fmt yuvj420p")
    let packet = try #require(try reel.next()).packet
    let bytes = packet.bytes
    let segment: [UInt8] = [0xFF, 0xE1, 0xFF, 0xFF] + [UInt8](repeating: 7, count: 0xFFFD)
    var longer = bytes
    longer.insert(contentsOf: segment + segment, at: 2)
    let behind = try longer.packet(like: packet)
    let form = try #require(reel.coding.form(saidBy: behind))
    #expect(form.width == 64 && form.height == 48 && form == reel.coding.form(saidBy: packet))
  }

  @Test("no picture is decoded of a codec without a decoder")
  func undecodable() throws {
    #expect(try reel("0").firstFrame() != nil)
    let asset = try stage.library.asset(at: FilePath(stage.folder.path("movie.mp4")))
    let reel = try PictureReel(
      0, stage.library.openPictures(of: asset), of: asset.pictureTrack,
      by: PictureCodecs(decodes: { _ in false }), unless: CancellationFlag())
    #expect(try reel.firstFrame() == nil)
  }

  @Test("a source that is not read is not taken for one without an encoder")
  func unread() throws {
    let flag = CancellationFlag()
    let reel = try reel("0", "-c:v libx265 -x265-params log-level=none", unless: flag)
    _ = try PictureSets(reel, encodes: true)
    flag.cancel()
    let error = #expect(throws: LibAVError.self) { _ = try PictureSets(reel, encodes: true) }
    #expect(error?.inputFailure(.file("movie.mp4")).message == "cancelled")
  }

  @Test("a search for key pictures ends where nobody waits for it, and may be repeated")
  func search() throws {
    _ = try reel("0,2")
    let asset = try stage.library.asset(at: FilePath(stage.folder.path("movie.mp4")))
    let flag = CancellationFlag()
    flag.cancel()
    let failure = #expect(throws: Failure.self) {
      _ = try stage.library.findKeyPictures(of: asset, near: [.zero], unless: flag)
    }
    #expect(failure?.remedy == .tryAgain)
    #expect(try stage.library.findKeyPictures(of: asset, near: [.zero]) == [.zero])
  }

  @Test("pictures are not looked through where nobody waits for them")
  func cancelled() throws {
    let flag = CancellationFlag()
    let reel = try reel("0", unless: flag)
    var passage = passage(reel, from: 6000)
    flag.cancel()
    let error = #expect(throws: LibAVError.self) { try passage.enter() }
    #expect(error?.inputFailure(.file("movie.mp4")).message == "cancelled")
  }
}
