import type { Network, NetworkRequest } from "../api/types.ts";
import { FINALIZER } from "../kinds.ts";
import { isOwnName, sharedName } from "../own-name.ts";
import type { ElementoCatalog } from "../read-elemento-catalog.ts";
import { regionWord } from "../read-elemento-catalog.ts";
import type { Attempts, ElementoObject, NetworkSpec } from "../types.ts";
import { checkTarget } from "./check-target.ts";
import { attemptKey, openAttempts } from "./pending.ts";
import type { Moment } from "./pending.ts";
import { removeThings } from "./remove-things.ts";
import type { Decision, Step } from "./step.ts";
import { info, wait, warning } from "./step.ts";

export interface NetworkWorld extends Moment {
  readonly networks: readonly Network[];
  readonly catalog: ElementoCatalog;
}

function dhcpOf({ dhcp }: NetworkSpec): NetworkRequest["dhcp"] {
  if (dhcp?.enabled === false) return null;
  const { start, end, hosts = [] } = dhcp ?? {};
  return start === undefined || end === undefined ? "all" : { start, end, hosts };
}

/** Decides the next step for a network, given the object and Elemento's lists. Pure. */
export function nextNetworkStep(object: ElementoObject<NetworkSpec>, world: NetworkWorld): Decision {
  const { metadata, status } = object;
  const rank = ({ id }: Network): number => (id === status?.id ? 0 : 1);
  const own = world.networks
    .filter(({ name }) => isOwnName(name, metadata.uid ?? ""))
    .sort((one, other) => rank(one) - rank(other) || one.id.localeCompare(other.id));
  const attempts = openAttempts(
    status?.attempts ?? {},
    own.map(({ name }) => attemptKey("network", name)),
    world,
  );
  const [network] = own;
  const { provider, region } = object.spec;
  const placement = { provider, ...(region === undefined ? {} : { region }) };
  const seen = network === undefined ? {} : { id: network.id, state: "available", placement };
  return { step: stepOf(object, world, { own, attempts }), seen, attempts };
}

interface Found {
  readonly own: readonly Network[];
  readonly attempts: Attempts;
}

function stepOf(object: ElementoObject<NetworkSpec>, { catalog }: NetworkWorld, found: Found): Step {
  const { metadata, spec } = object;
  const claimed = metadata.finalizers?.includes(FINALIZER) ?? false;
  if (metadata.deletionTimestamp !== undefined) {
    if (!claimed) return { do: "nothing" };
    const all = found.own.map(({ id }) => ({ what: "network" as const, id, going: false }));
    return removeThings({ retain: spec.deletionPolicy === "retain", attempts: found.attempts, stages: [all] });
  }
  if (!claimed) return { do: "claim" };
  const wrong = checkTarget(catalog, { provider: spec.provider, service: "vm" });
  if (wrong) return { do: "refuse", say: wrong };
  return keep(spec, found.own) ?? build(object, catalog, found.attempts);
}

/** With a network: deletes duplicates, then does nothing. */
function keep({ cidr }: NetworkSpec, [network, ...more]: readonly Network[]): Step | null {
  if (network === undefined) return null;
  if (more.length > 0) {
    const say = warning("RemovingDuplicates", "removes duplicates");
    return { do: "remove", things: more.map(({ id }) => ({ what: "network", id })), say, duplicates: true };
  }
  const drift = network.cidr === cidr ? [] : [`it has ${network.cidr}, not ${cidr}`];
  return { do: "rest", reason: "Available", message: "the network exists", drift, lookAgainMs: null };
}

function build({ spec, metadata }: ElementoObject<NetworkSpec>, catalog: ElementoCatalog, attempts: Attempts): Step {
  const name = sharedName(spec.name, metadata);
  if (attempts[attemptKey("network", name)] !== undefined)
    return wait(info("Creating", "waits for the network to be listed"));
  const place = { provider: spec.provider, region: regionWord(catalog, spec.provider, spec.region) };
  const { cidr, routes = [] } = spec;
  const request = { name, place, cidr, routes, dhcp: dhcpOf(spec), private: spec.private };
  return {
    do: "create",
    things: [{ what: "network", request }],
    say: info("Creating", "the network is being created"),
  };
}
