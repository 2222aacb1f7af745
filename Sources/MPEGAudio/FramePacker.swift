/// Lays unpacked frames out in one stream, with a bit reservoir of its own (ISO 11172-3 §2.4.3.1).
///
/// A frame's main data may begin in the slots of frames before it, as far back as `main_data_begin`
/// reaches. So a frame is complete, and given out, once frames after it have filled its slot.
package struct FramePacker: Sendable {
  /// How long slots are.
  package enum Slots: Sendable, Hashable {
    /// As long as they came: a constant bit rate.
    case own
    /// As short as they can be, among these bit rates (indices 1 … 14): a variable bit rate.
    case smallest(bitRateIndices: ClosedRange<Int>)
  }

  /// A frame's main data find no room, whatever the slots before it.
  package struct NoRoom: Error, Sendable, Hashable {
    /// Counted from the first that was packed or copied.
    package let frame: Int
  }

  /// Bytes before the next slot that hold nothing yet.
  package private(set) var reservoir = 0
  /// Frames that were packed or copied.
  package internal(set) var count = 0

  /// What a header says of its slot, beside the stream's own facts.
  fileprivate struct SlotSize {
    var bitRateIndex: Int
    var isPadded: Bool
  }

  private let slots: Slots
  /// Bytes for main data without padding, by the header's bit rate index.
  private let slotLengths: [Int]
  /// Headers and side information of frames whose slots are not full, and how long those are.
  private var heads: [(bytes: [UInt8], slotLength: Int)] = []
  /// What these slots hold, one after the other.
  private var mainData: [UInt8] = []

  /// A packer of frames that agree with `header` in version, sample rate and number of channels.
  package init(_ slots: Slots, like header: FrameHeader) {
    self.slots = slots
    slotLengths = (0..<16).map { index in
      FrameHeader(bits: header.bits & ~0xF200 | 0x1_0000 | UInt32(index) << 12)?.slotLength ?? 0
    }
  }

  /// How many bytes a stream can have in its reservoir before the frame after `frame`, where it has
  /// `reservoir` before it; negative where there is no room for the frame itself.
  package func mostReservoir(after frame: UnpackedFrame, from reservoir: Int) -> Int {
    min(reservoir, frame.header.largestMainDataBegin) + longestSlot(frame) - frame.mainDataLength
  }

  /// Whether frames find room behind a full reservoir, in slots of any length; the first of them says
  /// what the stream's frames are like.
  package static func hasRoom(
    for frames: ArraySlice<UnpackedFrame>, leaving mainDataBegin: Int
  ) -> Bool {
    guard let header = frames.first?.header else { return true }
    var packer = FramePacker(.smallest(bitRateIndices: 1...14), like: header)
    packer.reservoir = header.largestMainDataBegin
    return (try? packer.needs(of: frames, leaving: mainDataBegin)) != nil
  }

  /// Packs frames, and appends those that are complete to `bytes`.
  ///
  /// - Parameters:
  ///   - frames: The next ones.
  ///   - mainDataBegin: What the frame after them will find in the reservoir, at least: no more
  ///     than `mostReservoir` promises.
  ///   - bytes: Grows by whole frames.
  ///   - lengths: Grows by the length of each of them.
  /// - Throws: `NoRoom` before any of the frames is packed.
  package mutating func pack(
    _ frames: some BidirectionalCollection<UnpackedFrame>, leaving mainDataBegin: Int,
    into bytes: inout [UInt8], lengths: inout [Int]
  ) throws(NoRoom) {
    let needs = try needs(of: frames, leaving: mainDataBegin)
    for (frame, need) in zip(frames, needs) {
      let header = frame.header
      // More than a frame can reach back to is filled up, and only then a slot is chosen.
      let excess = reservoir - header.largestMainDataBegin
      if excess > 0 { append(repeatElement(0, count: excess)) }
      let slot = slot(for: frame, leaving: need)
      let sideLength = header.sideInformationLength
      var head = header.bytes(with: slot) + frame.content.prefix(sideLength)
      SideInformation.setMainDataBegin(reservoir, in: &head, at: 4, header)
      addHead(head, slotLength: slotLength(slot))
      append(frame.content.dropFirst(sideLength))
    }
    giveOut(into: &bytes, lengths: &lengths)
  }

  /// Fills the last slots, and appends all frames that are left to `bytes`.
  package mutating func finish(into bytes: inout [UInt8], lengths: inout [Int]) {
    append(repeatElement(0, count: reservoir))
    giveOut(into: &bytes, lengths: &lengths)
  }

  /// What the reservoir must hold behind each of the frames, from the last to the first.
  private func needs(
    of frames: some BidirectionalCollection<UnpackedFrame>, leaving mainDataBegin: Int
  ) throws(NoRoom) -> [Int] {
    var needs: [Int] = []
    var need = mainDataBegin
    for (index, frame) in zip(0..., frames).reversed() {
      needs.append(need)
      need = max(0, need + frame.mainDataLength - longestSlot(frame))
      guard need <= frame.header.largestMainDataBegin else { throw NoRoom(frame: count + index) }
    }
    guard need <= reservoir else { throw NoRoom(frame: count) }
    return needs.reversed()
  }

  private func longestSlot(_ frame: UnpackedFrame) -> Int {
    switch slots {
    case .own: slotLength(frame.slot)
    case .smallest(let indices):
      slotLength(SlotSize(bitRateIndex: indices.upperBound, isPadded: true))
    }
  }

  /// A slot for the frame that leaves at least `need` bytes for the frame after it.
  private func slot(for frame: UnpackedFrame, leaving need: Int) -> SlotSize {
    guard case .smallest(let indices) = slots else { return frame.slot }
    let wanted = need + frame.mainDataLength - reservoir
    return indices.lazy.map { SlotSize(bitRateIndex: $0, isPadded: false) }
      .first { slotLength($0) >= wanted }
      ?? SlotSize(bitRateIndex: indices.upperBound, isPadded: true)
  }

  private func slotLength(_ slot: SlotSize) -> Int {
    slotLengths[slot.bitRateIndex] + (slot.isPadded ? 1 : 0)
  }

  /// Begins a frame, whose slot is free.
  mutating func addHead(_ bytes: [UInt8], slotLength: Int) {
    heads.append((bytes, slotLength))
    reservoir += slotLength
    count += 1
  }

  /// Puts bytes into the slots, which must have room.
  mutating func append(_ bytes: some Collection<UInt8>) {
    mainData.append(contentsOf: bytes)
    reservoir -= bytes.count
  }

  /// Bytes in slots of frames that were not given out.
  var held: Int { mainData.count }

  /// Takes the last bytes out of the slots again, as far as they were not given out.
  mutating func free(_ byteCount: Int) {
    let count = min(byteCount, mainData.count)
    mainData.removeLast(count)
    reservoir += count
  }

  /// Appends the frames whose slots are full to `bytes`.
  mutating func giveOut(into bytes: inout [UInt8], lengths: inout [Int]) {
    var taken = 0
    var done = 0
    while done < heads.count, mainData.count - taken >= heads[done].slotLength {
      let (head, slotLength) = heads[done]
      bytes.append(contentsOf: head)
      bytes.append(contentsOf: mainData[taken..<taken + slotLength])
      lengths.append(head.count + slotLength)
      taken += slotLength
      done += 1
    }
    mainData.removeFirst(taken)
    heads.removeFirst(done)
  }
}

extension UnpackedFrame {
  fileprivate var slot: FramePacker.SlotSize {
    FramePacker.SlotSize(bitRateIndex: Int(header.bits >> 12 & 15), isPadded: header.hasPadding)
  }
}

extension FrameHeader {
  /// The header of a frame in another slot, without a checksum.
  fileprivate func bytes(with slot: FramePacker.SlotSize) -> [UInt8] {
    let facts = 0x1_0000 | UInt32(slot.bitRateIndex) << 12 | (slot.isPadded ? 0x200 : 0)
    let bits = bits & ~0x1_F200 | facts
    return bits.bigEndianBytes
  }
}
