import { describe, expect, it } from "vitest";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { checkConfigurations } from "../../../src/cli/commands/doctor/check-configurations.ts";
import { checkController } from "../../../src/cli/commands/doctor/check-controller.ts";
import { checkReplicas } from "../../../src/cli/commands/doctor/check-replicas.ts";
import { checkRights } from "../../../src/cli/commands/doctor/check-rights.ts";
import { checkVersions } from "../../../src/cli/commands/doctor/check-versions.ts";
import { probeAdmission } from "../../../src/cli/commands/doctor/probe-admission.ts";
import { projectPath } from "../../../src/local/processes/project-path.ts";
import { makeServingCertificate } from "../../../webhook/certificates/serving-certificate.ts";

const YEAR_MS = 365 * 24 * 3600 * 1000;
const { ca } = await makeServingCertificate(["web.ns.svc"]);

const configured = (change: object = {}): KubeClient => {
  const service = { namespace: "landfall-system", name: "landfall-webhook", port: 443 };
  const clientConfig = { service, caBundle: Buffer.from(ca).toString("base64") };
  const webhook = { clientConfig, failurePolicy: "Fail", timeoutSeconds: 10, namespaceSelector: {}, ...change };
  return { get: () => Promise.resolve({ webhooks: [webhook] }) } as unknown as KubeClient;
};

/** What is wrong, with what to do. */
const faults = async (client: KubeClient, nowMs = Date.now()): Promise<(string | null)[][]> =>
  (await checkConfigurations(client, nowMs))
    .filter(({ remedy }) => remedy !== null)
    .map(({ check, detail, remedy }) => [check, detail, remedy]);

const both = (detail: string, remedy: string): unknown =>
  ["placement.landfall.dev", "guard.landfall.dev"].map((name) => [
    name,
    expect.stringContaining(detail) as string,
    expect.stringContaining(remedy) as string,
  ]);

describe("landfall doctor: the webhook configurations", () => {
  it("are fine as the webhook writes them", async () => {
    expect(await faults(configured())).toEqual([]);
    const [first] = await checkConfigurations(configured(), Date.now());
    expect(first?.detail).toBe("Service landfall-system/landfall-webhook:443, failurePolicy Fail, 10 s");
  });

  it.each<[string, object, string, string]>([
    ["let objects pass", { failurePolicy: "Ignore" }, "failurePolicy Ignore", "webhook.failurePolicy=Fail"],
    [
      "have a selector",
      { objectSelector: { matchLabels: { a: "b" } } },
      "objectSelector may exclude",
      "find who adds it",
    ],
    [
      "leave namespaces out in an emergency",
      { matchConditions: [{ name: "no-emergency", expression: "!(request.namespace in ['demo'])" }] },
      "!(request.namespace in ['demo'])",
      "landfall break-glass --end",
    ],
    [
      "have no CA",
      { clientConfig: { url: "https://10.0.0.1" } },
      "holds no certificate",
      "a webhook that is ready writes them",
    ],
    [
      "have a damaged CA",
      { clientConfig: { caBundle: "AAAA" } },
      "holds no certificate",
      "a webhook that is ready writes them",
    ],
  ])("are reported when they %s", async (_, change, detail, remedy) => {
    expect(await faults(configured(change))).toEqual(both(detail, remedy));
  });

  it("are reported when they are missing, and when their CA ends within a month", async () => {
    const missing = { get: () => Promise.resolve(null) } as unknown as KubeClient;
    expect(await faults(missing)).toEqual(
      both("there is no such configuration", "a webhook that is ready writes them"),
    );
    expect(await faults(configured(), Date.now() + YEAR_MS - 1e9)).toEqual(both("the CA is valid until", "renew"));
  });

  it("are reported when one of several CAs ends within a month, and not for one that has ended", async () => {
    const bundle = (...cas: string[]): KubeClient =>
      configured({ clientConfig: { caBundle: Buffer.from(cas.join("")).toString("base64") } });
    const foreign = (await makeServingCertificate(["web.ns.svc"], { days: 730 })).ca;
    const end = Date.now() + YEAR_MS;
    expect(await faults(bundle(ca, foreign), end - 1e9)).toEqual(both("the first of its CAs is valid until", "renew"));
    expect(await faults(bundle(foreign, ca), end + 1e9)).toEqual([]);
  });
});

