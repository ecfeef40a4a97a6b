import Base

/// All settings, in the order of the documentation.
enum ServiceSettings {
  static let table = SettingTable<ServiceDraft>(
    [
      SettingRow(
        "instance", \.instance, .text(.name),
        """
        The name of this service. It is part of its own topics and of its client id, so no two at a broker \
        share it.
        """
      ).takenAtStart
    ] + broker.map(\.takenAtStart) + tls.map(\.takenAtStart) + prefixes.map(\.takenAtStart) + topics
      + state.map(\.takenAtStart)
      + journal + room.filter { !$0.setting.path.hasPrefix("limits.") } + limits
      + room.filter { $0.setting.path.hasPrefix("limits.") } + log + metrics.map(\.takenAtStart)
      + overlay.map(\.takenAtStart) + rooms)

  private typealias Row = SettingRow<ServiceDraft>

  private static let room = RoomSettings.table.rows.map { $0.lifted(\ServiceDraft.room) }

  private static let broker: [Row] = [
    SettingRow("broker.host", \.broker.host, .text(.host), "Where the MQTT broker is."),
    SettingRow("broker.port", \.broker.port, .count(1...65_535), "The TCP port of the broker."),
    SettingRow(
      "broker.protocol", \.broker.protocolVersion, .choice,
      "The version of MQTT. 3.1.1 is for brokers that speak nothing newer; it reports fewer faults."),
    SettingRow(
      "broker.clientId", \.clientIDTemplate, .text(.clientID),
      """
      The client id; {instance} stands for the instance's name. The broker keeps what comes in while we are \
      away under this id: another id starts with nothing.
      """),
    SettingRow("broker.username", \.broker.username, .textOrNone(.username), "The user name; empty: none."),
    SettingRow(
      "broker.passwordFile", \.broker.passwordFile, .textOrNone(.optionalPath),
      """
      The file whose first line is the password, relative to this file; credential:NAME is one that systemd \
      hands over (LoadCredential=); empty: none. A password never stands in this file, which is shown and logged.
      """),
    SettingRow(
      "broker.keepAliveSeconds", \.broker.keepAliveSeconds, .count(5...65_535, .seconds),
      "A dead connection is noticed after one and a half of these."),
    SettingRow(
      "broker.connectTimeoutMs", \.broker.connectTimeoutMilliseconds, .milliseconds(100...600_000),
      "How long an attempt to connect may take."),
    SettingRow(
      "broker.reconnectMinMs", \.broker.reconnectMinMilliseconds, .milliseconds(10...600_000),
      """
      The wait before a new attempt. It doubles with each, but not for the first thirty to a broker that does not \
      answer: one that is started anew is back within seconds, and must not send to nobody.
      """),
    SettingRow(
      "broker.reconnectMaxMs", \.broker.reconnectMaxMilliseconds, .milliseconds(10...3_600_000),
      "The longest wait between two attempts."),
    SettingRow(
      "broker.sessionExpirySeconds", \.broker.sessionExpirySeconds, .integer(1...4_294_967_295, .seconds),
      """
      How long the broker keeps our session while we are away (MQTT 5); after that, what it queued for us is \
      lost. 4294967295: for ever.
      """),
    SettingRow(
      "broker.receiveMaximum", \.broker.receiveMaximum, .count(1...65_535),
      """
      How many messages the broker may send before the first is acknowledged (MQTT 5): more make larger \
      turns.
      """
    ),
    SettingRow(
      "broker.publishWindow", \.broker.publishWindow, .count(1...65_535),
      "How many of our messages may be unacknowledged. The rest waits in the outbox."),
  ]

  private static let prefixes: [Row] = [
    SettingRow(
      "topics.room", \.roomPrefix, .text(.topicPrefix),
      "First levels of the rooms' topics: cue gives cue/{room}/gift/0."),
    SettingRow(
      "topics.instance", \.instancePrefix, .text(.topicPrefix),
      "First levels of this service's own topics: livecue gives livecue/{instance}/status."),
  ]

  private static let topics: [Row] = [
    .profiles,
    SettingRow(
      "inputs", \.inputs, records: inputs, count: 1...64,
      """
      The MQTT filters that deliver batches. No topic may match two of them, or it would count twice; and \
      none may match our own output.
      """),
  ]

