import COpenSSL

/// Why no TLS connection came about.
public enum TLSFault: Equatable, Sendable, CustomStringConvertible {
  /// The broker's certificate is good, and for another name than the one that we connect to.
  case wrongHostName
  /// The broker's certificate, or one that it depends on, has expired.
  case expired
  /// The broker's certificate, or one that it depends on, is not valid yet.
  case notYetValid
  /// The broker vouches for itself.
  case selfSigned
  /// An authority that we do not trust vouches for the broker.
  case unknownAuthority
  /// Another fault of the broker's certificate, with OpenSSL's verify code.
  case invalidCertificate(code: Int)
  /// The broker wants a certificate of ours: it says so, or it hung up when it got none.
  case clientCertificateMissing
  /// The broker hung up when it had our certificate.
  case clientCertificateRefused
  /// What the library or OpenSSL said; empty: nothing.
  case other(String)

  /// One clause for the log.
  public var description: String {
    switch self {
    case .wrongHostName: "the broker's certificate is for another host name"
    case .expired: "the broker's certificate has expired"
    case .notYetValid: "the broker's certificate is not valid yet"
    case .selfSigned: "the broker's certificate is self-signed and not trusted"
    case .unknownAuthority: "the broker's certificate is of an authority that is not trusted"
    case .invalidCertificate(let code):
      "the broker's certificate is refused: \(unsafe String(cString: X509_verify_cert_error_string(code)))"
    case .clientCertificateMissing:
      "the broker hung up after the TLS handshake: it wants a certificate of ours"
    case .clientCertificateRefused: "the broker hung up after the TLS handshake: it refuses our certificate"
    case .other(""): "the broker and we do not agree, and the library does not say why"
    case .other(let words): words
    }
  }

  /// The fault by what OpenSSL found about the broker's certificate, and what the library logged meanwhile.
  init(verifyCode: Int, complaints: [String]) {
    let isWrongName = complaints.contains { $0.contains("host name verification failed") }
    switch Int32(truncatingIfNeeded: verifyCode) {
    case _ where isWrongName: self = .wrongHostName
    case X509_V_ERR_CERT_HAS_EXPIRED: self = .expired
    case X509_V_ERR_CERT_NOT_YET_VALID: self = .notYetValid
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: self = .selfSigned
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      self = .unknownAuthority
    case X509_V_OK: self = Self.spoken(in: complaints)
    default: self = .invalidCertificate(code: verifyCode)
    }
  }

  /// `OpenSSL Error[0]: error:0A00045C:SSL routines::tlsv13 alert certificate required`: the words at the
  /// end.
  private static func spoken(in complaints: [String]) -> TLSFault {
    let words = complaints.first.map { complaint in
      guard complaint.hasPrefix("OpenSSL Error") else { return complaint }
      return complaint.split(separator: ":").last.map(String.init) ?? complaint
    }
    guard let words else { return .other("") }
    return words.hasSuffix("alert certificate required") ? .clientCertificateMissing : .other(words)
  }
}
