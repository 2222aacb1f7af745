/// A program of Python that gives the picture of an MP4 or MOV, its argument, the matrix of a quarter of a turn
/// (ISO/IEC 14496-12, 8.3.2): versions of ffmpeg have no option for it in common.
public let turningScript = """
  import struct, sys
  data = bytearray(open(sys.argv[1], 'rb').read())
  at = data.find(b'tkhd')
  while at >= 0:
      width, height = struct.unpack('>II', data[at + 80:at + 88])
      if width:
          data[at + 44:at + 80] = struct.pack('>9i', 0, -1 << 16, 0, 1 << 16, 0, 0, 0, width, 1 << 30)
      at = data.find(b'tkhd', at + 4)
  open(sys.argv[1], 'wb').write(data)
  """
