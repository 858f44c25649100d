import { expect, test } from "vitest";
import { isCompatible, versionIn } from "../../../src/toolchain/installed-version.ts";
import type { Compatibility } from "../../../src/toolchain/tool-spec.ts";

test.for<[found: string, pinned: string, rule: Compatibility, expected: boolean]>([
  ["1.36.3", "1.36.3", "same-minor", true],
  ["1.36.0", "1.36.3", "same-minor", true],
  ["1.36.9", "1.36.3", "same-minor", true],
  ["1.35.3", "1.36.3", "same-minor", false],
  ["1.37.0", "1.36.3", "same-minor", false],
  ["4.3.1", "4.3.1", "same-major-not-older", true],
  ["4.4.0", "4.3.1", "same-major-not-older", true],
  ["4.3.0", "4.3.1", "same-major-not-older", false],
  ["4.2.9", "4.3.1", "same-major-not-older", false],
  ["5.0.0", "4.3.1", "same-major-not-older", false],
  ["unknown", "4.3.1", "same-minor", false],
])("%s in place of %s by %s: %s", ([found, pinned, rule, expected]) => {
  expect(isCompatible(found, pinned, rule)).toBe(expected);
});

test.for([
  ["Kubernetes v1.36.3\n", "1.36.3"],
  ["etcd Version: 3.6.8\nGit SHA: Not provided\nGo Version: go1.26.8", "3.6.8"],
  ['{"clientVersion": {"gitVersion": "v1.36.3"}}', "1.36.3"],
  ["Version: 1.22.0\nBuild Commit: ", "1.22.0"],
  ["command not found", null],
] as const)("the version in %j is %s", ([output, version]) => {
  expect(versionIn(output)).toBe(version);
});
