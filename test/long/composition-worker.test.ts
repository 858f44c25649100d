// The suites about releases again, with helm called by the worker instead of its program.
import { afterAll, beforeAll, describe } from "vitest";
import { clusterUnderTest, useHelmWorker } from "../e2e/composition/cluster-under-test.ts";

beforeAll(useHelmWorker);

afterAll(async () => {
  await (await clusterUnderTest()).stop();
});

describe("compositions, by the worker", async () => {
  await import("../e2e/composition/lifecycle.suite.ts");
});

describe("releases, by the worker", async () => {
  await import("../e2e/composition/releases.suite.ts");
});
