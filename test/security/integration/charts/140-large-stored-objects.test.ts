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
  it.each(["webhook", "controller"])(
    "end no %s, which knows all of them",
    async (watcher) => {
      const heap = { NODE_OPTIONS: `--max-old-space-size=${String(HEAP)}` };
      const { code, out, err } = await runProcess(
        "test/support/processes/watch-large-objects.ts",
        [watcher, server.url],
        heap,
      );
      expect({ code, err: err.slice(-2000), out }).toMatchObject({ code: 0, err: "" });
      expect(out).toContain(`${String(OBJECTS)} objects`);
    },
    300_000,
  );
});
