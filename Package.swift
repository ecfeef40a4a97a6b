// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled with the same strict settings; a warning is an error.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// A target of our own Swift, in `Sources/<name>`.
func layer(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of one target, in `Tests/<name>Tests`.
func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.target(name: name)] + dependencies, swiftSettings: strict)
}

let package = Package(
  name: "livecue",
  targets: [
    // L0: words and C libraries.
    layer("Base"),
    .target(name: "CGetopt"),
    .systemLibrary(name: "CZlib"),

    // L1: one concern each, none knows another.
    layer("Engine", ["Base"]),
    layer("CommandLine", ["CGetopt"]),

    // L3
    layer("Simulation", ["Base", "CZlib"]),

    tests("Engine", ["Base"]),
  ],
  cxxLanguageStandard: .cxx17
)
