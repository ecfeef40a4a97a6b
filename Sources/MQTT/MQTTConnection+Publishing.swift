extension MQTTConnection {
  /// How many messages may be published now.
  public var publishRoom: Int { isOnline ? max(0, settings.publishWindow - unacknowledgedCount) : 0 }

  /// Publishes with QoS 1. `topic` ends with a zero byte; both are copied.
  ///
  /// Returns the packet id that `didAcknowledge` will name; ids repeat after 65 535. When the connection ends
  /// before that, the message may or may not have arrived: publish it again.
  public func publish(
    topic: Span<UInt8>, payload: Span<UInt8>, retain: Bool = false
  ) throws(PublishFault) -> UInt16 {
    precondition(topic.count > 0 && topic[topic.count - 1] == 0, "a topic does not end with a zero byte")
    // The library queues a publish that it answers with "no connection", and its queue has no bound.
    guard isOnline, let handle, handle.socket != nil else { throw .notConnected }
    guard unacknowledgedCount < settings.publishWindow else { throw .windowFull }
    let id = try handle.publish(topic: topic, payload: payload, retain: retain)
    unacknowledgedCount += 1
    counters.messagesPublished += 1
    return id
  }

  /// Publishes with QoS 1 to a topic that is made for the occasion; off the hot path.
  @discardableResult
  public func publish(
    topic: String, payload: [UInt8], retain: Bool = false
  ) throws(PublishFault) -> UInt16 {
    guard !topic.utf8.contains(0) else { throw .invalidTopic }
    let terminated = Array(topic.utf8) + [0]
    return try publish(topic: terminated.span, payload: payload.span, retain: retain)
  }

  /// Sets the filters that are subscribed, with QoS 1, on each connect. While online, filters that are new
  /// are subscribed at once, and those that are gone are unsubscribed.
  public func setFilters(_ filters: [String]) {
    let old = self.filters
    self.filters = filters
    guard isOnline, let handle else { return }
    for filter in old where !filters.contains(filter) { handle.unsubscribe(filter) }
    subscribe(filters.filter { !old.contains($0) })
  }

  /// Removes a filter from the session, which may know it from an earlier life of ours. Only while online.
  public func unsubscribe(_ filter: String) {
    filters.removeAll { $0 == filter }
    if isOnline { handle?.unsubscribe(filter) }
  }

  func subscribe(_ filters: [String]) {
    for filter in filters {
      switch handle?.subscribe(filter) {
      case .success(let id): awaitedFilters[id] = filter
      case .failure(.invalidTopic): answer(filter, .refused(.topicFilterInvalid))
      // The connection has ended in the same turn, which is told next; the one after it subscribes
      // everything.
      case .failure, nil: return
      }
    }
  }

  func settleSubscriptions() {
    let answers = inbox.subscriptions
    inbox.subscriptions.removeAll()
    for (id, codes) in answers {
      guard let filter = awaitedFilters.removeValue(forKey: id), let code = codes.first else { continue }
      switch code {
      case 1, 2: answer(filter, .granted)
      case 0: answer(filter, .grantedWithoutAcknowledgement)
      default: answer(filter, .refused(MQTTReason(rawValue: UInt8(clamping: code))))
      }
    }
  }

  func settleAcknowledgements() {
    // By index: the delegate may drop the connection, and the list is empty then.
    var index = 0
    while index < inbox.acknowledgements.count {
      let (id, reason) = inbox.acknowledgements[index]
      index += 1
      unacknowledgedCount -= 1
      if reason.isFailure { counters.messagesRefused += 1 } else { counters.messagesAcknowledged += 1 }
      delegate?.connection(self, didAcknowledge: id, reason: reason)
    }
    inbox.acknowledgements.removeAll(keepingCapacity: true)
  }

  private func answer(_ filter: String, _ answer: SubscriptionAnswer) {
    if answer != .granted { counters.filtersRefused += 1 }
    delegate?.connection(self, filter: filter, wasAnswered: answer)
  }
}
