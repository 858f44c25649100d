import { afterAll, beforeAll, describe } from "vitest";
import { clusterUnderTest, useHelmWorker } from "./composition/cluster-under-test.ts";

beforeAll(useHelmWorker);

afterAll(async () => {
  await (await clusterUnderTest()).stop();
});

describe("the helm worker", async () => {
  await import("./composition/worker.suite.ts");
});
