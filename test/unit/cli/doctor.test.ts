import { describe, expect, it } from "vitest";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { checkCertificates } from "../../../src/cli/commands/doctor/check-certificates.ts";
import { checkConfigurations } from "../../../src/cli/commands/doctor/check-configurations.ts";
import { checkHelm } from "../../../src/cli/commands/doctor/check-helm.ts";
import type { Finding } from "../../../src/cli/commands/doctor/finding.ts";
import { probeAdmission } from "../../../src/cli/commands/doctor/probe-admission.ts";
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
      "remove the selector",
    ],
    [
      "leave namespaces out in an emergency",
      { matchConditions: [{ name: "no-emergency", expression: "!(request.namespace in ['demo'])" }] },
      "!(request.namespace in ['demo'])",
      "landfall break-glass --end",
    ],
    ["have no CA", { clientConfig: { url: "https://10.0.0.1" } }, "holds no certificate", "restart the webhook"],
    ["have a damaged CA", { clientConfig: { caBundle: "AAAA" } }, "holds no certificate", "restart the webhook"],
  ])("are reported when they %s", async (_, change, detail, remedy) => {
    expect(await faults(configured(change))).toEqual(both(detail, remedy));
  });

  it("are reported when they are missing, and when their CA ends within a month", async () => {
    const missing = { get: () => Promise.resolve(null) } as unknown as KubeClient;
    expect(await faults(missing)).toEqual(both("there is no such configuration", "restart the webhook"));
    expect(await faults(configured(), Date.now() + YEAR_MS - 1e9)).toEqual(both("the CA is valid until", "renew"));
  });
});

describe("landfall doctor: the certificates of the replicas", () => {
  const now = Date.parse("2026-11-23T09:00:00Z");
  const report = (change: object = {}): string =>
    JSON.stringify({
      serves: "A",
      until: "2027-02-01T00:00:00.000Z",
      authorities: "",
      sees: [],
      problem: "",
      rotation: "",
      ...change,
    });
  const examine = async (data: Record<string, string> | null) =>
    checkCertificates(
      { get: () => Promise.resolve(data && { data }) } as unknown as KubeClient,
      "landfall-system",
      now,
    );

  it("are listed with what they are valid for, and that no CA is replaced", async () => {
    expect(await examine({ "webhook-0": report() })).toEqual([
      { check: "certificates: webhook-0", detail: "serves a certificate that is valid until 2027-02-01", remedy: null },
      { check: "certificates", detail: "no CA is being replaced", remedy: null },
    ]);
    expect(await examine(null)).toMatchObject([
      { detail: expect.stringContaining("no replica reports") as string, remedy: null },
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
    ["valid until 2026-12-01", { until: "2026-12-01T00:00:00.000Z" }, "why it is not renewed"],
    ["its report cannot be read", { until: 7 }, "written again"],
  ])("are reported: %s", async (detail, change, remedy) => {
    const [found] = await examine({ a: report(change) });
    expect([found?.detail, found?.remedy]).toEqual([expect.stringContaining(detail), expect.stringContaining(remedy)]);
  });

  it("need the right to read them", async () => {
    const client = { get: () => Promise.reject(new ApiError(403, { action: "GET", detail: "forbidden" })) };
    const [found] = await checkCertificates(client as unknown as KubeClient, "landfall-system", now);
    expect([found?.detail, found?.remedy]).toEqual(["forbidden", expect.stringContaining("landfall-webhook-replicas")]);
  });
});

describe("landfall doctor: helm", () => {
  const now = Date.parse("2026-11-24T12:00:00Z");
  const examine = (get: () => Promise<unknown>) => checkHelm({ get } as unknown as KubeClient, "landfall-system", now);
  const leased = (annotations: object, holderIdentity = "controller-0", renewTime = "2026-11-24T11:59:55.000000Z") =>
    examine(() => Promise.resolve({ metadata: { annotations }, spec: { holderIdentity, renewTime } }));

  it.each<[string, () => Promise<Finding>, string]>([
    ["the worker", () => leased({ "landfall.dev/helm-by": "worker" }), "controller-0 changes releases by its worker"],
    ["the program", () => leased({}), "controller-0 changes releases by its program"],
    ["no Lease", () => examine(() => Promise.resolve(null)), "no controller has held the Lease"],
    [
      "no right",
      () => examine(() => Promise.reject(new ApiError(403, { action: "GET", detail: "forbidden" }))),
      "it needs the right to get Leases",
    ],
  ])("is told: %s", async (_, find, text) => {
    expect(await find()).toMatchObject({
      check: "helm",
      detail: expect.stringContaining(text) as string,
      remedy: null,
    });
  });
});

describe("landfall doctor: the controller that leads", () => {
  const now = Date.parse("2026-11-24T12:00:00Z");
  it.each([
    ["left", { holderIdentity: "" }, "no controller holds the Lease"],
    ["was killed", { holderIdentity: "controller-0", renewTime: "2026-11-24T11:59:10.000000Z" }, "was last heard at"],
  ])("is missed when it %s", async (_, spec, text) => {
    const client = { get: () => Promise.resolve({ metadata: {}, spec }) } as unknown as KubeClient;
    expect(await checkHelm(client, "landfall-system", now)).toMatchObject({
      detail: expect.stringContaining(text) as string,
      remedy: expect.stringContaining("log of landfall-controller") as string,
    });
  });
});

describe("landfall doctor: the dry run", () => {
  const now = Date.parse("2026-11-24T12:00:00Z");
  /** The finding of admission, which is the last one. */
  const probe = async (answer: () => Promise<unknown>, definitions: unknown = null) => {
    const client = { create: answer, get: () => Promise.resolve(definitions) } as unknown as KubeClient;
    return (await probeAdmission(client, "default", now)).at(-1);
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
    [500, 'failed calling webhook "placement.landfall.dev": connection refused', /let the API server reach/],
    [500, 'failed calling webhook "placement.landfall.dev": 403 [ADM_CLIENT_CERTIFICATE]', /shows no identity/],
    [500, 'failed calling webhook "placement.landfall.dev": 403 [ADM_NOT_AUTHENTICATED]', /shows no identity/],
    [404, "404 page not found", /CompositionDefinition vm-template/],
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
    const [found] = await probeAdmission(client, "default", now);
    expect(found).toMatchObject({ check: "bundle", detail: expect.stringContaining(detail) as string });
    expect(found?.remedy ?? null).toEqual(remedy === null ? null : (expect.stringMatching(remedy) as string));
  });
});
