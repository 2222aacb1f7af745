import FuzzDriver
@testable import Tagging

/// Whatever chunks say, reading ends within their bytes; and what is written of it reads as the same.
@main
enum FuzzChunks {
  static func main() { fuzz { test(UnsafeRawBufferPointer(start: $0, count: $1)) } }
}

/// The first byte says which reader the others are for, and in which order of bytes they are.
private func test(_ file: UnsafeRawBufferPointer) -> CInt {
  guard let first = file.first else { return 0 }
  let (bytes, isBigEndian) = (Array(file.dropFirst()), first & 0x80 != 0)
  var defects: [ChunkDefect] = []
  switch first & 0x7F % 9 {
  case 0: checkBroadcast(bytes, isBigEndian)
  case 1: checkCues(bytes, isBigEndian)
  case 2: checkSampler(bytes, isBigEndian)
  case 3: checkCart(bytes, isBigEndian)
  case 4: checkTexts(bytes, isBigEndian)
  case 5: checkMarkers(bytes)
  case 6: checkText(bytes)
  case 7:
    guard let sheet = CueSheetBlock(bytes, defects: &defects) else { break }
    let again = CueSheetBlock(sheet.bytes, defects: &defects)
    precondition(again?.tracks.count == sheet.tracks.count || !sheet.losses.isEmpty)
  default: checkForeign(bytes)
  }
  precondition(defects.count <= ChunkLimits.defects)
  return 0
}

/// Texts that were guessed are written in UTF-8, which may be longer than their fields.
private func isSame<Value: Equatable>(
  _ value: Value, _ again: Value?, _ losses: [ChunkDefect], _ defects: [ChunkDefect]
) -> Bool {
  again == value || !losses.isEmpty || !defects.isEmpty
}

/// Two chunks, of which the first byte says the size of the first.
private func halves(_ bytes: [UInt8]) -> (front: [UInt8], back: [UInt8]) {
  let size = Int(bytes.first ?? 0)
  return (Array(bytes.dropFirst().prefix(size)), Array(bytes.dropFirst(1 + size)))
}

private func checkBroadcast(_ bytes: [UInt8], _ isBig: Bool) {
  var defects: [ChunkDefect] = []
  guard let value = BroadcastExtension(bytes, isBigEndian: isBig, defects: &defects) else { return }
  let written = value.bytes(isBigEndian: isBig)
  precondition(written.count >= BroadcastExtension.fixedSize)
  let again = BroadcastExtension(written, isBigEndian: isBig, defects: &defects)
  precondition(isSame(value, again, value.losses, defects))
}

private func checkCues(_ bytes: [UInt8], _ isBig: Bool) {
  var defects: [ChunkDefect] = []
  let (front, back) = halves(bytes)
  let cues = CuePoints(cue: front, lists: [back], isBigEndian: isBig, defects: &defects)
  precondition(cues.cues.count <= bytes.count / 24)
  guard defects.isEmpty, let written = cues.cueBytes(isBigEndian: isBig) else { return }
  let lists = [cues.listBytes(isBigEndian: isBig) ?? []]
  let again = CuePoints(cue: written, lists: lists, isBigEndian: isBig, defects: &defects)
  precondition(again == cues && defects.isEmpty)
}

private func checkSampler(_ bytes: [UInt8], _ isBig: Bool) {
  var defects: [ChunkDefect] = []
  if let value = SamplerChunk(bytes, isBigEndian: isBig, defects: &defects) {
    precondition(value.loops.allSatisfy { $0.length > 0 })
    let written = value.bytes(isBigEndian: isBig)
    precondition(SamplerChunk(written, isBigEndian: isBig, defects: &defects) == value)
  }
  if let value = InstrumentChunk(bytes, defects: &defects) {
    precondition(value.bytes == Array(bytes.prefix(7)))
  }
}

private func checkCart(_ bytes: [UInt8], _ isBig: Bool) {
  var defects: [ChunkDefect] = []
  if let value = CartChunk(bytes, isBigEndian: isBig, defects: &defects) {
    precondition(value.postTimers.count <= 8)
    let written = value.bytes(isBigEndian: isBig)
    let again = CartChunk(written, isBigEndian: isBig, defects: &defects)
    precondition(isSame(value, again, value.losses, defects))
  }
}

private func checkTexts(_ bytes: [UInt8], _ isBig: Bool) {
  var defects: [ChunkDefect] = []
  guard let value = InfoList(bytes, isBigEndian: isBig, defects: &defects),
    let written = value.bytes(isBigEndian: isBig)
  else { return }
  let again = InfoList(written, isBigEndian: isBig, defects: &defects)
  precondition(isSame(value, again, [], defects))
}

private func checkMarkers(_ bytes: [UInt8]) {
  var defects: [ChunkDefect] = []
  let (front, back) = halves(bytes)
  let aiff = AIFFMarkers(marks: front, comments: back, instrument: back, defects: &defects)
  let again = AIFFMarkers(
    marks: aiff.markBytes, comments: aiff.commentBytes, instrument: aiff.instrumentBytes,
    defects: &defects)
  precondition(isSame(aiff, again, aiff.losses, defects))
  defects = []
  let caf = CAFMarkers(marks: front, strings: back, defects: &defects)
  if let written = caf.markBytes {
    let again = CAFMarkers(marks: written, strings: caf.stringBytes, defects: &defects)
    precondition(isSame(caf, again, [], defects))
  }
  let regions = CAFRegions(front, strings: back, defects: &defects)
  for region in regions.regions { _ = (region.frames, region.samplerLoop, region.name) }
  if let written = regions.bytes {
    precondition(
      CAFRegions(written, defects: &defects).regions.map(\.frames) == regions.regions.map(\.frames))
  }
  if let instrument = CAFInstrument(front, defects: &defects) {
    _ = (instrument.playing, instrument.sampler, instrument.bytes)
  }
}

private func checkText(_ bytes: [UInt8]) {
  var defects: [ChunkDefect] = []
  var text = IXML(bytes, defects: &defects)
  precondition(text.bytes == bytes)
  for element in text.elements {
    precondition(element.whole.clamped(to: bytes.indices) == element.whole)
    precondition(element.content.clamped(to: element.whole) == element.content)
  }
  guard let path = text.elements.first?.path else { return }
  if text.set(path, to: "1 < 2") { precondition(text.texts(path).contains("1 &lt; 2")) }
  text.setTimestamp(.max)
  text.moveSyncPoints { frame, isAbsolute in isAbsolute ? nil : frame / 2 }
  text.remove(path)
}

private func checkForeign(_ bytes: [UInt8]) {
  var defects: [ChunkDefect] = []
  let read = { (offset: Int64, count: Int) -> [UInt8] in
    precondition(0...Int64(bytes.count) ~= offset && count >= 0)
    return Array(bytes[Int(offset)...].prefix(count))
  }
  guard let blocks = ForeignBlocks(file: Int64(bytes.count), defects: &defects, read: read) else {
    return
  }
  let back = Array(blocks.blocks[(blocks.sound + 1)...].joined())
  precondition(bytes.starts(with: Array(blocks.blocks[...blocks.sound].joined())))
  precondition(bytes.suffix(back.count).elementsEqual(back))
  let again = ForeignBlocks(applications: blocks.applications, defects: &defects)
  precondition(again == blocks)
}
