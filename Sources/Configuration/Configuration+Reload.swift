extension Configuration {
  /// What a daemon that runs on `running` goes over to when it reads this configuration: all of it but the
  /// settings that only a start can change, which stay as they are.
  ///
  /// - Returns: That configuration, and the paths of the settings that differ and wait for the next start.
  public func adoptable(
    over running: Configuration
  ) throws(ConfigurationErrors) -> (configuration: Configuration, waiting: [String]) {
    var draft = self.draft
    var waiting: [String] = []
    for row in ServiceSettings.table.rows where !row.setting.isLive {
      guard row.print(draft)?.flow != row.print(running.draft)?.flow else { continue }
      waiting.append(row.setting.path)
      row.copy(running.draft, &draft)
    }
    guard !waiting.isEmpty else { return (self, []) }
    // With the topics that stay, an input may match an output now.
    var report = Report()
    let inputs = draft.check(&report, file: "livecue.yaml")
    try report.check()
    return (Configuration(draft, inputs: inputs), waiting)
  }
}
