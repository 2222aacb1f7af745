import FuzzDriver
import VideoBitstream

/// Any bytes are a stream of pictures or the record of one, and what is accepted can be written so
/// that it is read again.
@main
enum FuzzPictures {
  static func main() { fuzz { test(UnsafeRawBufferPointer(start: $0, count: $1)) } }
}

private func test(_ input: UnsafeRawBufferPointer) -> CInt {
  let bytes = Array(input)
  checkRecords(bytes)
  checkForms(bytes)
  for size in 1...4 {
    let framing = NALFraming.lengths(bytes: size)
    guard let units = try? framing.units(of: bytes[...]) else { continue }
    guard let packet = try? framing.packet(of: units) else { preconditionFailure("no packet") }
    precondition((try? framing.units(of: packet[...])) == units)
  }
  guard let units = try? NALFraming.startCodes.units(of: bytes[...]) else { return -1 }
  checkUnits(units)
  checkPictures(units)
  checkRuns(units)
  return 0
}

private func checkRecords(_ bytes: [UInt8]) {
  if let record = try? AVCConfiguration(bytes) {
    precondition((try? AVCConfiguration(record.bytes())) == record)
    _ = try? record.parameterSets()
  }
  if let record = try? HEVCConfiguration(bytes) {
    precondition((try? HEVCConfiguration(record.bytes())) == record)
  }
}

private func checkForms(_ bytes: [UInt8]) {
  let codecs = [
    "vp8", "vp9", "av1", "mpeg1video", "mpeg2video", "mpeg4", "mjpeg", "prores", "dnxhd",
  ]
  for form in codecs.compactMap({ CodedForm(of: bytes, codec: $0) }) {
    precondition(form.width > 0 && form.height > 0 && form.change(from: form) == nil)
  }
}

private func checkUnits(_ units: [ArraySlice<UInt8>]) {
  _ = try? H264.AccessUnitSummary(units)
  precondition(HEVC.brokenLink(units).count == units.count)
  _ = (H264.registeredMessages(in: units), HEVC.registeredMessages(in: units))
  if let record = try? HEVCConfiguration(HEVC.ParameterSets(units)) {
    precondition((try? HEVCConfiguration(record.bytes())) == record)
  }
  for unit in units {
    let payload = Array(UnescapedBytes(unit))
    if payload.last != 0 {
      precondition(Array(UnescapedBytes(EscapedBytes.unit(of: payload)[...])) == payload)
    }
    if let set = try? HEVC.SequenceParameterSet(unit) { precondition(set.width >= 0) }
    _ = try? HEVC.VideoParameterSet(unit)
    if let set = try? H264.SequenceParameterSet(unit) {
      precondition(set.width >= 0 && set.height >= 0 && 0...16 ~= set.reorderDepth)
    }
    if let renamed = try? H264.PictureParameterSet.unit(unit, id: 255, sequenceID: 31),
      let set = try? H264.PictureParameterSet(renamed[...])
    {
      precondition(set.id == 255 && set.sequenceID == 31)
    }
    _ = try? SupplementalMessage.messages(of: unit)
  }
}

/// Sets of HEVC get ids that are not used, or are refused; slices are moved by one byte, or refused.
private func checkRuns(_ units: [ArraySlice<UInt8>]) {
  let sets = HEVC.ParameterSets(units)
  guard let rewriter = try? HEVC.EncodedRunRewriter(encoder: sets, source: sets) else { return }
  if var record = try? HEVCConfiguration(sets), (try? record.include(rewriter.sets)) != nil {
    precondition(record.parameterSets.units.count >= 4)
    precondition((try? HEVCConfiguration(record.bytes())) == record)
  }
  precondition((try? HEVC.EncodedRunRewriter(encoder: sets, source: rewriter.sets)) != nil)
  // Before a 3 at the end stand zeros, perhaps one, which a payload cannot end with.
  for unit in units where HEVC.type(of: unit)?.isSlice == true && unit.last != 3 {
    guard let rewritten = try? rewriter.rewrite([unit]).first else { continue }
    let (old, new) = (Array(UnescapedBytes(unit)), Array(UnescapedBytes(rewritten[...])))
    precondition(new.count == old.count + 1 && new.dropFirst(4) == old.dropFirst(3))
  }
}

/// Slices are written as they were read; groups are rewritten or refused.
private func checkPictures(_ units: [ArraySlice<UInt8>]) {
  guard let configuration = try? AVCConfiguration(units: units),
    let sets = try? configuration.parameterSets()
  else { return }
  var slices: [ArraySlice<UInt8>] = []
  for unit in units {
    guard let slice = try? H264.Slice(unit, in: sets),
      let picture = sets.pictures[slice.header.pictureParameterSetID]
    else { continue }
    slices.append(unit)
    guard let written = try? slice.unit(with: slice.header, sets.sequence, picture) else {
      continue
    }
    precondition((try? H264.Slice(written[...], in: sets).header) == slice.header)
  }
  var group = try? H264.OpenGOPRewriter(sets, idrPictureID: 65_535)
  guard let allSets = try? sets.adding(pictures: group?.pictureParameterSets ?? []) else {
    preconditionFailure("sets that cannot be added")
  }
  for (index, slice) in slices.enumerated() {
    if index < slices.count / 4 { group?.observe([slice]) }
    guard let outcome = try? group?.rewrite([slice]) else { continue }
    guard case .rewritten(let rewritten) = outcome else { continue }
    for unit in rewritten { precondition((try? H264.Slice(unit[...], in: allSets)) != nil) }
  }
  var rewriter = try? H264.EncodedRunRewriter(
    encoder: configuration, source: configuration, idrPictureID: 0)
  for slice in slices where (try? rewriter?.rewrite([slice])) == nil { break }
}
