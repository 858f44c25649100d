import { addressRange } from "./address-range.ts";
import type { Caller } from "./transport/call.ts";
import { placeHeaders } from "./compute-calls.ts";
import type { ElementoApi } from "./elemento-api.ts";
import { placeFields } from "./inferred.ts";
import { compileSchema } from "../../model/schemas/compile-schema.ts";
import { readAnswer, readList } from "./transport/read-answer.ts";
import type { Network, NetworkRequest } from "./types.ts";

interface WireNetwork {
  network_uid: string;
  network_name: string;
  ip: { address: string };
}

const WIRE_NETWORK = {
  type: "object",
  required: ["network_uid", "network_name", "ip"],
  properties: {
    network_uid: { type: "string", minLength: 1 },
    network_name: { type: "string" },
    ip: { type: "object", required: ["address"], properties: { address: { type: "string" } } },
  },
} as const;

const checkNetworks = compileSchema<WireNetwork[]>({ type: "array", items: WIRE_NETWORK });
const checkNetwork = compileSchema<{ network: WireNetwork }>({
  type: "object",
  required: ["network"],
  properties: { network: WIRE_NETWORK },
});

const readNetwork = (wire: WireNetwork): Network => ({
  id: wire.network_uid,
  name: wire.network_name,
  cidr: wire.ip.address,
});

function rangeOf({ cidr, dhcp }: NetworkRequest): object | null {
  if (dhcp !== "all") return dhcp;
  const { first, last } = addressRange(cidr, "createNetwork");
  return { start: first, end: last };
}

const wireOf = (request: NetworkRequest): Record<string, unknown> => ({
  serverurl: placeFields.networkServer(request.place),
  network_name: request.name,
  type: "libvirt",
  mode: "nat",
  private: request.private,
  ip: { address: request.cidr, dhcp: rangeOf(request) },
  routes: request.routes,
});

const NETWORK = { service: "network", method: "POST" } as const;

type NetworkCalls = Pick<ElementoApi, "createNetwork" | "listNetworks" | "findNetwork" | "deleteNetwork">;

export const networkCalls = (call: Caller): NetworkCalls => ({
  createNetwork: async (request) =>
    call<undefined>({
      ...NETWORK,
      operation: "createNetwork",
      path: "/create",
      headers: placeHeaders(request.place),
      body: wireOf(request),
      repeatable: false,
      read: () => undefined,
    }),
  listNetworks: () =>
    call({
      ...NETWORK,
      method: "GET",
      operation: "listNetworks",
      path: "/list",
      repeatable: true,
      read: (answer) => readList(answer, checkNetworks).map(readNetwork),
    }),
  findNetwork: (id) =>
    call<Network | null>({
      ...NETWORK,
      operation: "findNetwork",
      path: "/info",
      body: { network_uid: id },
      repeatable: true,
      read: (answer) => readNetwork(readAnswer(answer, checkNetwork).network),
      instead: { ELEMENTO_NOT_FOUND: null },
    }),
  deleteNetwork: (id) =>
    call<undefined>({
      ...NETWORK,
      method: "DELETE",
      operation: "deleteNetwork",
      path: "/delete",
      body: { network_uid: id },
      repeatable: true,
      read: () => undefined,
      instead: { ELEMENTO_NOT_FOUND: undefined },
    }),
});
