import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { LandfallError } from "../../../src/errors.ts";
import type { KubernetesObject } from "../../../src/model/kubernetes.ts";
import { renderCluster } from "../../support/charts/render-cluster.ts";
import { type Rendered, renderLandfall } from "../../support/charts/render-landfall.ts";
import { renderVm } from "../../support/charts/render-vm.ts";

interface Rule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

const GUARD = "identities.landfall.dev";

type Role = KubernetesObject & { rules?: Rule[] | null };

const path = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
const rolesIn = (objects: readonly Rendered[]): Role[] =>
  (objects as readonly Role[]).filter(({ kind }) => kind === "Role" || kind === "ClusterRole");
const rulesOf = (objects: readonly Rendered[], name: string): Rule[] =>
  rolesIn(objects).find(({ kind, metadata }) => kind === "ClusterRole" && metadata.name === name)?.rules ?? [];

async function documents(folder: string): Promise<Rendered[]> {
  const files = (await readdir(path(folder))).filter((name) => name.endsWith(".yaml"));
  const texts = await Promise.all(files.map((name) => readFile(join(path(folder), name), "utf8")));
  return texts.flatMap((text) => parseAllDocuments(text).map((one) => one.toJS() as Rendered));
}

/** The rules that hold a wildcard. */
const wild = (objects: readonly Rendered[]): unknown[] =>
  rolesIn(objects).flatMap(({ metadata, rules }) =>
    (rules ?? [])
      .filter((rule) => [rule.apiGroups, rule.resources, rule.verbs].flat().some((one) => one.includes("*")))
      .map((rule) => ({ role: metadata.name, ...rule })),
  );

describe("no rule of a role has a wildcard", () => {
  it.each(["minimal", "full", "krateo"])("in the chart with %s values", async (name) => {
    const { objects } = await renderLandfall(`${name}-values.yaml`);
    expect(rolesIn(objects).length).toBeGreaterThan(4);
    expect(wild(objects)).toEqual([]);
  });

  it.each(["rbac", "optional"])("in the plain files of charts/landfall/%s", async (folder) => {
    expect(wild(await documents(`charts/landfall/${folder}`))).toEqual([]);
  });
});

it("the webhook changes no Secret, no ConfigMap and no webhook configuration but its own", async () => {
  const rules = rolesIn(await documents("charts/landfall/rbac"))
    .filter(({ metadata }) => metadata.name === "landfall-webhook")
    .flatMap((role) => role.rules ?? []);
  const changed = rules.flatMap(({ resources, resourceNames = ["*"], verbs }) =>
    verbs
      .filter((verb) => !["get", "list", "watch", "create"].includes(verb))
      .flatMap((verb) => resources.map((resource) => `${verb} ${resource} ${resourceNames.join(" ")}`)),
  );
  const configurations = "placement.landfall.dev guard.landfall.dev";
  expect(changed.sort()).toEqual([
    "patch configmaps landfall-webhook-replicas landfall-bundles",
    `patch mutatingwebhookconfigurations ${configurations}`,
    `patch validatingwebhookconfigurations ${configurations}`,
    `update mutatingwebhookconfigurations ${configurations}`,
    "update placementledgers *",
    "update secrets landfall-signing-keys landfall-webhook-tls landfall-bundle-versions",
    `update validatingwebhookconfigurations ${configurations}`,
  ]);
});

describe("the RoleBindings by which the controller works", () => {
  const policyIn = (objects: readonly Rendered[]): Rendered | undefined =>
    objects.find(({ kind, metadata }) => kind === "ValidatingAdmissionPolicy" && metadata.name === GUARD);

  it("are guarded by a policy with the text of the error list, and the controller passes it", async () => {
    const { objects } = await renderLandfall("minimal-values.yaml");
    const { validations = [] } = (policyIn(objects)?.["spec"] ?? {}) as { validations?: { message: string }[] };
    expect(validations.map(({ message }) => message)).toEqual([new LandfallError("REL_IDENTITY_GUARDED").line]);
    const [rule] = rulesOf(objects, "landfall-composition").filter(({ resources }) => resources.includes("identities"));
    expect(rule).toEqual({ apiGroups: ["landfall.dev"], resources: ["identities"], verbs: ["create", "update"] });
  });

  it("need no policy under Krateo, where nothing uses them", async () => {
    const { objects } = await renderLandfall("krateo-values.yaml");
    expect(policyIn(objects)).toBeUndefined();
  });
});

