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

  @Test("a layout becomes itself untouched", arguments: [0x4, 0x3, 0x3F, 0x63F] as [UInt64])
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
}
