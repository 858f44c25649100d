import type { Caller } from "./transport/call.ts";
import { cleanKubeconfig } from "./clean-kubeconfig.ts";
import type { ClientOptions } from "./client-options.ts";
import { clusterRequest } from "./cluster-request.ts";
import { placeHeaders } from "./compute-calls.ts";
import type { ElementoApi } from "./elemento-api.ts";
import { clusterState, LABELS } from "./inferred.ts";
import { compileSchema } from "../../model/schemas/compile-schema.ts";
import { readAnswer, readList } from "./transport/read-answer.ts";
import type { Cluster, ClusterQuote, Labels } from "./types.ts";

interface WireCluster {
  service_uuid: string;
  cluster_name: string;
  status?: string;
  version?: string;
  network_cidr?: string | null;
  location?: string | null;
  endpoint?: string | null;
  [LABELS.cluster]?: Labels | null;
}

const textOrNull = { type: ["string", "null"] } as const;

const WIRE_CLUSTER = {
  type: "object",
  required: ["service_uuid", "cluster_name"],
  properties: {
    service_uuid: { type: "string", minLength: 1 },
    cluster_name: { type: "string" },
    status: { type: "string" },
    version: { type: "string" },
    network_cidr: textOrNull,
    location: textOrNull,
    endpoint: textOrNull,
    [LABELS.cluster]: { type: ["object", "null"], additionalProperties: { type: "string" } },
  },
} as const;

const checkClusters = compileSchema<WireCluster[]>({ type: "array", items: WIRE_CLUSTER });
const checkCluster = compileSchema<WireCluster>(WIRE_CLUSTER);
const checkCreated = compileSchema<{ metadata: { service_uuid: string } }>({
  type: "object",
  required: ["metadata"],
  properties: {
    metadata: {
      type: "object",
      required: ["service_uuid"],
      properties: { service_uuid: { type: "string", minLength: 1 } },
    },
  },
});
const checkQuote = compileSchema<{
  cancreate: boolean;
  billing?: { price_net: number; period: string }[] | null;
  provider?: string | null;
}>({
  type: "object",
  required: ["cancreate"],
  properties: {
    cancreate: { type: "boolean" },
    provider: textOrNull,
    billing: {
      type: ["array", "null"],
      items: {
        type: "object",
        required: ["price_net", "period"],
        properties: { price_net: { type: "number" }, period: { type: "string" } },
      },
    },
  },
});

const readCluster = (wire: WireCluster): Cluster => ({
  id: wire.service_uuid,
  name: wire.cluster_name,
  state: clusterState(wire.status ?? ""),
  kubernetesVersion: wire.version ?? "",
  cidr: wire.network_cidr ?? null,
  location: wire.location ?? null,
  endpoint: wire.endpoint ?? null,
  labels: wire[LABELS.cluster] ?? {},
});

type ClusterCalls = Pick<
  ElementoApi,
  "canCreateCluster" | "createCluster" | "listClusters" | "findCluster" | "deleteCluster" | "readKubeconfig"
>;

export function clusterCalls(call: Caller, { account, clusterForm }: ClientOptions): ClusterCalls {
  const { clientUuid } = account;
  const client = clientUuid === undefined ? {} : { client_uuid: clientUuid };
  const reading = { service: "clusters", method: "GET", headers: client, repeatable: true } as const;
  const writing = { service: "clusters", method: "POST" } as const;
  return {
    canCreateCluster: async (request) =>
      call<ClusterQuote>({
        ...writing,
        operation: "canCreateCluster",
        path: "/cancreate",
        headers: placeHeaders(request.place),
        body: { ...clusterRequest(request, clusterForm), ...client },
        repeatable: true,
        read: (answer) => {
          const { cancreate, billing, provider = null } = readAnswer(answer, checkQuote);
          const prices = (billing ?? []).map(({ period, price_net: amount }) => ({ period, amount }));
          return { canCreate: cancreate, provider, prices };
        },
      }),
    createCluster: async (request) =>
      call({
        ...writing,
        operation: "createCluster",
        path: "/create",
        headers: placeHeaders(request.place),
        body: { ...clusterRequest(request, clusterForm), ...client },
        repeatable: false,
        read: (answer) => ({ id: readAnswer(answer, checkCreated).metadata.service_uuid }),
      }),
    listClusters: () =>
      call({
        ...reading,
        operation: "listClusters",
        path: "/running",
        read: (answer) => readList(answer, checkClusters).map(readCluster),
      }),
    findCluster: (id) =>
      call<Cluster | null>({
        ...reading,
        operation: "findCluster",
        path: `/running/${encodeURIComponent(id)}`,
        read: (answer) => readCluster(readAnswer(answer, checkCluster)),
        instead: { ELEMENTO_NOT_FOUND: null },
      }),
    deleteCluster: (id) =>
      call<undefined>({
        ...writing,
        method: "DELETE",
        operation: "deleteCluster",
        path: "/delete",
        body: { id, ...client },
        repeatable: true,
        read: () => undefined,
        instead: { ELEMENTO_NOT_FOUND: undefined },
      }),
    readKubeconfig: (id) =>
      call<string | null>({
        ...reading,
        operation: "readKubeconfig",
        path: `/credentials/${encodeURIComponent(id)}`,
        secret: true,
        read: ({ text }) => cleanKubeconfig(text),
        // Elemento's answers while they do not exist yet.
        instead: { ELEMENTO_REFUSED: null, ELEMENTO_TOO_EARLY: null },
      }),
  };
}
