internal import CFFmpeg

/// What the numbers of a picture's samples mean (ITU-T H.273), as far as pictures of one output must agree
/// in it.
package struct PictureColours: Sendable, Hashable {
  /// How red, green and blue follow from luma and chroma (`MatrixCoefficients`).
  package struct Matrix: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let bt709 = Matrix(rawValue: AVCOL_SPC_BT709.rawValue)
    /// That of BT.470 for 625 lines is the same.
    package static let bt601 = Matrix(rawValue: AVCOL_SPC_SMPTE170M.rawValue)
    /// Of constant luminance or not: libswscale takes one for the other.
    package static let bt2020 = Matrix(rawValue: AVCOL_SPC_BT2020_NCL.rawValue)

    /// nil where nothing is said, and for red, green and blue themselves.
    init?(_ space: AVColorSpace) {
      switch space {
      case AVCOL_SPC_UNSPECIFIED, AVCOL_SPC_RGB, AVCOL_SPC_RESERVED: return nil
      case AVCOL_SPC_BT470BG: self = .bt601
      case AVCOL_SPC_BT2020_CL: self = .bt2020
      default: self.init(rawValue: space.rawValue)
      }
    }

    /// What players take for a picture's that does not say: high definition has BT.709.
    init(guessedFor form: PictureForm) {
      self = form.width >= 1280 || form.height > 576 ? .bt709 : .bt601
    }

    var space: AVColorSpace { AVColorSpace(rawValue) }

    /// libavfilter's name of it; nil where libswscale does not convert it.
    package var filterName: String? {
      switch space {
      case AVCOL_SPC_BT709: "bt709"
      case AVCOL_SPC_SMPTE170M: "bt601"
      case AVCOL_SPC_BT2020_NCL: "bt2020"
      case AVCOL_SPC_FCC: "fcc"
      case AVCOL_SPC_SMPTE240M: "smpte240m"
      default: nil
      }
    }
  }

  /// How light follows from numbers (`TransferCharacteristics`), as far as it says how bright white is.
  package enum Transfer: String, Sendable {
    case standard = "no HDR"
    /// SMPTE ST 2084.
    case perceptual = "HDR by PQ"
    /// ARIB STD-B67.
    case hybrid = "HDR by HLG"

    init(_ transfer: AVColorTransferCharacteristic) {
      self =
        switch transfer {
        case AVCOL_TRC_SMPTE2084: .perceptual
        case AVCOL_TRC_ARIB_STD_B67: .hybrid
        default: .standard
        }
    }
  }

  /// nil for pictures without luma and chroma: those of red, green and blue, and grey ones.
  package var matrix: Matrix?
  package var transfer: Transfer
  /// Whether numbers use all of their range (`AVCOL_RANGE_JPEG`).
  package var isFullRange: Bool

  package init(matrix: Matrix?, transfer: Transfer, isFullRange: Bool) {
    (self.matrix, self.transfer, self.isFullRange) = (matrix, transfer, isFullRange)
  }
}

extension Frame {
  /// What its numbers mean: as its decoder says, where that does not, its stream, and of its matrix, where
  /// neither does, by its size.
  package func colours(of stream: Stream?) -> PictureColours {
    let form = self.form
    let (own, others) = (pointer.pointee, stream?.parameters)
    let transfer =
      own.color_trc == AVCOL_TRC_UNSPECIFIED ? others?.color_trc ?? own.color_trc : own.color_trc
    let isFullRange =
      self.isFullRange
      || own.color_range == AVCOL_RANGE_UNSPECIFIED && others?.color_range == AVCOL_RANGE_JPEG
    let matrix =
      form.hasChroma
      ? PictureColours.Matrix(own.colorspace)
        ?? others.flatMap { PictureColours.Matrix($0.color_space) }
        ?? PictureColours.Matrix(guessedFor: form)
      : nil
    return PictureColours(
      matrix: matrix, transfer: PictureColours.Transfer(transfer), isFullRange: isFullRange)
  }
}

extension PictureForm {
  /// Whether its samples are luma and chroma; so they are where the format is not known.
  fileprivate var hasChroma: Bool {
    guard let pixelFormat, let facts = av_pix_fmt_desc_get(av_get_pix_fmt(pixelFormat)) else {
      return true
    }
    let others = UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)
    return facts.pointee.flags & others == 0 && facts.pointee.nb_components > 2
  }
}
