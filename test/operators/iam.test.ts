import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { apiPath, below } from "../../src/cluster/api-path.ts";
import { findDrift } from "../../src/composition/release/drift/find-drift.ts";
import { readiness } from "../../src/composition/status/readiness.ts";
import type { Resource } from "../../src/composition/types.ts";
import { applyObject } from "../../src/local/control-plane/apply-object.ts";
import { conditionsOf } from "../../src/model/kubernetes.ts";
import { ack } from "../../src/local/simulators/ack/ack.ts";
import type { Resource as Simulated } from "../../src/local/simulators/types.ts";
import { CHART, renderCluster } from "../support/charts/render-cluster.ts";
import { type AwsWorld, startAws } from "./start-aws.ts";

const IAM = { folder: "iam-controller", module: "github.com/aws-controllers-k8s/iam-controller", version: "1.6.2" };
const IAM_VERSION = "iam.services.k8s.aws/v1alpha1";
const roles = apiPath`/apis/iam.services.k8s.aws/v1alpha1/namespaces/default/roles`;

let world: AwsWorld | null;
let manifests: Resource[];

const client = () => {
  if (world === null) throw new TypeError("the controller was not built");
  return world.plane.client;
};
const nameOf = ({ metadata }: Resource): string => metadata.name ?? "";
const read = (name: string): Promise<Resource | null> => client().get<Resource>(below(roles, name));

/** The role once Landfall's reading of it fits. */
const until = (name: string, check: (role: Resource) => void): Promise<Resource> =>
  vi.waitFor(
    async () => {
      const role = await read(name);
      if (role === null) throw new TypeError(`there is no role ${name}`);
      check(role);
      return role;
    },
    { timeout: 60_000, interval: 250 },
  );

const isReady = (role: Resource): void => {
  expect(readiness(role)).toMatchObject({ ready: true });
};

/** Type and status of each condition, and whether it has a time. */
const shapeOf = (conditions: unknown): string[] =>
  (conditions as Record<string, unknown>[])
    .map(({ type, status, lastTransitionTime }) => `${String(type)} ${String(status)} ${String(!!lastTransitionTime)}`)
    .sort();

beforeAll(async () => {
  world = await startAws(IAM);
  const values = parse(await readFile(join(CHART, "ci/aws-minimal-values.yaml"), "utf8")) as Record<string, unknown>;
  manifests = ((await renderCluster(values)) as unknown as Resource[])
    .filter(({ kind }) => kind === "Role")
    .map((one) => ({ ...one, metadata: { ...one.metadata, namespace: "default" } }));
});
afterAll(() => world?.stop());

describe("the roles of an EKS cluster under ACK's real iam-controller", () => {
  it("can be built here", () => {
    expect(world, "go mod download of the module failed: it is not served here, or there is no Go").not.toBeNull();
    expect(manifests.map(nameOf)).toHaveLength(2);
  });

  it("become ready, with the conditions that the simulator writes, and without drift", async () => {
    for (const manifest of manifests) await applyObject(client(), manifest);
    for (const manifest of manifests) {
      const role = await until(nameOf(manifest), isReady);
      expect(findDrift(manifest, role)).toBeNull();
      expect(role.status?.["ackResourceMetadata"]).toMatchObject({
        arn: expect.stringMatching(/^arn:aws:iam::\d{12}:role\//) as string,
      });
      const simulated = ack.conditions({ name: "ready" }, role as unknown as Simulated);
      const withTimes = simulated.map((one) => ({ ...one, lastTransitionTime: "now" }));
      // A role refers to nothing, so nothing is resolved.
      const own = withTimes.filter((one) => (one as Record<string, unknown>)["type"] !== "ACK.ReferencesResolved");
      // ACK fills in defaults of AWS for a role, and says so: Landfall does not read it, and the simulator does not write it.
      const filled = "ACK.LateInitialized True true";
      expect(shapeOf(role.status?.["conditions"])).toEqual([...shapeOf(own), filled].sort());
    }
  });

  it("get a new time with each look, and none for a new annotation", async () => {
    const [manifest] = manifests;
    const name = manifest ? nameOf(manifest) : "";
    const timeOf = (role: Resource | null): unknown =>
      conditionsOf(role ?? {}).find(({ type }) => type === "ACK.ResourceSynced")?.lastTransitionTime;
    // ACK fills in defaults of AWS for a new role, which is another generation: it looks again once the role is ready.
    const settled = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 4_000));
    await settled();
    const before = timeOf(await read(name));
    await client().patch(below(roles, name), "merge", { metadata: { annotations: { "example.com/look": "1" } } });
    await settled();
    expect(timeOf(await read(name))).toBe(before);
    await client().patch(below(roles, name), "merge", { spec: { description: "another" } });
    await until(name, (role) => {
      isReady(role);
      expect(timeOf(role)).not.toBe(before);
    });
  });

  it("report an error of AWS as retrying, which ends when its cause does", async () => {
    const [manifest] = manifests;
    const name = "broken";
    const spec = { ...manifest?.spec, name, policies: ["arn:aws:iam::aws:policy/DoesNotExist"] };
    const broken = {
      ...manifest,
      apiVersion: IAM_VERSION,
      kind: "Role",
      metadata: { name, namespace: "default" },
      spec,
    };
    await applyObject(client(), broken);
    const failed = await until(name, (role) => {
      expect(readiness(role)).toMatchObject({ ready: false, retrying: true });
    });
    expect(readiness(failed).message).not.toContain("RequestID");
    await client().patch(below(roles, name), "merge", { spec: { policies: [] } });
    await until(name, isReady);
  });

  it("are deleted, with their finalizer", async () => {
    for (const manifest of manifests) {
      const role = await read(nameOf(manifest));
      expect(role?.metadata.finalizers).toEqual(["finalizers.iam.services.k8s.aws/Role"]);
      await client().remove(below(roles, nameOf(manifest)));
    }
    for (const manifest of manifests) {
      await vi.waitFor(async () => expect(await read(nameOf(manifest))).toBeNull(), { timeout: 60_000, interval: 250 });
    }
  });
});
