internal import CFFmpeg

/// A colour as pictures in `yuv420p` store it: BT.709's matrix, in the range of television.
package struct PictureColour: Sendable, Hashable {
  let luma: Int
  /// How far blue and red are from it.
  let blue: Int
  let red: Int

  /// A colour of sRGB's three parts, from 0 to 255 (ITU-R BT.709, sections 3.2 to 3.4).
  package init(red: UInt8, green: UInt8, blue: UInt8) {
    let (red, green, blue) = (Double(red) / 255, Double(green) / 255, Double(blue) / 255)
    let luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    self.luma = Int((16 + 219 * luma).rounded())
    self.blue = Int((128 + 224 * (blue - luma) / 1.8556).rounded())
    self.red = Int((128 + 224 * (red - luma) / 1.5748).rounded())
  }

  /// No light.
  package static let black = PictureColour(red: 0, green: 0, blue: 0)
}

extension Frame {
  /// A copy of a picture, which can be drawn on.
  package func copy() throws(LibAVError) -> Frame {
    let copy = try Frame()
    try check(av_frame_ref(copy.pointer, pointer), "av_frame_ref")
    try check(av_frame_make_writable(copy.pointer), "av_frame_make_writable")
    return copy
  }

  /// Mixes a colour into a rectangle of a copy in `yuv420p`. Its sides are even, since two pixels share a
  /// colour; what lies outside of the picture is left out.
  ///
  /// - Parameters:
  ///   - columns: Across.
  ///   - rows: Down.
  ///   - colour: What is mixed in.
  ///   - weight: How much of it, from 0 to 256: nothing else.
  package func blend(
    columns: Range<Int>, rows: Range<Int>, with colour: PictureColour, weight: Int = 256
  ) {
    guard pointer.pointee.format == AV_PIX_FMT_YUV420P.rawValue else { return }
    let columns = columns.clamped(to: 0..<Int(pointer.pointee.width))
    let rows = rows.clamped(to: 0..<Int(pointer.pointee.height))
    let halves = (
      columns.lowerBound / 2..<columns.upperBound / 2, rows.lowerBound / 2..<rows.upperBound / 2
    )
    let (data, strides) = (pointer.pointee.data, pointer.pointee.linesize)
    Self.blend(data.0, Int(strides.0), columns, rows, colour.luma, weight)
    Self.blend(data.1, Int(strides.1), halves.0, halves.1, colour.blue, weight)
    Self.blend(data.2, Int(strides.2), halves.0, halves.1, colour.red, weight)
  }

  private static func blend(
    _ plane: UnsafeMutablePointer<UInt8>?, _ stride: Int, _ columns: Range<Int>,
    _ rows: Range<Int>, _ value: Int, _ weight: Int
  ) {
    guard let plane else { return }
    for row in rows {
      let line = plane + row * stride
      for column in columns {
        let mixed = (Int(line[column]) * (256 - weight) + value * weight + 128) >> 8
        line[column] = UInt8(clamping: mixed)
      }
    }
  }
}

extension Frame {
  /// The pixels of a picture in `yuv420p`, in BT.709's matrix and the range of television: red, green and
  /// blue in a byte each, from the left, from the top; nil of another format.
  package var pixels: [UInt8]? {
    let frame = pointer.pointee
    guard frame.format == AV_PIX_FMT_YUV420P.rawValue, let lumas = frame.data.0,
      let blues = frame.data.1, let reds = frame.data.2
    else { return nil }
    let (width, height) = (Int(frame.width), Int(frame.height))
    let strides = (Int(frame.linesize.0), Int(frame.linesize.1), Int(frame.linesize.2))
    return [UInt8](unsafeUninitializedCapacity: width * height * 3) { pixels, count in
      for row in 0..<height {
        for column in 0..<width {
          // In 1024ths, as BT.709's section 3.3 has them.
          let luma = 1192 * (Int(lumas[row * strides.0 + column]) - 16)
          let blue = Int(blues[row / 2 * strides.1 + column / 2]) - 128
          let red = Int(reds[row / 2 * strides.2 + column / 2]) - 128
          pixels[count] = UInt8(clamping: (luma + 1836 * red + 512) >> 10)
          pixels[count + 1] = UInt8(clamping: (luma - 218 * blue - 546 * red + 512) >> 10)
          pixels[count + 2] = UInt8(clamping: (luma + 2163 * blue + 512) >> 10)
          count += 3
        }
      }
    }
  }
}
