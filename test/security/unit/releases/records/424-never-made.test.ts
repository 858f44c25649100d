import { expect, it } from "vitest";
import type { Composition, CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { recordRetained } from "../../../../../src/composition/retain/record-retained.ts";
import type { ReleaseRecord } from "../../../../../src/composition/record/release-record.ts";
import type { Resource } from "../../../../../src/composition/types.ts";
import type { KubeClient } from "../../../../../src/cluster/client/create-client.ts";
import { MOST_RETAINED, openRetentions } from "../../../../../src/composition/record/open-retentions.ts";
import { type Retained, retainedMetadata, retainedName } from "../../../../../src/model/runs/retained.ts";
import { NOW, vm } from "../../../../support/admission.ts";

const spec = { cpu: 64, memory: 256, provider: "aws", schedulingLocation: "eu-west-1", deletionPolicy: "retain" };
const AWS = { apiVersion: "ec2.services.k8s.aws/v1alpha1", kind: "Instance" };
const AZURE = { apiVersion: "compute.azure.com/v1api20220301", kind: "VirtualMachine" };
const ELEMENTO = { apiVersion: "elemento.landfall.dev/v1alpha1", kind: "ElementoVm" };
const GOOGLE = { apiVersion: "compute.cnrm.cloud.google.com/v1beta1", kind: "ComputeInstance" };

type Of = Pick<Resource, "apiVersion" | "kind">;
const condition = (one: object): object => ({ conditions: [{ status: "True", ...one }] });
const TERMINAL = condition({ type: "ACK.Terminal", message: "InvalidParameterValue: no such image" });
const RETRIED = condition({ type: "ACK.Recoverable", message: "AuthFailure: no credentials" });
const AZURE_ERROR = condition({ type: "Ready", status: "False", severity: "Error", reason: "InvalidParameter" });

interface Given {
  of?: Of;
  status?: object | null;
  isOrphan?: boolean;
  record?: Partial<ReleaseRecord>;
  run?: object;
}

/** What is recorded when an object is deleted whose machine's operator says this. */
async function recordedOf({ of = AWS, status = TERMINAL, isOrphan = false, record, run }: Given): Promise<Retained[]> {
  const all: Retained[] = [];
  const metadata = { name: "web-1", namespace: "demo" };
  const global = { compositionId: "one", compositionKind: "VmTemplate" };
  const manifest = `---\n${JSON.stringify({ ...of, metadata, spec: {} })}\n`;
  const revision = { labels: {}, status: "deployed", release: { config: { ...spec, global }, manifest } };
  const live = status === null ? null : { ...of, metadata: { ...metadata, uid: "vm" }, spec: {}, status };
  const context = {
    records: {
      read: () => Promise.resolve({ namespace: "demo", release: "web-1", revisions: [revision], ...record }),
      running: () => Promise.resolve([]),
    },
    retentions: { record: (one: Retained) => Promise.resolve(void all.push(one)) },
    nowSeconds: () => NOW,
    runs: { read: () => Promise.resolve(run ?? null) },
    discovery: { find: (_: string, kind: string) => Promise.resolve({ kind, name: "machines", namespaced: true }) },
    tenant: () => ({ get: () => Promise.resolve(live) }),
  } as unknown as CompositionContext;
  await recordRetained(context, { object: vm(spec, { uid: "one" }) } as unknown as Composition, "web-1", isOrphan);
  return all;
}

it.each<[string, Given]>([
  ["ACK", {}],
  ["ASO", { of: AZURE, status: AZURE_ERROR }],
])("424: nothing is recorded of a machine that %s will never make", async (_, given) => {
  expect(await recordedOf(given)).toEqual([]);
});

it.each<[string, Given]>([
  ["has an id", { status: { ...TERMINAL, instanceID: "i-1" } }],
  ["is tried again", { status: RETRIED }],
  ["has no status yet", { status: {} }],
  ["is no longer there", { status: null }],
  ["belongs to a release that stays", { isOrphan: true }],
  ["was ready once", { run: { wasReady: true, machine: null } }],
  ["was seen with an id", { run: { wasReady: false, machine: { uid: "vm", id: "i-1" } } }],
  [
    "follows one of another size",
    {
      record: { held: [{ place: "aws/eu-west-1", vcpus: 64, memoryGiB: 256, pricePerHour: 1, at: 1, machines: null }] },
    },
  ],
  ["follows one of another name", { record: { former: [{} as never] } }],
  [
    "is Elemento's, which tries again",
    { of: ELEMENTO, status: condition({ type: "Ready", status: "False", severity: "Error" }) },
  ],
  [
    "is Config Connector's",
    { of: GOOGLE, status: condition({ type: "Ready", status: "False", reason: "UpdateFailed" }) },
  ],
  ["is of a chart without a known kind", { of: { apiVersion: "example.org/v1", kind: "Machine" } }],
])("424: a machine that may be left is recorded: one that %s", async (_, given) => {
  const [retained] = await recordedOf(given);
  expect(retained?.workload).toMatchObject({ name: "web", vcpus: 64 });
});

const retained = (uid: string, namespace: string): Retained => ({
  workload: {
    ...{ kind: "VmTemplate", namespace, name: uid, vmName: null, vcpus: 4, memoryGiB: 16 },
    ...{ pricePerHour: 0.5, place: "aws/eu-west-1", start: null, end: null },
  },
  ...{ uid, release: `${uid}-1`, why: "retain", at: "2026-11-20T22:00:00Z", acknowledged: null },
});

/** An API server that keeps Secrets, and counts the requests for one. */
function keepsSecrets() {
  const secrets = new Map<string, Resource>();
  let reads = 0;
  const nameIn = (path: string): string => path.split("/").at(-1) ?? "";
  const client = {
    create: (_: string, body: Resource) => Promise.resolve(void secrets.set(body.metadata.name ?? "", body)),
    get(path: string) {
      if (path.includes("secrets?") || path.endsWith("/secrets"))
        return Promise.resolve({ kind: "SecretList", items: [...secrets.values()], metadata: {} });
      reads += 1;
      return Promise.resolve(secrets.get(nameIn(path)) ?? null);
    },
  } as unknown as KubeClient;
  return {
    retentions: openRetentions(client, "landfall-system"),
    secrets,
    reads: () => reads,
    acknowledge: (uid: string): void => {
      const known = { by: "platform", reason: "known", at: "2026-11-21T00:00:00Z" };
      secrets.set(retainedName(uid), {
        ...{ apiVersion: "v1", kind: "Secret" },
        metadata: retainedMetadata({ ...retained(uid, "demo"), acknowledged: known }),
      });
    },
  };
}

it("424: a namespace with many records waits with more deletions until someone acknowledges some", async () => {
  const { retentions, secrets, reads, acknowledge } = keepsSecrets();
  for (let one = 0; one < MOST_RETAINED; one++) await retentions.recordIfRoom(retained(`u${String(one)}`, "demo"));
  await expect(retentions.recordIfRoom(retained("more", "demo"))).rejects.toMatchObject({ code: "REL_RETAINED_MANY" });
  expect(secrets.size).toBe(MOST_RETAINED);
  // What is recorded already, what another namespace leaves, and what no finalizer holds is recorded all the same.
  await retentions.recordIfRoom(retained("u1", "demo"));
  await retentions.recordIfRoom(retained("other", "else"));
  await retentions.record(retained("gone", "demo"));
  acknowledge("u470");
  acknowledge("u30");
  const before = reads();
  await expect(retentions.recordIfRoom(retained("more", "demo"))).rejects.toMatchObject({ code: "REL_RETAINED_MANY" });
  expect(reads() - before).toBeLessThanOrEqual(20);
  for (let attempt = 0; attempt < 25; attempt++)
    await retentions.recordIfRoom(retained("more", "demo")).catch(() => undefined);
  expect(secrets.has(retainedName("more"))).toBe(true);
});
