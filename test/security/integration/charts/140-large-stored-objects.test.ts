import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startLargeObjects } from "../../../support/services/large-objects-server.ts";
import { runProcess } from "../../../support/processes/run-process.ts";

/** Together about 200 MB of JSON. */
const OBJECTS = 180;
/** In MB: a fraction of what the webhook and the controller have. */
const HEAP = 128;

let server: Awaited<ReturnType<typeof startLargeObjects>>;
beforeAll(async () => {
  server = await startLargeObjects(OBJECTS);
});
afterAll(() => {
  server.stop();
});

describe("140: objects that were stored while no webhook was called, each as large as the API server allows", () => {
  it.each([
    ["the webhook, which knows all of them", "webhook", OBJECTS],
    ["the controller, which knows all of them", "controller", OBJECTS],
    ["a scan", "scan", OBJECTS],
    ["the sample for canaries, which has none that is far larger than one of use", "canaries", (OBJECTS / 5) * 4],
    ["the controller's look at ConfigMaps of releases, which are read one by one", "releases", 1],
  ])(
    "do not end %s",
    async (_, watcher, count) => {
      const heap = { NODE_OPTIONS: `--max-old-space-size=${String(HEAP)}` };
      const { code, out, err } = await runProcess(
        "test/support/processes/watch-large-objects.ts",
        [watcher, server.url],
        heap,
      );
      expect({ code, err: err.slice(-2000), out }).toMatchObject({ code: 0, err: "" });
      expect(out).toContain(`${String(count)} objects`);
    },
    300_000,
  );
});