describe("landfall doctor: the replicas", () => {
  const now = Date.parse("2026-11-23T09:00:00Z");
  const report = (change: object = {}): string =>
    JSON.stringify({
      ...{ version: "0.2.0", bundle: "sha256:a", at: "2026-11-23T08:59:50.000Z", serves: "A" },
      until: "2027-02-01T00:00:00.000Z",
      authorities: "",
      sees: [],
      problem: "",
      rotation: "",
      ...change,
    });
  const check = (data: Record<string, string> | null) =>
    checkReplicas({ get: () => Promise.resolve(data && { data }) } as unknown as KubeClient, "landfall-system", now);
  const examine = async (data: Record<string, string> | null) => (await check(data)).findings;

  it("are listed with what they are valid for, and that no CA is replaced", async () => {
    expect(await examine({ "webhook-0": report() })).toEqual([
      { check: "replica webhook-0", detail: "serves a certificate that is valid until 2027-02-01", remedy: null },
      { check: "certificates", detail: "no CA is being replaced", remedy: null },
    ]);
    expect(await examine(null)).toMatchObject([
      { detail: expect.stringContaining("no replica reports") as string, remedy: null },
    ]);
  });

  it("tell until when the API server's certificate is valid, and say so in its last month", async () => {
    const clients = async (...until: string[]): Promise<unknown> => {
      const data = until.map((clientUntil, at) => [`webhook-${String(at)}`, report({ clientUntil })] as const);
      return (await examine(Object.fromEntries(data))).filter((one) => one.check === "API server");
    };
    expect(await clients("", "")).toEqual([]);
    const detail = (day: string): string => `shows the webhooks a certificate that is valid until ${day}`;
    expect(await clients("2027-11-01T00:00:00Z", "")).toMatchObject([{ detail: detail("2027-11-01"), remedy: null }]);
    expect(await clients("2027-11-01T00:00:00Z", "2026-12-20T00:00:00Z")).toMatchObject([
      { detail: detail("2026-12-20"), remedy: expect.stringContaining("renew it before") as string },
    ]);
  });

  it("name the latest step of a rotation, and what it waits for", async () => {
    const rotation = "published since 2026-11-23T08:59:00.000Z, waits for webhook-1 to see both CAs";
    const found = await examine({
      a: report({ rotation: "made since 2026-11-23T08:58:00.000Z" }),
      b: report({ rotation }),
    });
    expect(found.at(-1)).toEqual({
      check: "certificates",
      detail: `the CA is being replaced: ${rotation}`,
      remedy: null,
    });
    const late = "published since 2026-11-23T08:00:00.000Z, waits for webhook-1 to see both CAs";
    expect((await examine({ a: report({ rotation: late }) })).at(-1)?.remedy).toContain("delete the Pod");
  });

  it.each([
    ["not ready: the API server does not trust it", { problem: "the API server does not trust it" }, "read the log"],
    ["was last heard at 2026-11-23T08:57:00Z", { at: "2026-11-23T08:57:00Z" }, "see whether its Pod runs"],
    ["valid until 2026-12-01", { until: "2026-12-01T00:00:00.000Z" }, "why it is not renewed"],
    ["its report cannot be read", { until: 7 }, "written again"],
    ["cannot read the webhook configurations or put them back", { registration: "failing" }, "the log of this Pod"],
  ])("are reported: %s", async (detail, change, remedy) => {
    const [found] = await examine({ a: report(change) });
    expect([found?.detail, found?.remedy]).toEqual([expect.stringContaining(detail), expect.stringContaining(remedy)]);
  });

  it("are reported when they decide by different bundles", async () => {
    const found = await examine({ a: report(), b: report({ bundle: "sha256:b" }), c: report({ bundle: "" }) });
    expect(found.at(-1)).toEqual({
      check: "bundle",
      detail: "the replicas decide by different bundles: a has sha256:a, b has sha256:b, c has none",
      remedy: expect.stringContaining("bundle not used") as string,
    });
  });

  it("say which version they run, unless they are gone", async () => {
    const { running } = await check({
      a: report(),
      b: report({ at: "2026-11-23T08:00:00Z" }),
      c: report({ version: 1 }),
    });
    expect(running).toEqual([
      { name: "a", version: "0.2.0" },
      { name: "c", version: "" },
    ]);
  });

  it("need the right to read them", async () => {
    const client = { get: () => Promise.reject(new ApiError(403, { action: "GET", detail: "forbidden" })) };
    const [found] = (await checkReplicas(client as unknown as KubeClient, "landfall-system", now)).findings;
    expect([found?.detail, found?.remedy]).toEqual(["forbidden", expect.stringContaining("landfall-webhook-replicas")]);
  });
});

