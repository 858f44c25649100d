// Six suites on one control plane, one after the other: their hooks and tests belong to the group that loads them.
import { afterAll, describe } from "vitest";
import { clusterUnderTest } from "./composition/cluster-under-test.ts";

afterAll(async () => {
  await (await clusterUnderTest()).stop();
});

describe("compositions", async () => {
  await import("./composition/lifecycle.suite.ts");
});

describe("releases", async () => {
  await import("./composition/releases.suite.ts");
});

describe("faults of helm and many deletions", async () => {
  await import("./composition/faults.suite.ts");
});

describe("the rollout of a chart", async () => {
  await import("./composition/rollout.suite.ts");
});

describe("what is in use", async () => {
  await import("./composition/in-use.suite.ts");
});

describe("traces", async () => {
  await import("./composition/traces.suite.ts");
});
