// Webhooks beside an API server that keeps objects by their paths.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import type { Keys } from "../../../src/keys/open-keys.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { openSigningKeys } from "../../../webhook/open-signing-keys.ts";

const SECRETS = "/api/v1/namespaces/landfall-system/secrets";
const SECRET = `${SECRETS}/landfall-signing-keys`;
const CONFIGURATION = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/placement.landfall.dev";

let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "landfall-keys-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** A cluster whose webhooks read their keys again after so many ms. */
function openCluster(everyMs: number) {
  const objects = new Map<string, object>();
  const client = {
    get: (path: string) => Promise.resolve(structuredClone(objects.get(path) ?? null)),
    create(collection: string, body: Resource) {
      const path = `${collection}/${body.metadata.name ?? ""}`;
      if (objects.has(path)) return Promise.reject(new ApiError(409, { action: "POST", detail: "" }));
      objects.set(path, body);
      return Promise.resolve(body);
    },
  } as unknown as KubeClient;
  const recordEvent = vi.fn();
  async function start(): Promise<Keys> {
    const flags = { dataDir, systemNamespace: "landfall-system" };
    const logger = pino({ level: "silent" });
    const keys = await openSigningKeys(flags as never, { client, logger, recordEvent, everyMs });
    onTestFinished(() => keys.stop());
    return keys;
  }
  return { objects, start, recordEvent };
}

const idsOf = (keys: Keys): string[] => keys.ring().map(({ id }) => id);

it("a webhook that starts just after the Secret was deleted gets the keys of one that runs", async () => {
  const { objects, start, recordEvent } = openCluster(300);
  const first = await start();
  const known = idsOf(first);
  objects.set(CONFIGURATION, {});
  objects.delete(SECRET);
  const second = await start();
  expect(idsOf(second)).toEqual(known);
  expect(recordEvent).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ reason: "SigningKeysRestored" }));
  expect(idsOf(first)).toEqual(known);
});

it("a webhook makes a key at once where none is registered", async () => {
  const { objects, start } = openCluster(600_000);
  expect(idsOf(await start())).toHaveLength(1);
  expect(objects.has(SECRET)).toBe(true);
});

it("a webhook makes a key where one is registered and none runs, after it waited longer than between two readings", async () => {
  const { objects, start } = openCluster(300);
  objects.set(CONFIGURATION, {});
  const began = performance.now();
  expect(idsOf(await start())).toHaveLength(1);
  expect(performance.now() - began).toBeGreaterThan(300);
});
