import MPEGAudio

/// A copy of some frames of the stream between frames that are packed: what is written is whole, and
/// unpacks to the same frames.
///
/// - Parameters:
///   - stream: Any bytes.
///   - frames: Those that were taken out of it, which agree in version, rate and channels.
///   - choices: Which of them, and how.
func copy(_ stream: [UInt8], _ frames: ArraySlice<UnpackedFrame>, _ choices: [Int]) {
  let raw = rawFrames(stream, count: frames.count)
  guard raw.count > 2, let header = frames.first?.header else { return }
  let first = choices[0] % (raw.count - 1)
  let last = first + 1 + choices[1] % (raw.count - first - 1)
  for frame in raw { _ = FrameHeader.silenced(frame) }
  let before = raw[..<first].flatMap { $0.suffix(FrameHeader(startOf: $0)?.slotLength ?? 0) }
  // In a damaged stream the next frame may reach farther back than the first.
  var (begin, between) = (0, 0)
  for number in first..<last {
    begin = max(begin, frames[number].mainDataBegin - between)
    between += FrameHeader(startOf: raw[number])?.slotLength ?? 0
  }
  guard before.count >= begin else { return }

  let encoding = InfoFrame.Encoding(
    method: .variableMTRH, bitRate: 128_000, quality: 50, encoder: "LAME3.100", lowpass: 0,
    sourceSampleRate: 44_100, stereoMode: .joint, noiseShaping: 0, isUnwise: false,
    thresholdType: 0, hasSafeJointStereo: false, preset: 0)
  var bytes: [UInt8] = []
  var written = FrameStream(.smallest(bitRateIndices: 1...14), header, encoding, &bytes)
  let start = bytes.count
  var expected: [UnpackedFrame] = []
  do throws(FramePacker.NoRoom) {
    try written.append([.silence(like: header)], leaving: begin, into: &bytes)
    try written.fill(endingWith: before.suffix(begin), into: &bytes)
    let held = max(first, last - 1 - choices[2] % 16)
    written.copy(
      raw[first..<held].flatMap(\.self)[...], lengths: raw[first..<held].map(\.count), into: &bytes)
    // What the last frame leaves, and nothing that belongs to the others.
    var (free, behind) = (Int.max, 0)
    for number in (first..<last).reversed() {
      let capacity = FrameHeader(startOf: raw[number])?.slotLength ?? 0
      let own = frames[number].mainDataBegin + capacity - frames[number].mainDataLength
      free = min(free, max(0, own) + behind)
      behind += capacity
    }
    written.copyEnd(Array(raw[held..<last]), freeing: free, into: &bytes)
    expected = Array(frames[first..<last])
    for frame in frames.dropFirst(choices[3] % frames.count).prefix(4) {
      let most = written.packer.mostReservoir(after: frame, from: written.packer.reservoir)
      guard most >= 0 else { break }
      try written.append([frame], leaving: 0, into: &bytes)
      expected.append(frame)
    }
  } catch {
    // Where a damaged stream's frames find no room.
    return
  }
  written.finish(into: &bytes)
  precondition(written.frameCount == expected.count + 1)
  let info = written.infoFrame(delay: choices[0], padding: choices[1])
  precondition(info.count == start)
  check(Array(bytes[start...]), holds: expected)
}

/// The stream has a silent frame, and then the expected ones.
private func check(_ stream: [UInt8], holds expected: [UnpackedFrame]) {
  let (frames, problem) = unpacked(stream, pieceLength: stream.count)
  if let problem {
    // Main data may end behind the slots of a stream that was damaged.
    precondition(problem == .overlongMainData(frame: frames.count))
  } else {
    precondition(frames.count == expected.count + 1)
  }
  for (frame, other) in zip(expected, frames.dropFirst()) {
    precondition(frame.content == other.content)
  }
}

/// The frames of a stream that begins with one, up to one that is cut short.
private func rawFrames(_ stream: [UInt8], count: Int) -> [ArraySlice<UInt8>] {
  var frames: [ArraySlice<UInt8>] = []
  var position = 0
  while frames.count < count, let header = FrameHeader(startOf: stream[position...]),
    let length = header.frameLength, position + length <= stream.count
  {
    frames.append(stream[position..<position + length])
    position += length
  }
  return frames
}

/// Any spans have a layout, whose frames are all there once and whose tag can say its delay.
func layOut(_ numbers: [Int]) {
  let count = numbers[0] % 2 == 0 ? 576 : 1152
  var (spans, end) = ([] as [CopyLayout.Span], Int64(0))
  for index in stride(from: 1, to: numbers.count - 2, by: 3) {
    let first = end + Int64(numbers[index] * 37 % 3000)
    end = first + 1 + Int64(numbers[index + 1] * 211)
    spans.append(CopyLayout.Span(frames: first..<end, start: Int64(numbers[index + 2] * 1152 / 4)))
  }
  let rest = numbers[0] & 2 == 0 ? 0 : Int64(numbers[0] * 9)
  let layout = CopyLayout(spans, length: end + rest, on: .mp3(samplesPerFrame: count))
  var next = layout.hasCarrier ? 1 : 0
  let runs = (layout.copies.map(\.frames) + layout.encoded).sorted { $0.lowerBound < $1.lowerBound }
  for run in runs {
    precondition(run.lowerBound == next && !run.isEmpty)
    next = run.upperBound
  }
  precondition(next == layout.frameCount && 0...4095 ~= layout.delay)
  precondition(layout.copies.allSatisfy { $0.first >= 0 })
}
