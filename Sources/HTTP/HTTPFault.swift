public import Base

/// What keeps a server from listening, or a question from being answered.
public enum HTTPFault: Error, Equatable, CustomStringConvertible {
  /// Somebody listens there already.
  case addressInUse(ListenAddress)
  /// A system call failed, with `errno`.
  case system(call: String, code: Int32, address: ListenAddress)
  /// The library refused to start.
  case library(ListenAddress)
  /// Nobody listens there.
  case nobodyListens(ListenAddress)
  /// There was no whole answer in time.
  case noAnswer(ListenAddress)
  /// What answered does not speak HTTP, or says too much.
  case badAnswer(ListenAddress)

  /// The fault in a sentence.
  public var description: String {
    switch self {
    case .addressInUse(let address): "\(address) is taken: something listens there already"
    case .system(let call, let code, let address): "\(address): \(call): \(systemText(code))"
    case .library(let address): "\(address): libmicrohttpd does not start"
    case .nobodyListens(let address): "nobody listens on \(address)"
    case .noAnswer(let address): "no answer from \(address) in time"
    case .badAnswer(let address): "what answers on \(address) is no LiveCue"
    }
  }
}
