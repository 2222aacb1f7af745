import TestSupport
import Testing
import VideoBitstream

@Suite("Forms of pictures in their own headers")
struct CodedFormTests {
  /// The first packet that an encoder of FFmpeg writes, without a container.
  private static func packet(
    _ codec: String, _ width: Int, _ height: Int, _ options: String = ""
  ) throws -> [UInt8] {
    let encoders = [
      "vp8": "libvpx -deadline realtime", "vp9": "libvpx-vp9 -deadline realtime",
      "av1": "libaom-av1 -usage realtime -cpu-used 8", "prores": "prores_ks",
    ]
    let result = try Tool.run([
      "sh", "-c",
      "ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=\(width)x\(height):r=25 -frames:v 1 "
        + "-c:v \(encoders[codec] ?? codec) \(options) -f rawvideo -",
    ])
    guard result.status == 0 else { throw ToolFailure(description: result.errors) }
    return Array(result.output)
  }

  @Test(
    "the size is that of the encoder",
    arguments: ["vp8", "vp9", "av1", "mpeg1video", "mpeg2video", "mpeg4", "mjpeg", "prores"])
  func size(codec: String) throws {
    var random = Dice(42)
    var sizes = [(16, 16), (4094, 16), (64, 2048)]
    for _ in 0..<4 {
      sizes.append(
        (
          2 * Int.random(in: 16...400, using: &random), 2 * Int.random(in: 16...200, using: &random)
        ))
    }
    for (width, height) in sizes {
      let form = CodedForm(of: try Self.packet(codec, width, height), codec: codec)
      #expect(form?.width == width && form?.height == height, "\(codec), \(width)x\(height)")
    }
  }

  @Test(
    "other ways of coding at the same size have another form, and the same ones have the same",
    arguments: [
      ("mpeg2video", "-pix_fmt yuv420p", "-pix_fmt yuv422p", "format of its pixels"),
      ("mpeg2video", "-aspect 4:3", "-aspect 16:9", "shape of its pixels"),
      ("mpeg1video", "-aspect 4:3", "-aspect 16:9", "shape of its pixels"),
      ("mpeg4", "-aspect 4:3", "-aspect 16:9", "shape of its pixels"),
      ("mpeg4", "-r 25", "-r 25 -aspect 17:13", "shape of its pixels"),
      ("vp9", "-pix_fmt yuv420p", "-pix_fmt yuv444p", "format of its pixels"),
      ("vp9", "-pix_fmt yuv420p", "-pix_fmt yuv420p10le", "format of its pixels"),
      ("av1", "-pix_fmt yuv420p", "-pix_fmt yuv444p", "format of its pixels"),
      ("av1", "-pix_fmt yuv420p", "-pix_fmt yuv420p10le", "format of its pixels"),
      ("av1", "-pix_fmt yuv420p", "-pix_fmt gray", "format of its pixels"),
      ("av1", "-pix_fmt yuv444p", "-pix_fmt yuv444p10le", "format of its pixels"),
      ("av1", "-pix_fmt yuv422p10le", "-pix_fmt yuv422p12le", "format of its pixels"),
      ("av1", "-pix_fmt yuv420p12le", "-pix_fmt yuv422p12le", "format of its pixels"),
      ("av1", "-pix_fmt yuv444p", "-pix_fmt gbrp", "format of its pixels"),
      ("mjpeg", "-pix_fmt yuvj420p", "-pix_fmt yuvj422p", "format of its pixels"),
      ("prores", "-pix_fmt yuv422p10le", "-pix_fmt yuva444p10le", "format of its pixels"),
    ])
  func change(codec: String, options: String, others: String, expected: String) throws {
    let form = try #require(
      CodedForm(of: try Self.packet(codec, 320, 240, options), codec: codec))
    let other = try #require(
      CodedForm(of: try Self.packet(codec, 320, 240, others), codec: codec))
    #expect(other.change(from: form) == expected)
    let again = CodedForm(of: try Self.packet(codec, 320, 240, options + " -q:v 9"), codec: codec)
    #expect(again?.change(from: form) == .some(nil))
    let small = try #require(CodedForm(of: try Self.packet(codec, 160, 120), codec: codec))
    #expect(small.change(from: form) == "size of its picture from 320x240 to 160x120")
  }

  @Test("neither the rate of pictures nor another layout of the header changes the form")
  func indifferent() throws {
    for codec in ["mpeg2video", "mpeg4"] {
      let forms = try ["-r 25", "-r 30000/1001", "-r 50", "-r 24"].map { rate in
        CodedForm(of: try Self.packet(codec, 320, 240, rate), codec: codec)
      }
      #expect(Set(forms).count == 1 && forms[0] != nil, "\(codec): \(forms)")
    }
  }

  @Test("DNxHD says its size and its kind")
  func dnxhd() throws {
    let first = try Self.packet("dnxhd", 1920, 1080, "-pix_fmt yuv422p -b:v 120M")
    let other = try Self.packet("dnxhd", 1920, 1080, "-pix_fmt yuv422p -b:v 36M")
    let form = try #require(CodedForm(of: first, codec: "dnxhd"))
    #expect(form.width == 1920 && form.height == 1080)
    #expect(CodedForm(of: other, codec: "dnxhd")?.change(from: form) == "format of its pixels")
  }

  @Test(
    "packets that are damaged or cut short have a form or none, and no form without a size",
    arguments: [
      "vp8", "vp9", "av1", "mpeg1video", "mpeg2video", "mpeg4", "mjpeg", "prores", "dnxhd",
    ])
  func damaged(codec: String) throws {
    let options = codec == "dnxhd" ? "-pix_fmt yuv422p -b:v 120M" : ""
    let size = codec == "dnxhd" ? (1920, 1080) : (64, 48)
    let packet = Array(try Self.packet(codec, size.0, size.1, options).prefix(600))
    for count in 0..<min(300, packet.count) {
      _ = CodedForm(of: Array(packet.prefix(count)), codec: codec)
    }
    var random = Dice(7)
    for _ in 0..<3000 {
      var mutant = packet
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        let place = Int.random(in: 0..<min(64, mutant.count), using: &random)
        mutant[place] = UInt8.random(in: 0...255, using: &random)
      }
      let form = CodedForm(of: mutant, codec: codec)
      #expect(form.map { $0.width > 0 && $0.height > 0 } ?? true)
    }
  }

  @Test("pictures that are no key pictures, and other codecs, say nothing")
  func none() {
    #expect(CodedForm(of: [0x31, 0, 0, 0x9D, 1, 0x2A, 16, 0, 16, 0], codec: "vp8") == nil)
    #expect(CodedForm(of: [0x86, 0, 0x49, 0x83, 0x42, 0, 0, 0, 0, 0], codec: "vp9") == nil)
    #expect(CodedForm(of: [0, 0, 1, 0, 0x12, 8, 0, 0, 1, 1], codec: "mpeg2video") == nil)
    #expect(CodedForm(of: [0x12, 0], codec: "av1") == nil)
    #expect(CodedForm(of: [0xFF, 0xD8, 0xFF, 0xD9], codec: "mjpeg") == nil)
    #expect(CodedForm(of: [0, 0, 1, 0xB3, 2, 0, 0x20, 0x13], codec: "theora") == nil)
  }
}
