import Diagnosis
import ExportGraph
import FoundationEssentials
import FuzzDriver
import Glibc
import MediaComposition
import MediaTime
import SystemPackage
import Transcripts

@testable import ExportEngine
@testable import LibAV
@testable import Receipts

/// Any bytes are a picture, a container, a lock, a list of digests, a receipt and what probing remembers; receipts and
/// memories are damaged ones, too.
@main
enum FuzzFiles {
  static func main() { fuzz { test(UnsafeRawBufferPointer(start: $0, count: $1)) } }
}

private func test(_ file: UnsafeRawBufferPointer) -> CInt {
  let bytes = Array(file)
  checkPicture(bytes)
  checkFormat(bytes)
  checkChapters(bytes)
  checkTexts(bytes)
  let holder = LockHolder(ofLock: String(decoding: bytes, as: UTF8.self))
  precondition(holder.start ?? 0 >= 0 && !holder.description.isEmpty)
  checkProbe(bytes)
  checkProbe(damaged(Samples.probe, by: bytes))
  scratch.hold(bytes)
  checkContainer(scratch.path)
  checkWave(scratch.path)
  checkReceipt(scratch.path)
  _ = Bag.fields(of: scratch.path)
  checkList(bytes)
  scratch.hold(damaged(Samples.receipt, by: bytes))
  checkReceipt(scratch.path)
  return 0
}

/// A list of digests is read in both forms; a bag's that is written is read as it was.
private func checkList(_ bytes: [UInt8]) {
  _ = DigestList.isBegun(by: bytes)
  _ = DigestList(bytes, form: .sums)
  let files = DigestList(bytes, form: .bag).lines.filter { $0.name.starts(with: "data") }
  let written = DigestList.bagBytes(of: files.map { ($0.name, $0.digest) })
  let again = DigestList(written, form: .bag)
  precondition(again.faults.isEmpty)
  precondition(Set(again.lines.map(\.name)) == Set(files.map(\.name)))
}

/// A file that has one content after the other.
private struct Scratch {
  let path = FilePath("/dev/shm/avjob-fuzz-\(getpid())")

