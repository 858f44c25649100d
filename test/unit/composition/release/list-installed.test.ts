import { expect, it, onTestFinished } from "vitest";
import { createClient } from "../../../../src/cluster/client/create-client.ts";
import { discover } from "../../../../src/cluster/discover.ts";
import type { CompositionContext } from "../../../../src/composition/context/composition-context.ts";
import { listInstalled } from "../../../../src/composition/release/list-installed.ts";
import { startJsonService } from "../../../support/services/json-service.ts";

const GROUP = "/apis/network.example";
const kind = (name: string) => ({ name, kind: name, namespaced: true, verbs: ["list", "watch"] });
const served: Record<string, object> = {
  [GROUP]: { versions: [{ groupVersion: "network.example/v2" }, { groupVersion: "network.example/v1" }] },
  // The newest version lacks a kind, as ASO's do.
  [`${GROUP}/v2`]: { resources: [kind("subnets"), kind("gateways")] },
  [`${GROUP}/v1`]: { resources: [kind("subnets"), kind("addresses"), kind("tunnels")] },
};
const made = (release: string) => ({
  metadata: {
    name: release,
    annotations: { "meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": "demo" },
  },
});

/** An API server where the identity may delete these kinds and list no others; `releases` have an object of each kind. */
async function serve(plurals: string[], releases: readonly string[]) {
  const asked: string[] = [];
  const may = (plural: string): boolean =>
    plurals.includes("*") || [...plurals, "secrets", "configmaps"].includes(plural);
  const service = await startJsonService(({ url }) => {
    const path = url.pathname;
    if (path.endsWith("/selfsubjectrulesreviews")) {
      const resourceRules = [
        { verbs: ["get", "delete"], apiGroups: ["network.example"], resources: plurals },
        { verbs: ["get"], apiGroups: ["network.example"], resources: ["tunnels"] },
      ];
      return { status: 201, body: { status: { resourceRules } } };
    }
    if (served[path] !== undefined) return { status: 200, body: served[path] };
    asked.push(path);
    const plural = path.split("/").at(-1) ?? "";
    if (!may(plural)) return { status: 403, body: { message: `${plural} is forbidden` } };
    return { status: 200, body: { items: path.startsWith(GROUP) ? releases.map(made) : [] } };
  });
  const client = createClient({ server: service.url, tls: {}, headers: () => Promise.resolve({}), namespace: "demo" });
  onTestFinished(async () => {
    await client.close();
    await service.close();
  });
  const context = { tenant: () => client, discovery: discover(client) } as unknown as CompositionContext;
  const find = async (release: string): Promise<string[]> =>
    (await listInstalled(context, "demo", release)).map(({ path }) => path);
  return { find, asked };
}

/** What `listInstalled` finds and asks for. */
async function find(plurals: string[]): Promise<{ found: string[]; asked: string[] }> {
  const server = await serve(plurals, ["web"]);
  return { found: await server.find("web"), asked: server.asked };
}

it("looks for what is installed among the kinds that the identity may delete, and at no others of their groups", async () => {
  const { found, asked } = await find(["subnets", "addresses"]);
  const own = [`${GROUP}/v2/namespaces/demo/subnets`, `${GROUP}/v1/namespaces/demo/addresses`];
  expect(asked.sort()).toEqual(
    ["/api/v1/namespaces/demo/configmaps", "/api/v1/namespaces/demo/secrets", ...own].sort(),
  );
  expect(found.sort()).toEqual(own.map((path) => `${path}/web`).sort());
});

it("looks at each kind of a group where the identity may delete every kind", async () => {
  const { found } = await find(["*"]);
  expect(found.map((path) => path.split("/").at(-2)).sort()).toEqual(["addresses", "gateways", "subnets", "tunnels"]);
});

it("scans once for all that ask while a scan runs, and again for those that ask later", async () => {
  const releases = ["web"];
  const { find: ask, asked } = await serve(["subnets"], releases);
  const subnet = (release: string): string[] => [`${GROUP}/v2/namespaces/demo/subnets/${release}`];
  const scansOf = (): number => asked.filter((path) => path.endsWith("/subnets")).length;
  const first = ask("web");
  const others = [ask("api"), ask("jobs"), ask("jobs"), ask("none")];
  // These are made after the first scan began: the others have to see them.
  releases.push("api", "jobs");
  expect(await first).toEqual(subnet("web"));
  expect(await Promise.all(others)).toEqual([subnet("api"), subnet("jobs"), subnet("jobs"), []]);
  expect(scansOf()).toBe(2);
  releases.length = 0;
  expect(await ask("web")).toEqual([]);
  expect(scansOf()).toBe(3);
});

it("tells all that share a scan of its failure, and scans again afterwards", async () => {
  const { find: ask, asked } = await serve(["subnets"], ["web"]);
  served[`${GROUP}/v2`] = { resources: "broken" };
  onTestFinished(() => void (served[`${GROUP}/v2`] = { resources: [kind("subnets"), kind("gateways")] }));
  const failed = await Promise.allSettled([ask("web"), ask("api"), ask("jobs")]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  served[`${GROUP}/v2`] = { resources: [kind("subnets"), kind("gateways")] };
  expect(await ask("web")).toHaveLength(1);
  expect(asked.filter((path) => path.endsWith("/subnets"))).toHaveLength(1);
});
