import { describe, expect, it } from "vitest";
import { ApiError } from "../../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import type { Manifest } from "../../../../src/console/contract/trying.ts";
import { formSchema } from "../../../../src/console/trying/form-schema.ts";
import { readForms } from "../../../../src/console/trying/read-forms.ts";
import { applyObject, tryObject } from "../../../../src/console/trying/try-object.ts";
import { API_VERSION } from "../../../../src/model/names.ts";
import { NOW } from "../../../support/admission.ts";
import { answering, HOST, testConsole } from "../../../support/console/console-app.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const GROUP = "/apis/composition.krateo.io";
const DISCOVERY = {
  [GROUP]: { versions: [{ groupVersion: API_VERSION }] },
  [`/apis/${API_VERSION}`]: {
    resources: [{ kind: "VmTemplate", name: "vmtemplates", namespaced: true, verbs: ["list", "watch", "create"] }],
  },
};
const NAMESPACE = {
  "/api/v1/namespaces/demo": {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "demo", annotations: { "landfall.dev/quota-vcpus": "64" } },
  },
};

interface Sent {
  path: string;
  query: unknown;
}

/** An API server that lets the user create objects or not, and refuses them with this text, or takes them. */
function server({ allowed = true, refusal = "", status = 403, warnings = [] as string[] }): {
  client: KubeClient;
  sent: Sent[];
} {
  const sent: Sent[] = [];
  const create: KubeClient["create"] = async (path, body, query, { warned = () => undefined } = {}) => {
    if (path.endsWith("selfsubjectaccessreviews")) return Promise.resolve({ status: { allowed } } as never);
    sent.push({ path, query });
    warnings.forEach(warned);
    if (refusal !== "") throw new ApiError(status, { action: `POST ${path}`, detail: refusal });
    return Promise.resolve(body as never);
  };
  return { client: { ...answering({ ...DISCOVERY, ...NAMESPACE }), create }, sent };
}

const inTurn = <T>(work: () => T): Promise<T> => Promise.resolve(work());

const manifest = (spec: object, metadata: object = { name: "web" }): Manifest => ({
  namespace: "demo",
  object: JSON.stringify({ apiVersion: API_VERSION, kind: "VmTemplate", metadata, spec }),
});

async function tried(given: Manifest, options: Parameters<typeof server>[0]) {
  const { client, sent } = server(options);
  return { sent, tried: await tryObject({ client, policy: await loadPolicy(), nowSeconds: () => NOW, inTurn }, given) };
}

const SMALL = { cpu: 2, memory: 4 };
const TOO_BIG = { cpu: 2, memory: 40_000 };

describe("an object that is tried", () => {
  it("is a dry run in the cluster for a user who may create it", async () => {
    const { tried: answer, sent } = await tried(manifest(SMALL), {});
    expect(sent).toEqual([
      {
        path: `/apis/${API_VERSION}/namespaces/demo/vmtemplates`,
        query: { fieldManager: "landfall-console", dryRun: "All" },
      },
    ]);
    expect(answer).toMatchObject({ by: "cluster", mayCreate: true, denials: [], namespace: "demo", name: "web" });
  });

  it("is decided by the console for a user who may not, and nothing is sent", async () => {
    const { tried: answer, sent } = await tried(manifest(SMALL), { allowed: false });
    expect(sent).toEqual([]);
    expect(answer).toMatchObject({ by: "console", mayCreate: false, denials: [] });
    expect(answer.why).toContain("cannot create a VmTemplate in demo");
    expect(answer.placement?.place).toMatch(/^\w+\/[\w-]+$/);
    expect(answer.placement?.grams).toBeGreaterThan(0);
  });

  it("has the field and the change that passes where the console denies it for the same reason", async () => {
    const refusal =
      'admission webhook "placement.landfall.dev" denied the request: no region\n  [PLACEMENT_NONE, decision 1, bundle sha256:a]';
    const { tried: answer } = await tried(manifest(TOO_BIG), { refusal });
    const [denial] = answer.denials;
    expect(denial).toMatchObject({ code: "PLACEMENT_NONE", field: "spec.memory", message: "no region" });
    expect(JSON.parse(denial?.patch ?? "")).toEqual([{ op: "replace", path: "/spec/memory", value: 39 }]);
    expect(answer.placement).toBe(null);
  });

  it("has the words of the API server where only the cluster denies it", async () => {
    const refusal = 'admission webhook "placement.landfall.dev" denied the request: the quota is full [POL_QUOTA]';
    const { tried: answer } = await tried(manifest(SMALL), { refusal });
    expect(answer.denials).toMatchObject([{ message: "the quota is full [POL_QUOTA]", field: null, patch: null }]);
  });

  it("keeps what only the cluster denies beside what the console denies too", async () => {
    const { tried: alone } = await tried(manifest(TOO_BIG), { allowed: false });
    const [own] = alone.denials;
    const said = `the quota of vCPU is full\n  also: ${own?.message ?? ""}\n  12 places\n  passes with: memory 39`;
    const refusal = `admission webhook "x" denied the request: ${said}\n  [POL_QUOTA, PLACEMENT_NONE, decision 1, bundle sha256:a]`;
    const { tried: answer } = await tried(manifest(TOO_BIG), { refusal });
    expect(answer.denials).toEqual([
      { code: "POL_QUOTA", message: "the quota of vCPU is full", remedy: "", field: null, patch: null },
      own,
    ]);
  });

  it("has the warnings of the cluster, and none about what only the console does not know", async () => {
    const { tried: alone } = await tried(manifest(SMALL), { allowed: false });
    expect(alone.warnings.join()).toContain("the quotas were not checked");
    const { tried: answer } = await tried(manifest(SMALL), { warnings: ["placed in azure/italynorth"] });
    expect(answer.warnings).toEqual(["placed in azure/italynorth"]);
  });

  it("is no answer about the object while the cluster is busy", async () => {
    await expect(tried(manifest(SMALL), { refusal: "too many requests", status: 429 })).rejects.toMatchObject({
      status: 429,
    });
    const { client } = server({ refusal: "too many requests", status: 429 });
    await expect(applyObject({ client }, manifest(SMALL))).rejects.toMatchObject({ status: 429 });
  });

  it("says that the name is taken beside the name", async () => {
    const { tried: answer } = await tried(manifest(SMALL), { refusal: "exists", status: 409 });
    expect(answer.denials).toMatchObject([{ field: "metadata.name" }]);
  });

  it("is no answer about the object if the API server does not answer", async () => {
    await expect(tried(manifest(SMALL), { refusal: "no connection", status: 0 })).rejects.toMatchObject({
      code: "REL_API_AWAY",
    });
  });

  it.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["another kind", JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "a" } })],
    ["another group", JSON.stringify({ apiVersion: "v1", kind: "VmTemplate", metadata: { name: "a" } })],
    ["no metadata", JSON.stringify({ apiVersion: API_VERSION, kind: "VmTemplate" })],
    ["no name", JSON.stringify({ apiVersion: API_VERSION, kind: "VmTemplate", metadata: {} })],
  ])("is refused as %s before anything is sent", async (_, object) => {
    const { client, sent } = server({});
    const source = { client, policy: await loadPolicy(), nowSeconds: () => NOW, inTurn };
    await expect(tryObject(source, { namespace: "demo", object })).rejects.toMatchObject({ code: "CONSOLE_MANIFEST" });
    await expect(applyObject(source, { namespace: "demo", object })).rejects.toMatchObject({
      code: "CONSOLE_MANIFEST",
    });
    expect(sent).toEqual([]);
  });
});

