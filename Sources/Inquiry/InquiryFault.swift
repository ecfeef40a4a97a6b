import Base

/// Why a store cannot answer.
public enum InquiryFault: Error, CustomStringConvertible {
  /// The saved state or a row does not fit this program: damaged, or written by another version.
  case badState(String)

  /// The fault in a sentence.
  public var description: String {
    switch self {
    case .badState(let reason): "the store cannot be replayed: \(reason)"
    }
  }
}
