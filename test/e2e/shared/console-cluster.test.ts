// The console as its Deployment starts it, for two users of a proxy: each request has its own ServiceAccount's token.
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { apiPath } from "../../../src/cluster/api-path.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { vm } from "../../support/admission.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";
import {
  type ChartConsole,
  CONSOLE_ORIGIN as ORIGIN,
  consolePod,
  startChartConsole,
} from "../../support/console/chart-console.ts";
import { openBrowser, openPage } from "../../support/console/open-browser.ts";

const { kubeconfig, bundle } = inject("cluster");
const NAMESPACES = ["proxied-one", "proxied-two"] as const;
type Namespace = (typeof NAMESPACES)[number];

let dir: string;
let served: ChartConsole;
const tenants: TenantCluster[] = [];
const tokens = new Map<string, string>();

/** A ServiceAccount with all rights in its namespace, and an object there. */
async function prepare(namespace: Namespace): Promise<void> {
  const tenant = await openTenant(kubeconfig, namespace, {});
  tenants.push(tenant);
  const { admin } = tenant;
  const base = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await admin.create(base, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "person" } });
  await admin.create(`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
    ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", metadata: { name: "person", namespace } },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "owner" },
    subjects: [{ kind: "ServiceAccount", name: "person", namespace }],
  });
  const asked = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const { status } = await admin.create<Resource>(`${base}/person/token`, asked);
  tokens.set(namespace, String(status?.["token"]));
  await admin.create(`/apis/composition.krateo.io/v0-2-0/namespaces/${namespace}/vmtemplates`, {
    ...vm({ cpu: 1, memory: 1 }, { name: `of-${namespace}`, namespace }),
    apiVersion: "composition.krateo.io/v0-2-0",
  });
}

interface Answer {
  status: number;
  text: string;
  type: string;
}

/** A request as the proxy passes it on; `fetch` would not send another Host. */
async function ask(
  path: string,
  { token, ...headers }: Record<string, string>,
  method = "GET",
  body = "",
): Promise<Answer> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const options = {
    host: "127.0.0.1",
    port: served.port,
    path,
    method,
    headers: { host: "landfall.example.org", ...authorization, ...headers },
  };
  const sent = request(options, (reply) => {
    let text = "";
    reply.setEncoding("utf8").on("data", (part: string) => (text += part));
    reply.on("end", () => {
      resolve({ status: reply.statusCode ?? 0, text, type: String(reply.headers["content-type"]) });
    });
  });
  sent.on("error", reject).end(body);
  return promise;
}

const as = (namespace: Namespace): Record<string, string> => ({ token: tokens.get(namespace) ?? "" });
const codeOf = ({ text }: Answer): string => (JSON.parse(text) as { code: string }).code;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "landfall-console-"));
  await Promise.all(NAMESPACES.map(prepare));
  served = await startChartConsole({ kubeconfig, bundle, dir });
});

afterAll(async () => {
  await served.stop();
  await Promise.all(tenants.map((tenant) => tenant.close()));
  await rm(dir, { recursive: true, force: true });
});

describe("the console in a cluster", () => {
  it("shows each user of the proxy their own objects, and refuses those of others", async () => {
    for (const [own, other] of [NAMESPACES, NAMESPACES.toReversed()] as [Namespace, Namespace][]) {
      const listed = await ask(`/api/objects?namespace=${own}`, as(own));
      expect([listed.status, listed.text]).toEqual([200, expect.stringContaining(`"of-${own}"`)]);
      const foreign = await ask(`/api/objects?namespace=${other}`, as(own));
      expect([foreign.status, codeOf(foreign)]).toEqual([403, "REL_API"]);
      expect((await ask("/api/objects", as(own))).status).toBe(403);
      const object = await ask(`/api/objects/VmTemplate/${other}/of-${other}`, as(own));
      expect([object.status, object.text.includes("landfall.dev/decision")]).toEqual([403, false]);
    }
  });

  it("has no rights without a token, and says what is missing", async () => {
    const page = await ask("/", {});
    expect([page.status, page.type]).toEqual([401, "text/plain; charset=utf-8"]);
    expect(page.text).toContain("has no token of a user");
    expect(page.text).toContain("Authorization: Bearer");
    const read = await ask(`/api/objects?namespace=${NAMESPACES[0]}`, {});
    expect([read.status, codeOf(read)]).toEqual([401, "CONSOLE_NO_TOKEN"]);
    const wrong = await ask(`/api/objects?namespace=${NAMESPACES[0]}`, { token: "e30.e30.c2ln" });
    expect([wrong.status, (JSON.parse(wrong.text) as { kind: string }).kind]).toEqual([401, "credentials"]);
  });

  it("creates an object with the user's rights for its own page, and for no other site", async () => {
    const [own] = NAMESPACES;
    const object = JSON.stringify({
      ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: { name: "made" } },
      spec: { cpu: 1, memory: 1 },
    });
    const body = JSON.stringify({ namespace: own, object });
    const json = { ...as(own), "content-type": "application/json" };
    for (const origin of ["https://evil.example", "null", "http://landfall.example.org"]) {
      const refused = await ask("/api/apply", { ...json, origin }, "POST", body);
      expect([refused.status, codeOf(refused)]).toEqual([403, "CONSOLE_SITE"]);
    }
    expect((await ask("/api/apply", json, "POST", body)).status).toBe(403);
    expect((await ask("/api/apply", { ...json, host: "127.0.0.1" }, "POST", body)).status).toBe(403);
    const made = await ask("/api/apply", { ...json, origin: ORIGIN }, "POST", body);
    expect([made.status, made.text]).toEqual([200, expect.stringContaining('"name":"made"')]);
  });

  it("shows its pages in a browser whose proxy adds the token", async () => {
    const [own] = NAMESPACES;
    const browser = await openBrowser();
    try {
      const { page } = await openPage(browser);
      await page.route("**/*", async (route) => {
        const { pathname, search } = new URL(route.request().url());
        const answer = await ask(pathname + search, { ...as(own), "sec-fetch-site": "same-origin" });
        await route.fulfill({ status: answer.status, contentType: answer.type, body: answer.text });
      });
      await page.route("**/api/changes**", (route) => route.abort());
      await page.goto(`${ORIGIN}/objects?namespace=${own}`);
      await page.getByRole("link", { name: `of-${own}` }).waitFor();
      expect(await page.getByText("This tab is not signed in").count()).toBe(0);
    } finally {
      await browser.close();
    }
  });

  it("has a Pod that the API server admits under the security standard restricted", async () => {
    const { admin } = tenants[0] ?? expect.fail("there is no tenant");
    const name = "restricted-console";
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    await admin.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "landfall-console" } };
    await admin.create(`/api/v1/namespaces/${name}/serviceaccounts`, account);
    const { priorityClassName: _, ...spec }: Record<string, unknown> = (await consolePod()).spec;
    expect(spec).toMatchObject({ automountServiceAccountToken: false });
    const pod = (own: object) => ({ apiVersion: "v1", kind: "Pod", metadata: { generateName: "probe-" }, spec: own });
    const path = apiPath`/api/v1/namespaces/${name}/pods`;
    const admitted = await admin.create<{ spec: { volumes: { name: string }[] } }>(path, pod(spec), { dryRun: "All" });
    // No volume with a token was added.
    expect(admitted.spec.volumes.map((one) => one.name).toSorted()).toEqual(["cluster", "config", "data", "tmp"]);
    const asRoot = admin.create(path, pod({ ...spec, securityContext: { runAsUser: 0 } }), { dryRun: "All" });
    await expect(asRoot).rejects.toThrow("violates PodSecurity");
  });

  it("writes no token into its log", () => {
    expect(served.log()).toContain("console started");
    for (const token of tokens.values()) expect(served.log()).not.toContain(token.slice(-40));
  });
});
