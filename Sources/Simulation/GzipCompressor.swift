import CZlib

/// Owns a zlib stream and makes members of a gzip file with it.
///
/// Source: zlib's manual, "Advanced Functions": 16 added to the window's bits writes a gzip header; a stream
/// whose end was written is used again after `deflateReset`, at the same address.
@safe final class GzipCompressor {
  private let stream: UnsafeMutablePointer<z_stream>
  private static let windowBits: Int32 = 15 + 16

  init() {
    unsafe stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let code = unsafe deflateInit2_(
      stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GzipCompressor.windowBits, 8, Z_DEFAULT_STRATEGY,
      ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(code == Z_OK, "no memory for a compressor")
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Replaces `member` by a whole gzip member that holds `bytes`.
  func compress(_ bytes: [UInt8], into member: inout [UInt8]) {
    unsafe deflateReset(stream)
    let bound = Int(unsafe deflateBound(stream, UInt(bytes.count)))
    member.removeAll(keepingCapacity: true)
    member.append(contentsOf: repeatElement(0, count: bound))
    var input = bytes
    let code = unsafe input.withUnsafeMutableBufferPointer { from in
      unsafe member.withUnsafeMutableBufferPointer { to in
        unsafe stream.pointee.next_in = from.baseAddress
        unsafe stream.pointee.avail_in = UInt32(from.count)
        unsafe stream.pointee.next_out = to.baseAddress
        unsafe stream.pointee.avail_out = UInt32(to.count)
        return unsafe deflate(stream, Z_FINISH)
      }
    }
    // `deflateBound` promises that one call is enough.
    precondition(code == Z_STREAM_END, "a compressor did not keep to its own bound")
    member.removeLast(Int(unsafe stream.pointee.avail_out))
  }
}