  private static let inputs = SettingTable<InputDraft>([
    SettingRow(
      "filter", \.filter, .text(.inputFilter), isRequired: true,
      "The filter. {room} marks the level that is the room; a single + needs no mark."),
    SettingRow(
      "kind", \.kind, .choice, isRequired: true,
      "What the events are; with batch each says its own kind."),
    SettingRow("profile", \.profile, .text(.name), "How payloads are read."),
    SettingRow(
      "source", \.source, .textOrNone(.optionalName),
      """
      Inputs of one source share the ids of events: an event that comes on two of them counts once. Empty: \
      the profile's name.
      """),
    SettingRow(
      "room", \.room, .textOrNone(.optionalRoom),
      "The room of all messages of the filter, which then marks none; empty: something else says it."),
    SettingRow(
      "roomMember", \.roomMember, .memberPath,
      """
      Where the room lies in each element of a payload, or beside the elements: for filters whose topic does not \
      say it. Events of several rooms may come in one message.
      """),
    SettingRow(
      "userProperties", \.userProperties, .list(.utf8(.id), count: 0...16),
      """
      Names of MQTT user properties that the profile reads. With any the profile sees an object of two members: \
      payload, and properties with those that came. Needs MQTT 5.
      """),
  ])

  private static let state: [Row] = [
    SettingRow(
      "state.directory", \.stateDirectory, .textOrNone(.optionalPath),
      """
      The folder of the journal, relative to this file: what is acknowledged is there first, and a start goes \
      on from it. Empty: the one that systemd gives us (STATE_DIRECTORY); without that everything is kept in \
      memory only.
      """),
    SettingRow(
      "state.dayOffsetMinutes", \.dayOffsetMinutes, .count(-1440...1440, .minutes),
      "How far ahead of UTC the days of the ledger begin: 480 for China, -300 for New York in winter."),
    SettingRow(
      "state.ledgerKeepDays", \.ledgerKeepDays, .count(0...36_500, .days),
      "How many days the ledger goes back, today among them; older lines are removed. 0: for ever."),
  ]

  private static let journal: [Row] = [
    SettingRow(
      "state.journalMaxBytes", \.journalMaxBytes, .bytes(1 << 20...1 << 40),
      """
      The journal's rows that are not behind a snapshot yet. Beyond this nothing more is taken in, and the \
      broker keeps it.
      """),
    SettingRow(
      "state.snapshotRows", \.snapshotRows, .count(1...100_000_000),
      "The rooms' state is saved after so many rows; a start has to go through no more than about these."),
    SettingRow(
      "state.snapshotSeconds", \.snapshotSeconds, .count(1...86_400, .seconds),
      "It is saved after so long at the latest, if anything came in."),
    SettingRow(
      "state.journalKeepHours", \.journalKeepHours, .count(0...8760, .hours),
      """
      Rows behind a snapshot are kept for so long, for `livecue why` and `livecue simulate --journal`, as far \
      as they take no more than half of journalMaxBytes. 0: they are cut at once.
      """),
    SettingRow(
      "state.durability", \.durability, .choice,
      """
      What an acknowledged message survives. power: a power loss, for one fsync a turn. process: the death of the \
      process only; after a power loss the last seconds may be gone, and a new epoch begins.
      """
    ).takenAtStart,
    SettingRow(
      "state.minFreeBytes", \.minFreeBytes, .bytes(0...1 << 40),
      """
      With less room on the disk of the state directory, /readyz and the metrics say that we are not ready; \
      0: never. What comes in is recorded for as long as it can be.
      """),
  ]

  private static let limits: [Row] = [
    SettingRow(
      "limits.maxRooms", \.maxRooms, .count(1...10_000_000),
      "Rooms in memory. Batches of one more are rejected until one leaves."),
    SettingRow(
      "limits.outboxMaxBytes", \.outboxMaxBytes, .bytes(1 << 20...1 << 40),
      """
      Commands that wait for the broker, in memory. When they are more, what comes in is recorded, and handled \
      when half of them are gone; without a state directory nothing more is taken in.
      """),
  ]

  private static let log: [Row] = [
    SettingRow("log.level", \.logLevel, .choice, "The least grave messages that are logged."),
    SettingRow(
      "log.format", \.logFormat, .choice,
      "One line each: text is for people (message key=value), json for programs."),
  ]

