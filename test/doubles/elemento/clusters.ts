import { listOf, numberOf, objectOf, textOf, textOrEmpty } from "./fields.ts";
import type { Asked, Handler, Route } from "./route.ts";
import { badField, Refusal, told } from "./refusal.ts";
import type { ClusterThing, World } from "./world.ts";

/** The prefix of the service hosts, one of the two published for the daemon. */
const PREFIXES = ["/api/v1.0/kaas", "/api/v1.0/client/service/kaas"] as const;
const VERSION = /^([12])\.(0|[1-9]\d*)(\.\d+)?$/;
const NAME = /^[a-zA-Z0-9-]+$/;

type Fields = Record<string, unknown>;

function checkPool(pool: Fields): void {
  if (!NAME.test(textOf(pool, "pool_name"))) throw badField("pool_name", "WRONG_VALUE");
  const least = numberOf(pool, "min_nodes", 1);
  if (numberOf(pool, "max_nodes", 1) < least) throw badField("max_nodes", "WRONG_VALUE");
  const specs = objectOf(pool, "specs");
  // The note's form has MB under `ram`, the newer one GB under `ram_gb`.
  if (specs["ram"] === undefined) numberOf(specs, "ram_gb", 1);
  else numberOf(specs, "ram", 512);
}

/** Reads either form of a request. Throws the refusal that names the invalid field. */
function checkRequest({ body }: Asked): { req: Fields; provider: string; cidr: string } {
  const req = objectOf(body, "req");
  if (!NAME.test(textOf(req, "name"))) throw badField("name", "WRONG_VALUE");
  if (!VERSION.test(textOf(req, "kubernetes_version"))) throw badField("kubernetes_version", "WRONG_VALUE");
  const pools = listOf(req, req["nodepool"] === undefined ? "nodepools" : "nodepool");
  if (pools.length === 0) throw badField("nodepool");
  pools.forEach(checkPool);
  const subnet = objectOf(req, "nodes_subnet");
  const cidr = textOf(subnet, subnet["network"] === undefined ? "subnet_netmask" : "network");
  return { req, provider: textOf(body, "provider"), cidr };
}

const clusterOf = (world: World, cluster: ClusterThing): Fields => {
  const subnet = objectOf(cluster.request, "nodes_subnet");
  const state = world.stateOf(cluster);
  return {
    service_uuid: cluster.id,
    cluster_name: cluster.name,
    status: state,
    version: cluster.request["kubernetes_version"],
    network_cidr: subnet["network"] ?? subnet["subnet_netmask"],
    location: cluster.region,
    endpoint: state === "running" ? `https://${cluster.id}.kaas.example:6443` : null,
    metadata: cluster.request["metadata"] ?? {},
  };
};

function named(world: World, id: string): ClusterThing {
  const cluster = world.clusters.get(id);
  if (cluster === undefined || world.stateOf(cluster) === "gone") throw new Refusal(404, "NotFound", { trace: id });
  return cluster;
}

const kubeconfigOf = ({ id, name }: ClusterThing): string =>
  [
    "apiVersion: v1",
    "kind: Config",
    `clusters: [{name: ${name}, cluster: {server: "https://${id}.kaas.example:6443"}}]`,
    `users: [{name: admin, user: {token: ${id}}}]`,
    `contexts: [{name: ${name}, context: {cluster: ${name}, user: admin}}]`,
    `current-context: ${name}`,
    "",
  ].join("\n");

const create =
  (world: World): Handler =>
  (asked) => {
    const { req, provider } = checkRequest(asked);
    const { outages, quota, clusterMs, brokenClusterRate } = world.settings;
    if (outages.includes(provider)) throw new Refusal(503, "ServiceUnavailable", { trace: `${provider} is away` });
    if (world.alive(world.clusters).length >= quota.clusters)
      throw new Refusal(403, "ResourceLimitExceeded", { trace: "clusters" });
    const timeline = world.timeline("running", clusterMs, brokenClusterRate);
    const { id } = world.add("clusters", world.clusters, {
      id: world.uuid(),
      name: String(req["name"]),
      createdAt: world.nowMs(),
      deleteAsked: false,
      request: req,
      provider,
      region: textOrEmpty(asked.headers, "service_country") || (world.settings.prices[provider]?.regions[0] ?? null),
      timeline,
    });
    return told(200, { metadata: { service_uuid: id }, capabilities: {}, resources: [] });
  };

const cancreate =
  (world: World): Handler =>
  (asked) => {
    const { provider } = checkRequest(asked);
    const { prices, outages, quota } = world.settings;
    const price = prices[provider];
    const possible =
      price !== undefined && !outages.includes(provider) && world.alive(world.clusters).length < quota.clusters;
    const billing = price === undefined ? [] : [{ price_net: price.month, period: "month" }];
    return told(200, { cancreate: possible, billing, provider });
  };

const routesAt = (world: World, prefix: string): Route[] => [
  { method: "POST", path: `${prefix}/create`, handler: create(world) },
  { method: "POST", path: `${prefix}/cancreate`, handler: cancreate(world) },
  {
    method: "GET",
    path: `${prefix}/running`,
    handler: () => {
      const clusters = world.listed(world.clusters).map((cluster) => clusterOf(world, cluster));
      return told(200, clusters);
    },
  },
  {
    method: "GET",
    path: `${prefix}/running/:id`,
    handler: ({ params }) => {
      const cluster = named(world, params["id"] ?? "");
      // 206 while it is incomplete.
      return told(world.stateOf(cluster) === "creating" ? 206 : 200, clusterOf(world, cluster));
    },
  },
  {
    method: "DELETE",
    path: `${prefix}/delete`,
    handler: ({ body }) => {
      world.remove("clusters", named(world, textOf(body, "id")));
      return { status: 200, body: "deleted", headers: { "content-type": "text/plain" } };
    },
  },
  {
    method: "GET",
    path: `${prefix}/credentials/:id`,
    handler: ({ params }) => {
      const cluster = named(world, params["id"] ?? "");
      if (world.stateOf(cluster) !== "running") throw new Refusal(400, "BadRequest", { trace: "not running" });
      return { status: 200, body: kubeconfigOf(cluster), headers: { "content-type": "text/plain" } };
    },
  },
];

/** The KaaS routes. */
export const clusters = (world: World): Route[] => PREFIXES.flatMap((prefix) => routesAt(world, prefix));