/** `group plural` of everything that a chart renders with its examples, apart from the core group. */
async function rendered(chart: string, render: typeof renderVm): Promise<string[]> {
  const crds = [...(await documents("src/local/crds")), ...(await documents("charts/landfall/definitions"))];
  const plurals = new Map(
    crds.map((crd) => {
      const { group, names } = crd["spec"] as { group: string; names: { kind: string; plural: string } };
      return [`${group} ${names.kind}`, names.plural];
    }),
  );
  const files = (await readdir(path(`charts/${chart}/ci`))).filter((name) => name.endsWith("-values.yaml"));
  const found: string[] = [];
  for (const file of files) {
    const values = parse(await readFile(path(`charts/${chart}/ci/${file}`), "utf8")) as Record<string, unknown>;
    for (const { apiVersion, kind } of await render(values)) {
      const [group = ""] = apiVersion.split("/");
      if (apiVersion !== "v1") found.push(`${group} ${plurals.get(`${group} ${kind}`) ?? kind}`);
    }
  }
  return found;
}

describe("the controller's roles", () => {
  it("name the kinds that the charts render, and no others", async () => {
    const found = [...(await rendered("vmtemplate", renderVm)), ...(await rendered("kaas-cluster", renderCluster))];
    const { objects } = await renderLandfall("minimal-values.yaml");
    const named = (role: string, verbs: string): string[] =>
      rulesOf(objects, role)
        .filter((rule) => rule.verbs.join() === verbs)
        .flatMap(({ apiGroups, resources }) => apiGroups.flatMap((group) => resources.map((one) => `${group} ${one}`)))
        .sort();
    const expected = [...new Set(found)].sort();
    expect(expected.length).toBeGreaterThan(25);
    expect(named("landfall-composition", "list,watch")).toEqual(expected);
    expect(named("landfall-charts-own", "get,list,create,patch,delete")).toEqual(expected);
  });

  it("get the kinds of a platform's own charts from rights", async () => {
    const { objects } = await renderLandfall("full-values.yaml");
    expect(rulesOf(objects, "landfall-composition-more")).toEqual([
      {
        ...{ apiGroups: ["composition.krateo.io"], resources: ["databases", "databases/status"] },
        verbs: ["get", "list", "watch", "patch"],
      },
      { apiGroups: ["sql.cnrm.cloud.google.com"], resources: ["sqlinstances", "sqlusers"], verbs: ["list", "watch"] },
    ]);
    const verbs = ["get", "list", "create", "patch", "delete"];
    expect(rulesOf(objects, "landfall-charts-more")).toEqual([
      { apiGroups: [""], resources: ["services"], verbs },
      { apiGroups: ["networking.k8s.io"], resources: ["ingresses"], verbs },
      { apiGroups: ["sql.cnrm.cloud.google.com"], resources: ["sqlinstances", "sqlusers"], verbs },
    ]);
    const role = rolesIn(objects).find(({ metadata }) => metadata.name === "landfall-charts-more");
    expect(role?.metadata.labels).toMatchObject({ "landfall.dev/aggregate-to-charts": "true" });
    const binding = objects.find(
      ({ kind, metadata }) => kind === "ClusterRoleBinding" && metadata.name === "landfall-composition-more",
    );
    expect(binding?.["subjects"]).toEqual([
      { kind: "ServiceAccount", name: "landfall-composition", namespace: "landfall-system" },
    ]);
  });

  it("have wildcards only where rights ask for them", async () => {
    const args = ["--set-json", 'rights={"compositions":["*"],"resources":{"sql.cnrm.cloud.google.com":["*"]}}'];
    const { objects, error } = await renderLandfall("minimal-values.yaml", { args });
    expect(error).toBeNull();
    expect(wild(objects)).toMatchObject([
      { role: "landfall-composition-more", apiGroups: ["composition.krateo.io"], resources: ["*"] },
      { role: "landfall-composition-more", apiGroups: ["sql.cnrm.cloud.google.com"], resources: ["*"] },
      { role: "landfall-charts-more", apiGroups: ["sql.cnrm.cloud.google.com"], resources: ["*"] },
    ]);
  });

  it.each([
    ["every kind of the core group", "minimal", { resources: { "": ["*"] } }, "name the kinds that your charts render"],
    ["every kind of apps", "minimal", { resources: { apps: ["*"] } }, "name the kinds that your charts render"],
    [
      "every role",
      "minimal",
      { resources: { "rbac.authorization.k8s.io": ["*"] } },
      "name the kinds that your charts render",
    ],
    ["a kind instead of its plural", "minimal", { compositions: ["Database"] }, "the plural of a kind"],
    ["a group without kinds", "minimal", { resources: { "a.example": [] } }, "/rights/resources/a.example"],
    ["what has no effect under Krateo", "krateo", { compositions: ["databases"] }, "no effect with krateo.enabled"],
  ])("are refused %s", async (_, values, rights, text) => {
    const args = ["--set-json", `rights=${JSON.stringify(rights)}`];
    const { error } = await renderLandfall(`${values}-values.yaml`, { args });
    expect(error).toContain(text);
  });
});