  private static let metrics: [Row] = [
    SettingRow(
      "metrics.listen", \.metrics.listen,
      Codec<String?>.textOrNone(.listenAddress).map(
        { $0.flatMap { ListenAddress($0) } }, { $0?.description }),
      """
      Where /metrics, /healthz, /readyz and /stats are, for Prometheus and for livecue status; empty: nowhere. \
      Several instances need one each: who finds it taken says so, works without, and tries again.
      """),
    SettingRow(
      "metrics.maxConnections", \.metrics.maxConnections, .count(1...1000),
      "Clients at a time; one more waits."),
    SettingRow(
      "metrics.timeoutSeconds", \.metrics.timeoutSeconds, .count(1...3600, .seconds),
      "A client that neither says nor takes anything for so long is dropped."),
    SettingRow(
      "metrics.maxRequestBytes", \.metrics.maxRequestBytes, .bytes(4096...1 << 20),
      "The line and the headers of a request; longer ones are refused."),
    SettingRow(
      "metrics.statsSeconds", \.metrics.statsSeconds, .count(0...86_400, .seconds),
      "How often the same figures are published, retained, on livecue/{instance}/stats; 0: never."),
    SettingRow(
      "metrics.brokerDrops", \.metrics.readsBrokerDrops, .boolean,
      """
      Ask the broker how many messages it dropped because a queue was full. mosquitto tells it on \
      $SYS/broker/publish/messages/dropped, if we may read that.
      """),
  ]

  private static let overlay: [Row] = [
    SettingRow(
      "overlay.listen", \.overlay.listen,
      Codec<String>.text(.openListenAddress).map(
        { ListenAddress(anywhere: $0) ?? OverlayPlan().listen }, { $0.description }),
      """
      Where livecue overlay serves its page and the rooms' streams. An address that other machines reach needs \
      tokenFile too, and a proxy for TLS before it.
      """),
    SettingRow(
      "overlay.tokenFile", \.overlay.tokenFile, .textOrNone(.optionalPath),
      """
      The file whose first line is what readers must show (Authorization: Bearer, or ?token= of the page), \
      relative to this file; credential:NAME is one that systemd hands over; empty: none is asked for.
      """),
    SettingRow(
      "overlay.hosts", \.overlay.hosts, .list(.text(.host), count: 0...100),
      """
      Names under which browsers reach it besides localhost, for a proxy before it. Without a token other names \
      are refused, so that no web page can reach it by a name of its own.
      """),
    SettingRow(
      "overlay.pictureHosts", \.overlay.pictureHosts, .list(.text(.pictureHost), count: 0...100),
      """
      Hosts from which the page loads avatars, icons of gifts and films, whose addresses come from the platform and \
      the gift rules: cdn.example.com, *.example.com for all below it, with a port where it is not the usual one. \
      "*" is every host but names and addresses of this machine and its local network, which a viewer could make the \
      page ask; such a one must be named. Behind "*" a foreign name or redirection may still lead there, so naming \
      the hosts is safer. Files beside themes are always loaded; [] loads nothing else.
      """),
    SettingRow(
      "overlay.themes", \.overlay.themes, .textOrNone(.optionalPath),
      """
      The folder of your own themes, relative to this file: NAME.css, and NAME.js if the theme has a module, for \
      ?theme=NAME; pictures, films and fonts lie beside them. Empty: only those that come with the program.
      """),
    SettingRow(
      "overlay.maxReaders", \.overlay.maxReaders, .count(1...100_000),
      "Streams that are read at a time; one more is refused, and asks again by itself."),
    SettingRow(
      "overlay.maxReaderBytes", \.overlay.maxReaderBytes, .bytes(65_536...1 << 30),
      "What may wait for a slow reader. Beyond it the reader is dropped, and comes back by itself."),
    SettingRow(
      "overlay.historyCommands", \.overlay.historyCommands, .count(1...1_000_000),
      "Commands of a watched room that are kept for readers that come back; who missed more gets a snapshot."),
    SettingRow(
      "overlay.keepAliveSeconds", \.overlay.keepAliveSeconds, .count(1...3600, .seconds),
      """
      How often every stream is written to: by that a page notices a dead connection after two of these, and readers \
      that left are noticed.
      """),
    SettingRow(
      "overlay.maxRooms", \.overlay.maxRooms, .count(1...1_000_000),
      "Rooms whose snapshot is kept while nobody reads them; for others it is asked for when a reader comes."),
  ]

  private static let rooms: [Row] = [
    SettingRow(
      "allowRooms", \.allowedRooms, .list(.utf8(.room), count: 0...1_000_000),
      "The only rooms that are served; empty: every room."),
    .rooms,
  ]
}
