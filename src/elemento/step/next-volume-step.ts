import type { Volume } from "../api/types.ts";
import { FINALIZER } from "../kinds.ts";
import { isOwnName, sharedName } from "../own-name.ts";
import type { ElementoCatalog } from "../read-elemento-catalog.ts";
import { regionWord } from "../read-elemento-catalog.ts";
import type { Attempts, ElementoObject, VolumeSpec } from "../types.ts";
import { checkTarget } from "./check-target.ts";
import { attemptKey, openAttempts } from "./pending.ts";
import type { Moment } from "./pending.ts";
import { removeThings } from "./remove-things.ts";
import type { Create, Decision, Step } from "./step.ts";
import { info, wait, warning } from "./step.ts";

export interface VolumeWorld extends Moment {
  readonly volumes: readonly Volume[];
  readonly catalog: ElementoCatalog;
}

function createOf({ spec, metadata }: ElementoObject<VolumeSpec>, catalog: ElementoCatalog): Create {
  const { sizeGB, bootable, readonly, shareable } = spec;
  const common = {
    name: sharedName(spec.name, metadata),
    place: { provider: spec.provider, region: regionWord(catalog, spec.provider, spec.region) },
    sizeGB,
    private: spec.private,
  };
  if (spec.type === "data") return { what: "volume", request: { ...common, bootable, readonly, shareable } };
  return { what: "image", request: { ...common, imageUrl: spec.imageUrl ?? catalog.images[spec.image ?? ""] ?? "" } };
}

function seenOf({ spec }: ElementoObject<VolumeSpec>, volume: Volume | undefined): Record<string, unknown> {
  if (volume === undefined) return {};
  const { provider, region } = spec;
  const placement = { provider, ...(region === undefined ? {} : { region }) };
  return { id: volume.id, state: volume.state, placement, attachedTo: volume.vmIds };
}

/** Decides the next step for a volume, given the object and Elemento's lists. Pure. */
export function nextVolumeStep(object: ElementoObject<VolumeSpec>, world: VolumeWorld): Decision {
  const { metadata, status } = object;
  const rank = ({ id, vmIds }: Volume): number => (id === status?.id ? 0 : vmIds.length > 0 ? 1 : 2);
  const own = world.volumes
    .filter(({ name }) => isOwnName(name, metadata.uid ?? ""))
    .sort((one, other) => rank(one) - rank(other) || one.id.localeCompare(other.id));
  const attempts = openAttempts(
    status?.attempts ?? {},
    own.map(({ name }) => attemptKey("volume", name)),
    world,
  );
  return { step: stepOf(object, world, { own, attempts }), seen: seenOf(object, own[0]), attempts };
}

function stepOf(
  object: ElementoObject<VolumeSpec>,
  { catalog }: VolumeWorld,
  { own, attempts }: { own: readonly Volume[]; attempts: Attempts },
): Step {
  const { metadata, spec } = object;
  const claimed = metadata.finalizers?.includes(FINALIZER) ?? false;
  if (metadata.deletionTimestamp !== undefined) {
    if (!claimed) return { do: "nothing" };
    const all = own.map(({ id, state }) => ({ what: "volume" as const, id, going: state === "deleting" }));
    return removeThings({ retain: spec.deletionPolicy === "retain", attempts, stages: [all] });
  }
  if (!claimed) return { do: "claim" };
  const image = spec.imageUrl === undefined ? spec.image : undefined;
  const wrong = checkTarget(catalog, { provider: spec.provider, service: "vm", image });
  if (wrong) return { do: "refuse", say: wrong };
  const [volume] = own;
  if (volume !== undefined) return keep(own, volume, spec.sizeGB);
  const thing = createOf(object, catalog);
  if (attempts[attemptKey("volume", thing.request.name)] !== undefined)
    return wait(info("Creating", "waits for the volume to be listed"));
  return { do: "create", things: [thing], say: info("Creating", "the volume is being created") };
}

function keep(own: readonly Volume[], volume: Volume, wantedGB: number): Step {
  const more = own.slice(1).filter(({ state }) => state !== "deleting");
  if (more.length > 0) {
    const say = warning("RemovingDuplicates", "removes duplicates");
    return { do: "remove", things: more.map(({ id }) => ({ what: "volume", id })), say, duplicates: true };
  }
  const { id, state, sizeGB } = volume;
  if (state === "error") {
    return { do: "remove", things: [{ what: "volume", id }], say: warning("Repairing", "removes the broken volume") };
  }
  if (state !== "available") return wait(info("Creating", `the volume is ${state}`));
  const drift = sizeGB === wantedGB ? [] : [`it has ${String(sizeGB)} GB, not ${String(wantedGB)}`];
  return { do: "rest", reason: "Available", message: "the volume exists", drift, lookAgainMs: null };
}
