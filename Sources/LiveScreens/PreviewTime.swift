import JobModel
import MediaTime

/// A time as a listener types it.
package struct PreviewTime: Sendable {
  private let moment: Moment
  private let text: String

  /// `83s`, `1:23`, `end-10s`, `44100 samples`.
  ///
  /// - Throws: What to type instead.
  package init(_ text: String) throws(QuantityError) {
    do throws(QuantityError) {
      moment = try Moment(parsing: text)
    } catch {
      // The place of an item, for a job file.
      let isName = text.unicodeScalars.first?.properties.isAlphabetic == true
      guard isName, !text.hasPrefix("start"), !text.hasPrefix("end") else { throw error }
      throw QuantityError("'\(text)' is no time", help: Self.remedy)
    }
    self.text = text
  }

  private static let remedy = "write a time, 'end', or 'end-10s'"

  /// The time in an item of a duration; nil if it is outside, or relative to another item, a picture or
  /// words.
  package func time(in duration: Time, rate: Int) -> Time? {
    let offset = moment.offset.time(atRate: rate)
    let time: Time
    switch moment.anchor {
    case .start: time = moment.isEarlier ? .zero - offset : offset
    case .end: time = moment.isEarlier ? duration - offset : duration + offset
    case .item, .picture, .phrase: return nil
    }
    return time.isNumeric && time >= .zero && time <= duration ? time : nil
  }

  /// The message for a time that an item of a duration does not have.
  package func refusal(in name: String, lasting duration: Time) -> String {
    if case .picture = moment.anchor { return "'\(text)' counts in a source; \(Self.remedy)" }
    guard case .item = moment.anchor else {
      return "'\(text)' is outside of '\(name)', which lasts \(PreviewLayout.clock(duration))"
    }
    return "'\(text)' counts from an item; \(Self.remedy)"
  }
}
