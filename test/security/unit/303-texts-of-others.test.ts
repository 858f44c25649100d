import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import colors from "picocolors";
import { afterEach, beforeEach, expect, it } from "vitest";
import { admit } from "../../../src/admission/admit.ts";
import { listUnmanaged } from "../../../src/audit/list-unmanaged.ts";
import { anyLive } from "../../../src/cli/commands/get/any-live.ts";
import { formatLive, LIVE_COLUMNS } from "../../../src/cli/commands/get/format-live.ts";
import { listText } from "../../../src/cli/output/list-text.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { textOf } from "../../../src/model/json.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import type { Workload } from "../../../src/model/workload.ts";
import { context, create, NOW, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";

/** String() of it throws. */
const BAD = { toString: 1 };
const PLAIN = colors.createColors(false);

let server: Server;
let client: KubeClient;

beforeEach(async () => {
  server = createServer((_request, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${String(port)}`;
  client = createClient({ server: url, tls: {}, headers: () => Promise.resolve({}), namespace: "default" });
});
afterEach(async () => {
  await client.close();
  server.close();
});

const PLACEMENT = {
  ...{ provider: "aws", region: "eu-north-1", start: "2026-11-21T00:00:00Z", end: null, instanceType: "m" },
  ...{ pricePerHour: 1, gramsCO2: 1, baselineGramsCO2: 1, latencyMs: 1 },
};
const DECISION = {
  ...{ id: "ab", inputs: "x", written: [], placement: PLACEMENT, why: [], considered: 1, eligible: 1 },
  ...{ alternatives: [], policy: { digest: "d", revision: "r" }, degraded: [] },
};

function object(name: string, status: unknown, decision?: object): Resource {
  const annotations = { "landfall.dev/decision": JSON.stringify({ ...DECISION, ...decision }) };
  const metadata = { name, namespace: "shop", uid: name, annotations };
  return { apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata, spec: {}, status } as Resource;
}

const STATUSES: unknown[] = [
  null,
  { managed: [{ apiVersion: BAD, resource: BAD, name: BAD }] },
  { managed: [{ apiVersion: [[[]]], resource: "x", name: 1 }] },
  { machine: { publicAddresses: [BAD], privateAddresses: [BAD] } },
  { pools: [{ name: "a", ready: BAD, desired: BAD }] },
  { conditions: [{ type: "Ready", status: BAD, reason: BAD, message: "m" }] },
  { conditions: [{ type: "Ready", status: "True", reason: 5 }] },
];
const DECISIONS: object[] = [
  { alternatives: [null] },
  { alternatives: [{ place: BAD, gramsCO2: "x", pricePerHour: "y" }] },
  { moves: [{ from: null }] },
  { why: [BAD] },
  { considered: BAD },
  { policy: { revision: BAD, digest: BAD } },
  { degraded: [BAD] },
  { id: BAD },
  { placement: { ...PLACEMENT, carbon: { zone: BAD }, boot: 5, segments: 7, now: 5, latencySource: BAD } },
  { placement: { ...PLACEMENT, carbon: {}, segments: [null], size: 4, start: "x", end: "y" } },
];

it("the audit lists what nothing decided, whatever a status holds", async () => {
  const objects = STATUSES.map((status, at) => object(`o${String(at)}`, status) as unknown as Workload);
  await expect(listUnmanaged(client, objects, 0)).resolves.toEqual([]);
});

it("landfall get shows every object, whatever is in its status and decision", () => {
  const objects = [
    object("good", {}),
    ...STATUSES.map((status, at) => object(`status${String(at)}`, status)),
    ...DECISIONS.map((decision, at) => object(`decision${String(at)}`, {}, decision)),
  ];
  for (const isWide of [false, true]) {
    const rows = listText(LIVE_COLUMNS, objects.map(anyLive), isWide, PLAIN).trimEnd().split("\n");
    expect(rows.length).toBe(objects.length + 1);
    for (const { metadata } of objects)
      expect(rows.some((row) => row.includes(`shop/${metadata.name ?? ""} `))).toBe(true);
  }
  for (const one of objects) expect(formatLive(anyLive(one), 0, PLAIN)).toContain(`shop/${one.metadata.name ?? ""}`);
});

it("an object that cannot be shown says so", () => {
  const shown = formatLive(anyLive(object("web", {}, { why: [BAD] })), 0, PLAIN);
  expect(shown).toMatch(/^VmTemplate shop\/web {2}NotReadable\n/);
  expect(shown).toContain("its decision or status cannot be shown");
  expect(formatLive(anyLive(object("web", {})), 0, PLAIN)).not.toContain("NotReadable");
});

it("a map in place of a switch is a wrong value of the field, and no internal error", async () => {
  const policy = await loadPolicy();
  for (const spec of [{ burstable: BAD }, { network: { publicIP: BAD } }, { burstable: [BAD] }]) {
    const reply = admit(create(vm({ cpu: 2, memory: 4, ...spec }, { name: "web" })), context(policy, NOW));
    expect(JSON.stringify(reply)).toContain("ADM_SCHEMA");
  }
});

it("every value has a text", () => {
  expect([BAD, [BAD], null, undefined, 1.5, true, "x", Number.NaN].map(textOf)).toEqual([
    '{"toString":1}',
    '[{"toString":1}]',
    "null",
    "undefined",
    "1.5",
    "true",
    "x",
    "NaN",
  ]);
});
