internal import CFFmpeg

/// Which of the two fields of an interlaced picture is shown first: its even lines, or its odd ones.
package enum FirstField: Sendable, Hashable {
  /// The upper one, which has the first line (`AV_FIELD_TT`).
  case top
  /// The lower one (`AV_FIELD_BB`).
  case bottom
}

extension Frame {
  /// Which field is shown first of an interlaced picture (`AV_FRAME_FLAG_INTERLACED`); nil where both are
  /// of one moment.
  package var firstField: FirstField? {
    switch avjob_first_field(pointer) {
    case 1: .top
    case 2: .bottom
    default: nil
    }
  }
}
