// Two replicas of the webhook, each with a data directory of its own, on a real API server.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Resource } from "../../src/composition/types.ts";
import { ANNOTATION } from "../../src/model/names.ts";
import { type Replicas, startReplicas, SYSTEM } from "../support/ledger/start-replicas.ts";
import { textClient, type TextClient } from "../support/text-client.ts";
import { until } from "./composition/cluster-under-test.ts";

const VMS = "/apis/composition.krateo.io/v0-2-0/namespaces/default/vmtemplates";
const KEYS = `/api/v1/namespaces/${SYSTEM}/secrets/landfall-signing-keys`;

let replicas: Replicas;
let client: TextClient;

const create = (name: string): Promise<Resource> =>
  client.create<Resource>(VMS, {
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate" },
    ...{ metadata: { name, namespace: "default" }, spec: { cpu: 2, memory: 4 } },
  });

const label = (name: string, value: string): Promise<Resource> =>
  client.patch<Resource>(`${VMS}/${name}`, "merge", { metadata: { labels: { team: value } } });

const decisionOf = ({ metadata }: Resource): [unknown, unknown] => [
  metadata.annotations?.[ANNOTATION.decision],
  metadata.annotations?.[ANNOTATION.seal],
];

/** While a replica is gone, connections that the API server keeps to it fail once. */
const soon = <T>(ask: () => Promise<T | null | undefined | false>) => until(ask, 30);

beforeAll(async () => {
  replicas = await startReplicas({ count: 2, budgets: {}, ledger: false });
  client = textClient(replicas.plane.client);
});

afterAll(() => replicas.stop());

describe("each of two replicas", () => {
  it("changes objects of the other, and goes on alone when the other is killed", async () => {
    const { metadata } = await create("first");
    const decided = decisionOf({ ...(await client.get<Resource>(`${VMS}/first`)), metadata } as Resource);
    expect(decided[1]).toBeDefined();
    for (const gone of [1, 0]) {
      await replicas.kill(gone);
      expect(decisionOf(await soon(() => label("first", `without-${String(gone)}`)))).toEqual(decided);
      const made = await soon(() => create(`made-without-${String(gone)}`));
      expect(decisionOf(made)[1]).toBeDefined();
      await replicas.start(gone);
    }
    // What one alone made, the other alone changes.
    await replicas.kill(0);
    const object = await client.get<Resource>(`${VMS}/made-without-1`);
    const changed = await soon(() => label("made-without-1", "by-the-other"));
    expect(decisionOf(changed)).toEqual(decisionOf(object as Resource));
    await replicas.start(0);
  });
});

it("the Secret of the signing keys is put back as it was while a webhook runs", async () => {
  const before = await client.get<Resource>(KEYS);
  await client.remove(KEYS);
  const after = await soon(() => client.get<Resource>(KEYS));
  expect(after.metadata.uid).not.toBe(before?.metadata.uid);
  expect(after.data).toEqual(before?.data);
});

describe("an object whose signing key is lost", () => {
  it("is changed, kept in place and deleted as before, and nothing calls it forged", async () => {
    const before = (await client.get<Resource>(`${VMS}/first`)) as Resource;
    await replicas.kill(0);
    await replicas.kill(1);
    await client.remove(KEYS);
    await replicas.start(0);
    await replicas.start(1);
    const labelled = await soon(() => label("first", "lost"));
    expect(labelled.metadata.labels).toMatchObject({ team: "lost" });
    expect(decisionOf(labelled)).toEqual(decisionOf(before));
    const annotations = { "example.org/note": "x", "landfall.dev/hold": "wait" };
    const noted = await client.patch<Resource>(`${VMS}/first`, "merge", { metadata: { annotations } });
    expect(noted.metadata.annotations).toMatchObject(annotations);
    const changed = await client.patch<Resource>(`${VMS}/first`, "merge", { spec: { tags: { a: "b" } } });
    // Decided again, and signed with the new key.
    expect(decisionOf(changed)[1]).not.toBe(decisionOf(before)[1]);
    const size = { spec: { cpu: 4096 } };
    const refused = await client.patch(`${VMS}/first`, "merge", size).then(
      () => "",
      (thrown: unknown) => String(thrown),
    );
    expect(refused).not.toBe("");
    expect(refused).not.toContain("ADM_DECISION_FORGED");
    await client.remove(`${VMS}/first`);
    await until(async () => (await client.get(`${VMS}/first`)) === null);
  });
});
