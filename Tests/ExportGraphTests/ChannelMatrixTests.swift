import ExportGraph
import MediaComposition
import Testing

@Suite("Channel matrices")
struct ChannelMatrixTests {
  private let surround = ChannelLayout(mask: 0x3F)

  @Test("mono goes to both sides at unity")
  func monoToStereo() {
    #expect(ChannelMatrix(from: .mono, to: .stereo).weights == [[1], [1]])
  }

  @Test("stereo becomes mono as the mean")
  func stereoToMono() {
    #expect(ChannelMatrix(from: .stereo, to: .mono).weights == [[0.5, 0.5]])
  }

  @Test(
    "a layout becomes itself untouched",
    arguments: [0x4, 0x3, 0x3F, 0x63F, 0x503F, 0x2_D63F, 0x1_8000_003F] as [UInt64])
  func identity(mask: UInt64) {
    let layout = ChannelLayout(mask: mask)
    let weights = ChannelMatrix(from: layout, to: layout).weights
    for (row, column) in layout.channels.indices.flatMap({ row in
      layout.channels.indices.map { (row, $0) }
    }) {
      #expect(weights[row][column] == (row == column ? 1 : 0))
    }
  }

  @Test("5.1 becomes stereo by ITU-R BS.775: centre and surrounds at −3 dB, no low frequencies")
  func surroundToStereo() {
    let half = Float(0.5).squareRoot()
    #expect(
      ChannelMatrix(from: surround, to: .stereo).weights == [
        [1, 0, half, 0, half, 0], [0, 1, half, 0, 0, half],
      ])
  }

  @Test("5.1 becomes mono as the mean of its stereo")
  func surroundToMono() {
    let half = Float(0.5).squareRoot()
    #expect(
      ChannelMatrix(from: surround, to: .mono).weights == [
        [0.5, 0.5, half, 0, half / 2, half / 2]
      ])
  }

  private let side = ChannelLayout(mask: 0x60F)
  private let half = Float(0.5).squareRoot()

  /// A row for each target channel, each a weight for every source channel.
  private func weights(_ source: ChannelLayout, _ target: ChannelLayout) -> [[Float]] {
    ChannelMatrix(from: source, to: target).weights
  }

  @Test("mono and stereo sound from the fronts of surround alone")
  func fromStereo() {
    for (target, count) in [(ChannelLayout.surround51, 6), (.surround71, 8), (.quad, 4)] {
      #expect(weights(.mono, target) == [[1], [1]] + Array(repeating: [0], count: count - 2))
      #expect(
        weights(.stereo, target) == [[1, 0], [0, 1]] + Array(repeating: [0, 0], count: count - 2))
    }
  }

  @Test("surrounds at the side and at the back are one another's, untouched")
  func sides() {
    let identity = (0..<6).map { row in (0..<6).map { $0 == row ? Float(1) : 0 } }
    #expect(weights(side, surround) == identity)
    #expect(weights(surround, side) == identity)
  }

  @Test("5.1 leaves the sides of 7.1 silent, and comes back from it")
  func fiveToSeven() {
    let up = weights(surround, .surround71)
    #expect(up.prefix(6) == weights(surround, surround).prefix(6))
    #expect(up.suffix(2) == [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]])
    // 5.1(side) keeps its surrounds at the side, too.
    #expect(weights(side, .surround71)[4...5].allSatisfy { $0.allSatisfy { $0 == 0 } })
    #expect(weights(side, .surround71)[6] == [0, 0, 0, 0, 1, 0])
  }

  @Test("7.1 becomes 5.1 with side and back at −3 dB each in one pair")
  func sevenToFive() {
    let down = weights(.surround71, surround)
    let identity: [[Float]] = (0..<4).map { row in (0..<8).map { $0 == row ? 1 : 0 } }
    #expect(Array(down.prefix(4)) == identity)
    #expect(down[4] == [0, 0, 0, 0, half, 0, half, 0])
    #expect(down[5] == [0, 0, 0, 0, 0, half, 0, half])
  }

  @Test("5.1 becomes quad with the centre on both fronts at −3 dB; 5.0 keeps it")
  func quad() {
    #expect(
      weights(surround, .quad) == [
        [1, 0, half, 0, 0, 0], [0, 1, half, 0, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1],
      ])
    #expect(
      weights(surround, .surround50) == [
        [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 1, 0],
        [0, 0, 0, 0, 0, 1],
      ])
    #expect(weights(.quad, .stereo) == [[1, 0, half, 0], [0, 1, 0, half]])
  }

  @Test("a back centre is shared by the surrounds at −3 dB each")
  func backCentre() {
    let source = ChannelLayout([.frontLeft, .frontRight, .backCenter])
    #expect(weights(source, .quad) == [[1, 0, 0], [0, 1, 0], [0, 0, half], [0, 0, half]])
  }

  @Test("5.1.2 becomes stereo with its heights at −3 dB on their sides")
  func heights() {
    #expect(
      weights(ChannelLayout(mask: 0x503F), .stereo) == [
        [1, 0, half, 0, half, 0, half, 0], [0, 1, half, 0, 0, half, 0, half],
      ])
  }

  @Test("5.1.4 becomes 5.1 with the heights in front and behind at −3 dB in what is below them")
  func heightsAbove() {
    let tops = weights(ChannelLayout(mask: 0x2_D03F), surround).map { Array($0.suffix(4)) }
    let silent: [Float] = [0, 0, 0, 0]
    #expect(
      tops == [
        [half, 0, 0, 0], [0, half, 0, 0], silent, silent, [0, 0, half, 0], [0, 0, 0, half],
      ])
  }

  @Test(
    "a channel of a side is heard on that side alone, with half its power or all of it",
    arguments: [ChannelLayout.stereo, .quad, .surround51, .surround71, ChannelLayout(mask: 0x60F)])
  func sideAlone(target: ChannelLayout) {
    for channel in ChannelLayout.Channel.allCases {
      // With a front centre, it is neither mono nor a pair.
      let others: [ChannelLayout.Channel] = [.frontCenter, .lowFrequency].filter { $0 != channel }
      let source = ChannelLayout(others + [channel])
      let column = weights(source, target).compactMap(\.last)
      let power = column.reduce(0) { $0 + $1 * $1 }
      if let side = channel.side {
        #expect(power > 0.49)
        for (place, weight) in zip(target.channels, column) where weight != 0 {
          #expect(place.side == side, "\(channel) in \(place)")
        }
      } else if ![.frontCenter, .lowFrequency, .lowFrequency2].contains(channel),
        !target.channels.contains(channel)
      {
        let left = zip(target.channels, column).filter { $0.0.side == .left }.map(\.1)
        let right = zip(target.channels, column).filter { $0.0.side == .right }.map(\.1)
        #expect(left == right && left.contains { $0 > 0.49 }, "\(channel)")
      }
    }
  }
}