describe("landfall doctor: the controller", () => {
  const now = Date.parse("2026-11-24T12:00:00Z");
  const lease = (name: string, spec: object, annotations: object = {}) => ({ metadata: { name, annotations }, spec });
  const alive = { holderIdentity: "controller-0", renewTime: "2026-11-24T11:59:55.000000Z" };
  /** `objects`: by the ends of their paths. */
  const examine = (objects: Record<string, unknown>) => {
    const get = (path: string) => Promise.resolve(objects[path.split("/").slice(-2).join("/")] ?? null);
    return checkController({ get } as unknown as KubeClient, "landfall-system", now);
  };
  const OWN = "leases/landfall-composition";
  const KRATEO = "leases/landfall-schedule";

  it.each<[string, Record<string, unknown>, string]>([
    [
      "its worker",
      { [OWN]: lease("landfall-composition", alive, { "landfall.dev/helm-by": "worker" }) },
      "controller-0 leads, and changes releases by its worker",
    ],
    [
      "the program",
      { [OWN]: lease("landfall-composition", alive) },
      "controller-0 leads, and changes releases by its program",
    ],
    [
      "Krateo, after Landfall's own controller was stopped",
      { [OWN]: lease("landfall-composition", { holderIdentity: "" }), [KRATEO]: lease("landfall-schedule", alive) },
      "controller-0 leads, and starts objects: Krateo installs them",
    ],
    ["one without the chart", {}, "the chart is not installed there"],
  ])("that leads is told, with %s", async (_, objects, text) => {
    expect((await examine(objects)).findings).toEqual([
      { check: "controller", detail: expect.stringContaining(text) as string, remedy: null },
    ]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["left", { [OWN]: lease("landfall-composition", { holderIdentity: "" }) }, "no controller holds the Lease"],
    [
      "was killed",
      { [OWN]: lease("landfall-composition", { ...alive, renewTime: "2026-11-24T11:59:10.000000Z" }) },
      "was last heard at",
    ],
    ["of the chart never led", { "configmaps/landfall-release": {} }, "none has held a Lease in landfall-system"],
  ])("is missed when it %s", async (_, objects, text) => {
    const { findings, running } = await examine(objects);
    expect(findings).toEqual([
      {
        check: "controller",
        detail: expect.stringContaining(text) as string,
        remedy: expect.stringContaining("logs deployment/landfall-controller") as string,
      },
    ]);
    expect(running).toEqual([]);
  });

  it("says its version", async () => {
    const annotations = { "landfall.dev/version": "0.2.0" };
    expect((await examine({ [OWN]: lease("landfall-composition", alive, annotations) })).running).toEqual([
      { name: "controller controller-0", version: "0.2.0" },
    ]);
  });

  it("is not known without the right to read Leases", async () => {
    const client = { get: () => Promise.reject(new ApiError(403, { action: "GET", detail: "forbidden" })) };
    const { findings } = await checkController(client as unknown as KubeClient, "landfall-system", now);
    expect(findings).toEqual([
      { check: "controller", detail: expect.stringContaining("right to get Leases") as string, remedy: null },
    ]);
  });
});

describe("landfall doctor: versions", () => {
  const webhook = { name: "webhook-0", version: "0.3.0" };
  it.each([
    ["one", [webhook, { name: "controller a", version: "0.3.0" }], "all processes run 0.3.0", null],
    ["none", [], "not known", null],
    [
      "an older controller beside a newer webhook",
      [webhook, { name: "controller a", version: "0.2.0" }],
      "webhook-0 runs 0.3.0, controller a runs 0.2.0",
      "upgrade the chart and the image together",
    ],
    [
      "a controller that does not say its own",
      [webhook, { name: "controller a", version: "" }],
      "webhook-0 runs 0.3.0, controller a runs an earlier one",
      "upgrade the chart and the image together",
    ],
    ["only such", [{ name: "webhook-0", version: "" }], "webhook-0 runs an earlier one", "upgrade the chart"],
  ])("are compared: %s", (_, running, detail, remedy) => {
    expect(checkVersions(running)).toEqual({
      check: "versions",
      detail: expect.stringContaining(detail) as string,
      remedy: remedy === null ? null : (expect.stringContaining(remedy) as string),
    });
  });
});

describe("landfall doctor: rights", () => {
  interface Review {
    spec: { user: string; resourceAttributes: Record<string, string> };
  }
  const examine = (allows: (user: string, attributes: Record<string, string>) => boolean) => {
    const create = (_: string, review: Review) => {
      const { user, resourceAttributes } = review.spec;
      const allowed = allows(user.replace("system:serviceaccount:landfall-system:", ""), resourceAttributes);
      return Promise.resolve({ ...review, status: { allowed } });
    };
    return checkRights({ create } as unknown as KubeClient, projectPath(""), "landfall-system");
  };

  it("are fine if the API server grants those of the roles", async () => {
    const found = await examine((user) => user !== "landfall-schedule");
    expect(found.map(({ detail, remedy }) => [detail, remedy])).toEqual([
      ["landfall-webhook has those of its role", null],
      ["landfall-composition has those of its role", null],
    ]);
  });

  it("are those of the controller that starts objects, under Krateo", async () => {
    const found = await examine((user) => user !== "landfall-composition");
    expect(found.map(({ detail }) => detail)).toEqual([
      "landfall-webhook has those of its role",
      "landfall-schedule has those of its role",
    ]);
  });

  it("that are missing are named, with their kinds and verbs", async () => {
    const [webhook] = await examine(
      (user, { resource, verb, namespace, name, subresource }) =>
        user !== "landfall-schedule" &&
        !(resource === "placementledgers" && namespace === "landfall-system" && verb !== "get") &&
        !(resource === "secrets" && name === "landfall-webhook-tls") &&
        subresource === undefined,
    );
    expect(webhook).toEqual({
      check: "rights",
      detail:
        "landfall-webhook lacks update of secrets landfall-webhook-tls; list, watch, create, update of placementledgers.landfall.dev",
      remedy: expect.stringContaining("helm upgrade") as string,
    });
  });

  it("are not known without the right to ask", async () => {
    const client = { create: () => Promise.reject(new ApiError(403, { action: "POST", detail: "forbidden" })) };
    expect(await checkRights(client as unknown as KubeClient, projectPath(""), "landfall-system")).toEqual([
      { check: "rights", detail: expect.stringContaining("SubjectAccessReviews") as string, remedy: null },
    ]);
  });
});

describe("landfall doctor: the dry run", () => {
  const now = Date.parse("2026-11-24T12:00:00Z");
  /** The finding of admission, which is the last one. */
  const probe = async (answer: (path: string) => Promise<unknown>, definitions: unknown = null) => {
    const client = { create: answer, get: () => Promise.resolve(definitions) } as unknown as KubeClient;
    return (await probeAdmission(client, { namespace: "default", system: "landfall-system", nowMs: now })).at(-1);
  };
  const refused = (status: number, detail: string) =>
    probe(() => Promise.reject(new ApiError(status, { action: "POST", detail })));

  it("is fine with a decision, or a denial by the policy", async () => {
    const metadata = { annotations: { "landfall.dev/decision": "{}" } };
    expect(await probe(() => Promise.resolve({ metadata }))).toMatchObject({ remedy: null });
    expect(await refused(400, 'admission webhook "placement.landfall.dev" denied the request: no')).toMatchObject({
      remedy: null,
    });
  });

  it.each([
    ["client-certificate", "shows its client certificate"],
    ["token", "shows its token"],
    ["none", "decisions are provisional until the leading controller confirms them"],
    ["", "decided in"],
  ])("says how the API server comes: %j", async (door, text) => {
    const metadata = { annotations: { "landfall.dev/decision": "{}", "landfall.dev/door": door } };
    expect(await probe(() => Promise.resolve({ metadata }))).toMatchObject({
      remedy: null,
      detail: expect.stringContaining(text) as string,
    });
  });

  it.each([
    [500, 'failed calling webhook "placement.landfall.dev": connection refused', /let the API server reach port 8443/],
    [500, 'failed calling webhook "placement.landfall.dev": context deadline exceeded', /-n landfall-system get pods/],
    [
      500,
      'failed calling webhook "placement.landfall.dev": no endpoints available for service "landfall-webhook"',
      /no Pod of the webhook is ready/,
    ],
    [500, 'failed calling webhook "placement.landfall.dev": remote error: tls: bad certificate', /shows no identity/],
    [
      500,
      'failed calling webhook "placement.landfall.dev": x509: certificate signed by unknown authority',
      /does not trust the certificate/,
    ],
    [
      403,
      'admission webhook "guard.landfall.dev" denied the request: no [ADM_DECISION_FORGED]',
      /did not call the first webhook/,
    ],
    [
      500,
      'failed calling webhook "placement.landfall.dev": 403 [ADM_CLIENT_CERTIFICATE]',
      /shows no identity.*renew-the-certificate/,
    ],
    [500, 'failed calling webhook "placement.landfall.dev": 403 [ADM_NOT_AUTHENTICATED]', /shows no identity/],
    [404, "404 page not found", /CompositionDefinition vm-template.* if charts\.repository is set.*krateo\.md/],
    [403, "vmtemplates is forbidden", /right to create vmtemplates/],
    [0, "connect ECONNREFUSED", /correct what the API server says/],
  ])("that fails with %i %s says what to do", async (status, detail, remedy) => {
    expect((await refused(status, detail))?.remedy).toMatch(remedy);
  });

  it("that is not decided is reported", async () => {
    expect(await probe(() => Promise.resolve({ metadata: {} }))).toMatchObject({
      detail: "the API server created an object without a decision",
    });
  });

  it("says that no controller made the kinds of the definitions", async () => {
    const failing = () => Promise.reject(new ApiError(404, { action: "POST", detail: "404 page not found" }));
    const items = [{ metadata: { namespace: "landfall-system", name: "vm-template" } }];
    expect((await probe(failing, { items }))?.remedy).toContain("no controller has read the CompositionDefinitions");
  });

  it("uses an earlier version of the kinds if the cluster does not serve the newest one yet", async () => {
    const asked: string[] = [];
    const finding = await probe((path: string) => {
      asked.push(path);
      const unserved = new ApiError(404, { action: "POST", detail: "404 page not found" });
      return asked.length === 1
        ? Promise.reject(unserved)
        : Promise.resolve({ metadata: { annotations: { "landfall.dev/decision": "{}" } } });
    });
    expect(asked.map((path) => path.split("/")[3])).toEqual(["v0-2-0", "v0-1-0"]);
    expect(finding?.detail).toMatch(/^decided in \d+ ms/);
  });

  it("says why VmTemplates are not served", async () => {
    const failing = () => Promise.reject(new ApiError(404, { action: "POST", detail: "404 page not found" }));
    const status = {
      conditions: [{ type: "Ready", status: "False", message: "no chart there [REL_CHART_UNREADABLE]" }],
    };
    const items = [{ metadata: { namespace: "landfall-system", name: "vm-template" }, status }];
    expect(await probe(failing, { items })).toMatchObject({
      detail: expect.stringContaining("landfall-system/vm-template: no chart there [REL_CHART_UNREADABLE]") as string,
      remedy: expect.stringContaining("charts.repository") as string,
    });
  });

  it.each([
    ["2027-11-24T12:00:00Z", "expires at", null],
    ["2026-12-01T12:00:00Z", "expires at", /build and push the next version/],
    ["2026-11-20T12:00:00Z", "expired at", /build and push the next version/],
    [undefined, "has no expiry", null],
  ])("says when the bundle expires: %s", async (expires, detail, remedy) => {
    const annotations = { "landfall.dev/decision": "{}", "landfall.dev/bundle-expires": expires };
    const client = { create: () => Promise.resolve({ metadata: { annotations } }) } as unknown as KubeClient;
    const [found] = await probeAdmission(client, { namespace: "default", system: "landfall-system", nowMs: now });
    expect(found).toMatchObject({ check: "bundle", detail: expect.stringContaining(detail) as string });
    expect(found?.remedy ?? null).toEqual(remedy === null ? null : (expect.stringMatching(remedy) as string));
  });
});
