import FuzzDriver
@testable import MPEGAudio
@testable import Tagging

/// Whatever tags say, they lie in the file; and what we write reads back.
@main
enum FuzzTags {
  static func main() { fuzz { test(UnsafeRawBufferPointer(start: $0, count: $1)) } }
}

private func test(_ file: UnsafeRawBufferPointer) -> CInt {
  let window = FileWindow(count: file.count) { offset, target in
    let part = file[offset..<min(file.count, offset + target.count)]
    target.copyBytes(from: part)
    return part.count
  }
  let end = TagBoundary.end(in: window)
  precondition(0...file.count ~= end)
  precondition(TagBoundary.start(in: window, end: end) <= end)
  // The tag of a frame that may be anywhere.
  for offset in [0, file.count / 2] {
    guard let header = FrameHeader(startOf: file.dropFirst(offset)),
      let tag = EncoderTag(in: window, at: offset, header: header)
    else { continue }
    precondition(0...4095 ~= tag.delay ?? 0 && 0...4095 ~= tag.padding ?? 0)
  }
  if let note = ITunesGapless(parsing: String(decoding: file, as: UTF8.self)) {
    precondition(note.length > 0 && note.delay >= 0 && note.padding >= 0)
  }
  checkID3(Array(file))
  checkTags(Array(file))
  checkInfoFrame(Array(file))
  return 0
}

/// Tags of other containers: whatever they say, reading ends, and what is written reads back.
private func checkTags(_ file: [UInt8]) {
  _ = MPEGTags.read(byteCount: file.count) { offset, target in
    target.copyBytes(from: file[offset..<offset + target.count])
    return target.count
  }
  _ = APETag(items: file)
  _ = MatroskaTags(parsing: file[...])
  _ = MovieTags([.init("title", ["T"]), .init("make", ["M"])], isQuickTime: true).added(to: file)
  _ = EditList([.init(shown: 9..<90, media: 1 << 40)])
    .put(into: file, handler: "vide", timescale: 12_800)
  let comment = VorbisComment(parsing: file[...])
  _ = VorbisComment.replacingPlaceholder(in: file, with: comment.fields)
  let list = ItemList(parsing: file[...])
  let again = ItemList(parsing: ItemList.encoded(list.items)[...])
  precondition(again.items.count == list.items.count)
  let value = String(decoding: file.prefix(40), as: UTF8.self)
  let tags = [(key: "LOOPSTART", value: value), (key: "LOOP-LENGTH", value: value)]
  if let loop = LoopTags(tags, sampleRate: 48_000, frameCount: 1 << 40) {
    precondition(loop.frames.lowerBound >= 0 && loop.frames.upperBound <= 1 << 40)
    precondition(!loop.frames.isEmpty)
  }
  var finder = OggCommentFinder(serial: 0)
  if let page = OggPage(file) { finder.add(page, at: 0) }
}

/// Pictures lie in the file, and what is written of what was read reads as the same.
private func checkID3(_ file: [UInt8]) {
  let stored = StoredID3Tag.read(byteCount: file.count) { offset, target in
    target.copyBytes(from: file[offset..<offset + target.count])
    return target.count
  }
  guard let stored, let tag = ID3Tag(parsing: file) else { return }
  precondition(10...file.count ~= stored.byteCount)
  for image in stored.pictures.map(\.image) + stored.chapters.compactMap(\.image) {
    precondition(image.stored.clamped(to: 0..<file.count) == image.stored)
  }
  for version in ID3Version.allCases {
    guard let bytes = try? tag.encoded(as: version) else { continue }
    let again = ID3Tag(parsing: bytes) ?? ID3Tag()
    precondition(again.cover == tag.cover && again.chapters == tag.chapters)
  }
}

/// Bytes as settings and frames of a stream, of which the Info frame must say what they are.
private func checkInfoFrame(_ bytes: [UInt8]) {
  guard bytes.count > 32, let header = FrameHeader(startOf: bytes), header.layer == .layer3,
    !header.isFreeFormat, let method = InfoFrame.Encoding.Method(rawValue: bytes[4]),
    let mode = InfoFrame.Encoding.StereoMode(rawValue: bytes[5])
  else { return }
  func number(at offset: Int) -> Int {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } - Int(UInt32.max / 4)
  }
  let encoding = InfoFrame.Encoding(
    method: method, bitRate: header.bitRate, quality: number(at: 8),
    encoder: "LAME" + String(decoding: bytes[12..<16], as: UTF8.self), lowpass: number(at: 16),
    sourceSampleRate: number(at: 20), stereoMode: mode, noiseShaping: Int(bytes[6]),
    isUnwise: bytes[7] & 1 != 0, thresholdType: Int(bytes[24]),
    hasSafeJointStereo: bytes[7] & 2 != 0, preset: number(at: 28))
  var info = InfoFrame(like: header, encoding: encoding)
  var rest = bytes[32...]
  var (frames, size) = (0, info.length)
  while let length = rest.first, !rest.isEmpty {
    let frame = rest.prefix(1 + Int(length))
    info.add(frame: frame)
    frames += 1
    size += frame.count
    rest = rest.dropFirst(frame.count)
  }
  let (delay, padding) = (number(at: 1), number(at: 2))
  let frame = info.encoded(delay: delay, padding: padding)
  precondition(frame.count == info.length && frame.count == info.placeholder.count)
  guard let header = FrameHeader(startOf: frame),
    let tag = EncoderTag(
      in: FileWindow(count: frame.count) { offset, target in
        target.copyBytes(from: frame[offset...].prefix(target.count))
        return min(target.count, frame.count - offset)
      }, at: 0, header: header)
  else { preconditionFailure("the Info frame does not read back") }
  precondition(tag.frameCount ?? 0 == frames && tag.byteCount == size)
  precondition(tag.isChecksumValid == true && tag.quality == max(0, encoding.quality))
  precondition(tag.delay == min(4095, max(0, delay)) && tag.padding == min(4095, max(0, padding)))
}
