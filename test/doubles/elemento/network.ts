import { BlockList } from "node:net";
import { objectOf, textOf } from "./fields.ts";
import type { Asked, Route } from "./route.ts";
import { badField, Refusal, told } from "./refusal.ts";
import type { NetworkThing, World } from "./world.ts";

const PREFIX = "/api/v1.0/client/network";

function blockOf(cidr: string): { address: string; block: BlockList } {
  const [address = "", bits = ""] = cidr.split("/");
  const block = new BlockList();
  try {
    block.addSubnet(address, Number(bits));
  } catch {
    throw badField("ip.address", "WRONG_VALUE");
  }
  return { address, block };
}

/** Two networks overlap if one contains the other's first address. */
function overlap(one: string, other: string): boolean {
  const [first, second] = [blockOf(one), blockOf(other)];
  return first.block.check(second.address) || second.block.check(first.address);
}

function named(world: World, { body }: Asked): NetworkThing {
  const id = textOf(body, "network_uid");
  const network = world.networks.get(id);
  if (network === undefined || world.stateOf(network) === "gone") throw new Refusal(404, "NotFound", { trace: id });
  return network;
}

const networkOf = ({ id, name, cidr, request }: NetworkThing): Record<string, unknown> => ({
  ...request,
  network_uid: id,
  network_name: name,
  creator_uid: "landfall",
  device_name: `virbr-${id.slice(0, 4)}`,
  libvirt_network: name,
  ip: { ...objectOf(request, "ip"), address: cidr },
});

/** The network service's routes. */
export const network = (world: World): Route[] => [
  {
    method: "POST",
    path: `${PREFIX}/create`,
    handler: ({ body }) => {
      const name = textOf(body, "network_name");
      const cidr = textOf(objectOf(body, "ip"), "address");
      textOf(body, "serverurl");
      const alive = world.alive(world.networks);
      if (alive.length >= world.settings.quota.networks)
        throw new Refusal(403, "ResourceLimitExceeded", { trace: "networks" });
      // Private networks of one host must not overlap; two machines' own networks with the same range are common and
      // isolated.
      const inTheWay = alive.find((one) => one.request["private"] !== true && overlap(one.cidr, cidr));
      if (inTheWay !== undefined) throw new Refusal(409, "networks_overlap", { trace: inTheWay.name });
      const nowMs = world.nowMs();
      world.add("networks", world.networks, {
        id: world.uuid(),
        name,
        cidr,
        request: body,
        createdAt: nowMs,
        deleteAsked: false,
        timeline: [{ at: 0, state: "available" }],
      });
      return told(200);
    },
  },
  {
    method: "GET",
    path: `${PREFIX}/list`,
    handler: () => told(200, world.listed(world.networks).map(networkOf)),
  },
  {
    method: "POST",
    path: `${PREFIX}/info`,
    handler: (asked) => told(200, { network: networkOf(named(world, asked)) }),
  },
  {
    method: "DELETE",
    path: `${PREFIX}/delete`,
    handler: (asked) => {
      const thing = named(world, asked);
      if (world.alive(world.vms).some(({ networkIds }) => networkIds.includes(thing.id)))
        throw new Refusal(409, "conflict", { trace: "a machine is on it" });
      world.remove("networks", thing);
      return told(200);
    },
  },
];
