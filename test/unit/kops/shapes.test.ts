import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { checkObject } from "../../../src/admission/check/check-object.ts";
import { decideAlone } from "../../../src/admission/decide/decide.ts";
import { loadBundle } from "../../../src/policy/load-bundle.ts";
import type { LoadedBundle } from "../../../src/policy/loaded-bundle.ts";
import { context, vm } from "../../support/admission.ts";
import { policyFile } from "../../support/load-policy.ts";
import { importCluster } from "../../../src/kops/import-cluster.ts";
import { merge } from "../../../src/kops/merge.ts";
import { readManifests } from "../../../src/kops/read-manifests.ts";
import { isObject } from "../../../src/model/json.ts";
import { API_VERSION } from "../../../src/model/names.ts";
import { kopsCatalog } from "../../support/kops.ts";

type Fields = Record<string, unknown>;

interface Shape {
  shape: string;
  name?: string;
  cluster?: Fields;
  groups?: (Fields & { name: string; role: string })[];
  more?: Fields[];
  spec?: Fields;
  without?: string[];
  pools?: Fields[];
  notes?: string[];
  quiet?: string[];
}

const file = fileURLToPath(new URL("../../fixtures/kops/shapes.yaml", import.meta.url));
const { base, shapes } = parse(readFileSync(file, "utf8")) as {
  base: { cluster: Fields; group: Fields };
  shapes: Shape[];
};

const GROUPS: NonNullable<Shape["groups"]> = [
  { name: "control-plane-eu-west-1a", role: "Master", minSize: 1, maxSize: 1 },
  { name: "nodes-eu-west-1a", role: "Node", minSize: 2, maxSize: 2 },
];

/** Null in a shape removes the field of the base. */
const present = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

function documents({ name = "shop.example.com", cluster = {}, groups = GROUPS, more = [] }: Shape): unknown[] {
  const manifest = (kind: string, called: string, spec: Fields) => ({
    apiVersion: "kops.k8s.io/v1alpha2",
    kind,
    metadata: { name: called, labels: { "kops.k8s.io/cluster": name } },
    spec: present(spec),
  });
  return [
    manifest("Cluster", name, { ...base.cluster, ...cluster }),
    ...groups.map(({ name: called, ...spec }) => manifest("InstanceGroup", called, merge([base.group, spec]))),
    ...more,
  ];
}

const imported = (shape: Shape) => importCluster(readManifests("cluster.yaml", documents(shape)), kopsCatalog);

/** `spec.image` of `InstanceGroup/nodes spec.image`. */
const field = (path: string): string => path.replace(/^(Cluster|InstanceGroup)\/\S+ /, "");

/** The values of `of` at the paths that `like` has. */
function partLike(of: unknown, like: unknown): unknown {
  if (!isObject(of) || !isObject(like)) return of;
  return Object.fromEntries(Object.keys(like).map((key) => [key, partLike(of[key], like[key])]));
}

let policy: LoadedBundle;
beforeAll(async () => {
  policy = await loadBundle(await readFile(await policyFile()), "shipped");
});

const denials = (spec: Fields) =>
  decideAlone({
    ...context(policy),
    kind: "KaasCluster",
    object: { ...vm(spec), kind: "KaasCluster" },
    operation: "CREATE",
  }).denials;

describe("a cluster of kOps with", () => {
  it.each(shapes)("$shape is imported, and each loss is noted", (shape) => {
    const { cluster, notes } = imported(shape);
    const { spec = {}, pools = [], without = [] } = shape;
    const found = cluster.spec as unknown as Fields;
    expect(partLike(found, spec)).toEqual(spec);
    expect(cluster.spec.nodePools.map((pool, index) => partLike(pool, pools[index] ?? {}))).toEqual(
      pools.length === 0 ? [{}] : pools,
    );
    expect(without.filter((name) => found[name] !== undefined)).toEqual([]);
    const fields = notes.map(({ path }) => field(path));
    expect(fields).toEqual(expect.arrayContaining(shape.notes ?? []));
    expect(fields.filter((path) => shape.quiet?.some((start) => path.startsWith(start)))).toEqual([]);
  });

  it.each(shapes)("$shape becomes an object that the schema takes", ({ ...shape }) => {
    const { name, spec } = imported(shape).cluster;
    const object = { apiVersion: API_VERSION, kind: "KaasCluster", metadata: { name }, spec: { ...spec } };
    expect(checkObject("KaasCluster", object)).toEqual([]);
  });

  it.each(shapes)("$shape becomes an object that the policy takes, once its notes are followed", ({ ...shape }) => {
    const { cluster, notes } = imported(shape);
    // The version is one of the day of the import: another one ends it.
    const { kubernetesVersion: _version, ...spec } = cluster.spec as unknown as Fields;
    const isNoted = (words: string) => notes.some(({ message }) => message.includes(words));
    const followed = [
      { field: "poolInstanceTypes", code: "POL_INSTANCE_TYPE", is: isNoted("pools have machines of x86") },
      { field: "zones", code: "POL_ZONE", is: isNoted("EKS takes 2 to 4 zones") },
      { field: "network", code: "ADM_FIELDS", is: isNoted("a range for kOps, but EKS refuses it") },
    ].filter(({ is }) => is);
    const kept = Object.entries(spec).filter(([name]) => !followed.some(({ field: removed }) => removed === name));
    expect(denials(Object.fromEntries(kept))).toEqual([]);
    // Each note is needed.
    for (const { field: name, code } of followed) {
      expect(denials({ ...Object.fromEntries(kept), [name]: spec[name] }).map((one) => one.code)).toEqual([code]);
    }
  });

  it.each(shapes)("$shape has a note for a field that nobody knows", (shape) => {
    const notes = (cluster: Fields) => imported({ ...shape, cluster }).notes.map(({ path }) => field(path));
    const before = notes({ ...shape.cluster });
    const after = notes({ ...shape.cluster, new: { list: [{ a: 1 }], text: "x" } });
    expect(after.filter((path) => !before.includes(path))).toEqual(["spec.new.list[0].a", "spec.new.text"]);
  });
});
