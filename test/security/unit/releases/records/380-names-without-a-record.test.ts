import { expect, it } from "vitest";
import type { KubeClient } from "../../../../../src/cluster/client/create-client.ts";
import { openRecords } from "../../../../../src/composition/record/open-records.ts";
import type { RecordedRevision } from "../../../../../src/composition/record/release-record.ts";
import { secretStore } from "../../../../support/composition/secret-store.ts";

const REVISION: RecordedRevision = {
  ...{ secret: "sh.helm.release.v1.web.v1", revision: 1, status: "deployed", createdAt: 0, copy: "", labels: {} },
  release: { name: "web", config: {}, manifest: "", hooks: [] },
};

/** The records, and how often the API server was asked for one. */
function open() {
  const { client } = secretStore();
  let asked = 0;
  const get: KubeClient["get"] = (...args) => {
    asked += 1;
    return client.get(...args);
  };
  const counting: KubeClient = { ...client, get };
  const log = { warn: () => undefined } as never;
  const records = openRecords({ client: counting, log, systemNamespace: "landfall-system", keys: null });
  return {
    records,
    /** The requests of a question about sizes that are held. */
    ask: async (release: string): Promise<number> => {
      const before = asked;
      expect(await records.held("demo", release)).toEqual([]);
      return asked - before;
    },
  };
}

it("380: nothing is remembered of names that no record has, which users write into labels", async () => {
  const { records, ask } = open();
  expect(await records.read("demo", "made-up")).toBeNull();
  expect(await ask("made-up")).toBe(1);
});

it("380: nor of a record that is removed; only of one that is there", async () => {
  const { records, ask } = open();
  await records.change("demo", "web", () => [REVISION]);
  expect(await ask("web")).toBe(0);
  await records.change("demo", "web", () => []);
  expect(await ask("web")).toBe(1);
});
