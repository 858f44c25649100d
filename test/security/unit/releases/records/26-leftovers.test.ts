import { expect, it } from "vitest";
import type { KubeClient } from "../../../../../src/cluster/client/create-client.ts";
import { asFailed, type RecordedRevision } from "../../../../../src/composition/record/release-record.ts";
import { pruneLeftovers } from "../../../../../src/composition/release/prune-leftovers.ts";
import type { Wanted } from "../../../../../src/composition/release/wanted-release.ts";

const GROUP = "compute.cnrm.cloud.google.com";
const marks = { "meta.helm.sh/release-name": "web-1", "meta.helm.sh/release-namespace": "demo" };

const manifestOf = (...names: string[]): string =>
  names
    .map((name) => `---\n${JSON.stringify({ apiVersion: `${GROUP}/v1`, kind: "Machine", metadata: { name } })}\n`)
    .join("");

const revision = (
  number: number,
  status: RecordedRevision["status"],
  inputs: string,
  more: Partial<RecordedRevision> = {},
): RecordedRevision => ({
  ...{ secret: `web.v${number}`, revision: number, status, createdAt: number, copy: "1" },
  labels: { "landfall.dev/inputs": inputs, status },
  release: { manifest: manifestOf(inputs) },
  ...more,
});

/** The names of the machines that are removed in two passes, and the revisions that are recorded as pruned. */
async function prune(revisions: RecordedRevision[], machines: string[], owned: string[] = []) {
  const removed: string[] = [];
  let recorded = revisions;
  const present = new Set(machines);
  const client = {
    create: () =>
      Promise.resolve({ status: { resourceRules: [{ verbs: ["delete"], apiGroups: [GROUP], resources: ["*"] }] } }),
    get: (path: string) => {
      const ownerReferences = [{ name: "other" }];
      const live = (name: string) => ({
        metadata: {
          ...{ name, annotations: marks, labels: { "app.kubernetes.io/managed-by": "Helm" } },
          ...(owned.includes(name) ? { ownerReferences } : {}),
        },
      });
      const [, name = ""] = /machines\/(.*)/.exec(path) ?? [];
      if (name !== "") return Promise.resolve(present.has(name) ? live(name) : null);
      return Promise.resolve({ items: path.endsWith("machines") ? [...present].map(live) : [] });
    },
    remove: (path: string) => {
      const name = path.split("/").at(-1) ?? "";
      present.delete(name);
      return Promise.resolve(removed.push(name));
    },
  } as unknown as KubeClient;
  const resources = [{ kind: "Machine", name: "machines", namespaced: true }];
  const context = {
    tenant: () => client,
    discovery: {
      group: () => Promise.resolve([{ apiVersion: `${GROUP}/v2`, resources }]),
      find: () => Promise.resolve(resources[0]),
    },
    records: {
      read: () => Promise.resolve({ revisions: recorded }),
      formerGone: () => Promise.resolve(),
      change: (_namespace: string, _release: string, by: (all: RecordedRevision[]) => RecordedRevision[]) => {
        recorded = by(recorded);
        return Promise.resolve();
      },
    },
    log: { warn: () => undefined },
    record: () => undefined,
  };
  const composition = { object: { apiVersion: "v1", kind: "VmTemplate", metadata: { namespace: "demo" } } };
  const wanted = { context, composition, namespace: "demo", name: "web-1" } as unknown as Wanted;
  await pruneLeftovers(wanted, revisions);
  await pruneLeftovers(wanted, recorded);
  return { removed, pruned: recorded.filter((one) => one.pruned === true).map((one) => one.revision) };
}

it("what a failed revision made is deleted once another one is deployed", async () => {
  const revisions = [revision(3, "deployed", "a"), revision(2, "failed", "b"), revision(1, "superseded", "a")];
  expect(await prune(revisions, ["a", "b"])).toEqual({ removed: ["b"], pruned: [2, 1] });
});

it("what the deployed and the newest revision have stays, in whatever version the API server shows it", async () => {
  const revisions = [revision(3, "failed", "c"), revision(2, "failed", "b"), revision(1, "deployed", "a")];
  expect(await prune(revisions, ["a", "b", "c"])).toEqual({ removed: ["b"], pruned: [2] });
});

it("a failure that repeats, and one that was looked at before, need no search", async () => {
  const again = [revision(3, "failed", "b"), revision(2, "failed", "b"), revision(1, "deployed", "a")];
  expect(await prune(again, ["a", "b", "x"])).toEqual({ removed: [], pruned: [2] });
  const before = [revision(3, "deployed", "a"), revision(2, "failed", "b", { pruned: true })];
  expect(await prune(before, ["a", "x"])).toEqual({ removed: [], pruned: [2] });
});

it("what an operator made of the release's resources stays", async () => {
  const revisions = [revision(2, "deployed", "a"), revision(1, "failed", "b")];
  expect(await prune(revisions, ["a", "child"], ["child"])).toEqual({ removed: [], pruned: [1] });
});

it("a revision whose helm was killed counts as failed, and its copy is written again", async () => {
  const cut = asFailed(revision(2, "pending-upgrade", "b"));
  expect(cut).toMatchObject({
    status: "failed",
    copy: "",
    labels: { status: "failed" },
    release: { info: { status: "failed" } },
  });
  expect(await prune([revision(3, "deployed", "a"), cut], ["a", "b"])).toMatchObject({ removed: ["b"] });
});
