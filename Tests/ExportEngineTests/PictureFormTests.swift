import LibAV
import MediaComposition
import TestSupport
import Testing

@testable import ExportEngine

@Suite("Forms of pictures") struct PictureFormTests {
  @Test("the longer side of what is made smaller is exact, whatever it was")
  func limited() {
    for longer in 1921...12_000 {
      let form = PictureForm(width: longer, height: longer * 9 / 16).limited(to: 1920)
      #expect(form.width == 1920 && (1078...1080).contains(form.height), "\(longer): \(form)")
      let turned = PictureForm(width: longer / 3, height: longer).limited(to: 1920)
      #expect(turned.height == 1920 && (638...640).contains(turned.width), "\(longer): \(turned)")
    }
    let small = PictureForm(width: 1920, height: 3, pixelFormat: "gray")
    #expect(small.limited(to: 1920) == small)
    #expect(PictureForm(width: 100_000, height: 10).limited(to: 1920).height == 2)
  }

  @Test(
    "what fits into a box, or into the box turned, keeps its size; the rest touches the box in its shape"
  )
  func boxed() {
    var dice = Dice(42)
    let box = VideoSettings.Size(width: 1280, height: 720)
    for _ in 0..<20_000 {
      let sides = (Int(dice.number(1..<4000)), Int(dice.number(1..<4000)))
      let form = PictureForm(width: 2 * sides.0, height: 2 * sides.1)
      let most = form.height > form.width ? (720, 1280) : (1280, 720)
      let limited = form.limited(to: box)
      if form.width <= most.0, form.height <= most.1 {
        #expect(limited == form)
        continue
      }
      #expect(limited.width <= most.0 && limited.height <= most.1, "\(form): \(limited)")
      #expect(limited.width == most.0 || limited.height == most.1, "\(form): \(limited)")
      #expect(limited.width % 2 == 0 && limited.height % 2 == 0)
      // The rounded side is at most one pixel beside its place.
      let scale = min(Double(most.0) / Double(form.width), Double(most.1) / Double(form.height))
      let exact = (Double(form.width) * scale, Double(form.height) * scale)
      #expect(abs(Double(limited.width) - max(2, exact.0)) <= 1, "\(form): \(limited)")
      #expect(abs(Double(limited.height) - max(2, exact.1)) <= 1, "\(form): \(limited)")
    }
    let form = PictureForm(width: 4000, height: 3000)
    #expect(form.limited(to: nil) == form)
  }
}
