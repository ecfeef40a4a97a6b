import Base
import HTTP
import Wire

// Which daemons serve, by what they and their last wills say: a page on which nothing happens cannot tell.
extension Gateway {
  /// So many are told of; what more would say is counted as refused.
  private static let maxInstances = 1000
  private static let maxStateBytes = 64

  /// Notes the word of an instance on its own topic; an empty one says that it is no more.
  func noteInstance(_ name: String, _ payload: ArraySlice<UInt8>) {
    guard !payload.isEmpty else {
      instances[name] = nil
      return
    }
    let bytes = Array(payload)
    do throws(JSONFault) {
      guard let state = try JSONValue(bytes.span, maxDepth: 8)["state"]?.string,
        state.utf8.count <= Gateway.maxStateBytes,
        instances[name] != nil || instances.count < Gateway.maxInstances
      else {
        instances[name] = nil
        refusedMessages += 1
        return
      }
      instances[name] = state
    } catch {
      instances[name] = nil
      refusedMessages += 1
    }
  }

  /// Daemons that say that they serve.
  var onlineCount: Int { instances.values.count { $0 == "online" } }

  func addStatusRoute() {
    guarded("GET", "/status") { [unowned self] _ in
      var bytes: [UInt8] = []
      JSONValue.object([
        "subscribed": .bool(isSubscribed), "instances": .object(instances.mapValues { .string($0) }),
      ]).append(to: &bytes)
      return HTTPResponse(type: "application/json", bytes: bytes)
    }
  }
}