  func hold(_ bytes: [UInt8]) {
    let file = try? FileDescriptor.open(
      path, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
    guard let file else { preconditionFailure("\(path) cannot be written") }
    _ = try? file.writeAll(bytes)
    try? file.close()
  }
}

private let scratch = Scratch()

private enum Samples {
  static let asset = Asset(
    location: .file("talk.wav"), streamIndex: 0, container: "wav", codec: "pcm_s16le",
    sampleRate: 48_000,
    channelLayout: .surround51, bitDepth: 16, frameCount: 480_000,
    identity: FileIdentity(device: 1, inode: 1, size: 1, modificationTime: 1))
  static let probe = (try? JSONEncoder().encode(ProbedAsset(asset))).map(Array.init) ?? []
  static let receipt: [UInt8] = {
    let file = Receipt.File(
      path: .file("a/talk.wav"), size: 10, modified: 20, inode: 30, sha256: "00ff")
    let receipt = Receipt(
      madeWith: ["avjob": "1"], job: ["outputs": "ab"], sources: [file, file], files: [file])
    return (try? receipt.encoded()) ?? []
  }()
}

/// `sample` with some bytes replaced: each edit is a place, in two bytes, and a byte.
private func damaged(_ sample: [UInt8], by edits: [UInt8]) -> [UInt8] {
  var bytes = sample
  for index in stride(from: 0, to: min(edits.count, 60) - 2, by: 3) {
    let place = Int(edits[index]) << 8 | Int(edits[index + 1])
    bytes[place % bytes.count] = edits[index + 2]
  }
  return bytes
}

/// A picture has a size and its own bytes; what is damaged is said.
private func checkPicture(_ bytes: [UInt8]) {
  guard let picture = Picture(bytes) else { return }
  precondition(picture.width > 0 && picture.height > 0 && picture.bytes == bytes)
  precondition(picture.orientation.rotation % 90 == 0)
  precondition(picture.damage?.isEmpty != true && picture.head.format == picture.format)
}

/// What chunks of a WAV say is written again as it was read.
private func checkFormat(_ bytes: [UInt8]) {
  guard let format = WaveFormat(bytes) else { return }
  precondition(WaveFormat(format.content)?.content == format.content)
  guard format.blockSize > 0 else { return }
  let wave = WaveFile(format)
  for size in [0, Int64(1) << 33] {
    precondition(Int64(wave.head(soundSize: size).count) == wave.soundStart)
  }
}

/// The chunks of a WAV lie within the file, and what libavformat reads instead is as long as it says.
private func checkWave(_ path: FilePath) {
  guard let file = try? FileBytes(path), let wave = try? WaveSource(file) else { return }
  let size = (try? wave.source.size()) ?? -1
  precondition(size >= 0)
  var byte: [UInt8] = [0]
  let count = byte.withUnsafeMutableBytes {
    (try? wave.source.read(at: max(0, size - 1), into: $0)) ?? 0
  }
  precondition(count == (size > 0 ? 1 : 0))
}

/// Chapters are no more than their bytes can hold.
private func checkChapters(_ bytes: [UInt8]) {
  let matroska = MatroskaChapters(bytes[...])
  precondition(matroska.chapters.count <= bytes.count / 4)
  precondition(matroska.chapters.allSatisfy { $0.start >= 0 })
  let nero = NeroChapters(bytes)
  precondition(nero.chapters.count <= min(255, bytes.count / 9))
  _ = nero.agrees(
    with: matroska.chapters.map { chapter in
      Chapter(
        start: Time(value: chapter.start, timescale: 1_000_000_000), title: chapter.title)
    })
}

/// Texts of containers have no more letters than their bytes, and what is written of them reads back.
private func checkTexts(_ bytes: [UInt8]) {
  for codec in ["mov_text", "ass", "subrip", "webvtt"] {
    let text = PlainText(bytes, codec: codec).text
    guard let sample = TimedText.sample(text) else { continue }
    precondition(sample.count <= 2 + Int(UInt16.max))
    precondition(text.utf8.count > sample.count || text.contains(TimedText.text(of: sample)))
  }
  let range = TimeRange(
    start: Time(value: 90_061, timescale: 1000), duration: Time(value: 4, timescale: 1))
  var track = WebVTTTrack()
  let block = WebVTTSample(payload: bytes, settings: bytes, identifier: bytes)
  for sample in WebVTTSample.all(in: bytes) + [block] { track.add(sample, in: range) }
  for cue in track.cues {
    precondition(!cue.text.isEmpty && cue.range == range)
    let words = cue.words.compactMap(\.range)
    precondition(words.allSatisfy { $0.isValid && $0.end <= range.end })
  }
}

private func checkContainer(_ path: FilePath) {
  do throws(Failure) {
    let bytes = try MediumBytes(.file(path))
    let wave = (try? FileBytes(path)).flatMap { try? WaveSource($0).header }
    for format in ["wav", "w64", "aiff", "caf"] {
      let size = try bytes.size()
      for chunk in try ContainerFacts.chunks(of: format, wave: wave, bytes) {
        precondition(chunk.body.upperBound <= size)
      }
      _ = try ContainerFacts.unreadChunks(of: format, wave: wave, bytes)
    }
    for format in ["wav", "aiff", "caf", "asf", "avi", "au", "mov,mp4", "matroska,webm"] {
      let missing = try ContainerFacts.missingBytes(of: format, wave: wave, in: bytes)
      precondition(missing >= 0)
    }
    if let header = try MusepackHeader.read(in: bytes) {
      precondition(0..<header.frameCount ~= header.silence)
    }
    if let pauses = try AVIPauses.find(ofStream: 1, atRate: 48_000, behind: .zero, in: bytes) {
      precondition(pauses.announced >= .zero && pauses.gaps.allSatisfy { $0.frames >= 0 })
    }
    _ = try ASFValues.repeated(in: bytes)
    _ = try ContainerFacts.movieTags(in: bytes)
    _ = try ContainerFacts.matroskaTags(in: bytes, stream: 0)
    _ = try OggLink.sole(in: bytes)
    let links = try OggWalk.links(in: bytes)
    precondition(
      links.first?.range.lowerBound == 0 && links.last?.rest.upperBound == (try? bytes.size()))
    precondition(links.allSatisfy { $0.range.upperBound == $0.rest.lowerBound })
    for (link, next) in zip(links, links.dropFirst()) {
      precondition(link.rest.upperBound == next.range.lowerBound)
    }
    if let note = try ContainerFacts.iTunesNote(in: bytes) { precondition(note.length > 0) }
    _ = try ContainerFacts.matroskaChapters(in: bytes)
    _ = try ContainerFacts.neroChapters(in: bytes)
    for track in 0...1 {
      guard let found = try MP4Track.read(in: bytes, id: track) else { continue }
      precondition(found.lastDuration ?? 0 >= 0 && found.packetCount ?? 0 >= 0)
      if let edits = try? PlayedEdits(found, atRate: 48_000, in: .file(path)) { checkEdits(edits) }
    }
    let (table, patches) = try CAFPacketTable.read(in: bytes)
    precondition(patches.allSatisfy { $0.offset >= 0 && $0.bytes.count == 8 })
    if let edits = table.flatMap({ PlayedEdits($0, atRate: 44_100) }) { checkEdits(edits) }
  } catch {
    preconditionFailure("\(error)")
  }
}

/// Edits play what there is, in order, and say how long that is.
private func checkEdits(_ edits: PlayedEdits) {
  var clock = MediaClock(from: 100, count: 10_000)
  clock.runs.append(MediaClock.Run(frame: 4000, time: 5000))
  var played = SoundPieces()
  for entry in edits.entries {
    precondition(entry.count >= 0)
    guard let times = entry.times else { continue }
    precondition(times.lowerBound >= 0)
    let before = played.frameCount
    guard clock.append(times, to: &played) else { return }
    precondition(played.frameCount - before <= times.count)
  }
  for piece in played.pieces {
    if let start = piece.start { precondition(0...clock.end - piece.count ~= start) }
  }
}

/// What was read is written as it was.
private func checkReceipt(_ path: FilePath) {
  guard let receipt = Receipt.read(path) else { return }
  let copy = (try? receipt.encoded()).flatMap {
    try? JSONDecoder().decode(Receipt.self, from: Data($0))
  }
  precondition(copy == receipt)
}

/// Facts that are plausible can be compiled, or are refused.
private func checkProbe(_ json: [UInt8]) {
  guard let probed = try? JSONDecoder().decode(ProbedAsset.self, from: Data(json)),
    probed.isPlausible
  else { return }
  let asset = probed.moved(to: .file("b"), Samples.asset.identity).asset
  precondition(asset.duration.isNumeric && asset.duration >= .zero)
  let range = TimeRange(start: .zero, duration: asset.duration)
  let composition = Composition(tracks: [
    Track(segments: [Segment(.asset(asset), source: range, at: .zero)])
  ])
  for kind in [Output.Kind.mp3, .wav, .opus] {
    let output = Output(path: "x", request: .usual(kind))
    _ = try? Graph(
      compiling: Export(name: "x", composition: composition, outputs: [output]))
  }
}