describe("an object that is applied", () => {
  it("is created in its own namespace, with the user's rights and no dry run", async () => {
    const { client, sent } = server({});
    const applied = await applyObject({ client }, manifest(SMALL, { name: "web", namespace: "other" }));
    expect(applied).toEqual({ kind: "VmTemplate", namespace: "other", name: "web", place: null });
    expect(sent).toEqual([
      { path: `/apis/${API_VERSION}/namespaces/other/vmtemplates`, query: { fieldManager: "landfall-console" } },
    ]);
  });

  it("gives the words of the API server if that refuses it", async () => {
    const { client } = server({ refusal: "quota exceeded" });
    await expect(applyObject({ client }, manifest(SMALL))).rejects.toMatchObject({
      code: "CONSOLE_REFUSED",
      message: "the API server did not create the object: quota exceeded",
    });
  });

  it.each(["/api/try", "/api/apply"])("needs a session and the page's own origin: POST %s", async (url) => {
    const { client, sent } = server({});
    const { app, signIn } = await testConsole(client);
    const signedIn = await signIn();
    const payload = manifest(SMALL);
    const ask = async (headers: Record<string, string>) =>
      (await app.inject({ method: "POST", url, payload, headers })).json<{ code: string }>().code;
    expect(await ask(signedIn)).toBe("CONSOLE_ORIGIN");
    expect(await ask({ ...signedIn, origin: "http://evil.example" })).toBe("CONSOLE_ORIGIN");
    expect(await ask({ host: HOST, origin: `http://${HOST}` })).toBe("CONSOLE_SESSION");
    expect(sent).toEqual([]);
    expect(await ask({ ...signedIn, origin: `http://${HOST}` })).toBe(undefined);
    expect(sent.length).toBe(1);
  });
});

describe("the schema of a form", () => {
  const known = {
    properties: {
      cpu: { title: "vCPU", "x-unit": "vCPU" },
      memory: { title: "GiB" },
      os: { properties: { name: { title: "n" } } },
    },
  };

  it("has the served fields with the titles of this release, in the author's order where that is known", () => {
    const served = {
      properties: { own: { type: "string" }, memory: { type: "integer" }, cpu: { type: "integer", title: "cores" } },
    };
    const chart = formSchema(served, known, true);
    expect(Object.keys(chart["properties"] as object)).toEqual(["own", "memory", "cpu"]);
    expect(chart["properties"]).toEqual({
      own: { type: "string" },
      memory: { type: "integer", title: "GiB" },
      cpu: { type: "integer", title: "cores", "x-unit": "vCPU" },
    });
    expect(Object.keys(formSchema(served, known, false)["properties"] as object)).toEqual(["cpu", "memory", "own"]);
  });

  it("comes from the chart if the user can read that, else from the API server", async () => {
    const chart = { properties: { own: { type: "string" } } };
    const config = { data: { "values.schema.json": JSON.stringify(chart) } };
    const path = "/api/v1/namespaces/landfall-system/configmaps/vmtemplates-v0-2-0-jsonschema-configmap";
    const published = {
      components: { schemas: { "io.krateo.composition.v0-2-0.VmTemplate": { properties: { spec: chart } } } },
    };
    const open = { [`/openapi/v3/apis/${API_VERSION}`]: published };
    const read = async (answers: object) =>
      (await readForms(answering({ ...DISCOVERY, ...answers }), ["landfall-system"]))[0];
    expect(await read({ [path]: config })).toMatchObject({ from: "chart", apiVersion: API_VERSION });
    expect(await read(open)).toMatchObject({ from: "cluster", kind: "VmTemplate" });
    expect(Object.keys((JSON.parse((await read(open))?.schema ?? "") as { properties: object }).properties)).toEqual([
      "own",
    ]);
    expect(await read({})).toMatchObject({ from: "release" });
  });
});
