import { ROTATE_CA } from "../../../src/model/names.ts";
import { fingerprintsIn } from "../../../webhook/certificates/authorities.ts";
import { openReplicas, type Replicas, SECRET } from "./replicas.ts";

/** Rounds after which a rotation of three replicas has ended. */
export const ENOUGH = 40;

/** Asks for a new CA, as `landfall certificates rotate` does. */
export function ask(world: Replicas, reason = "test"): void {
  const secret = world.objects.get(SECRET);
  if (secret === undefined) throw new TypeError("there is no Secret");
  const annotations = { ...secret.metadata.annotations, [ROTATE_CA]: reason };
  world.store(SECRET, { ...secret, metadata: { ...secret.metadata, annotations } });
}

/** Three replicas that run. */
export async function startThree(): Promise<Replicas> {
  const world = openReplicas();
  for (const name of ["a", "b", "c"]) await world.start(name);
  await world.round();
  return world;
}

/** Rounds until no CA is replaced and the configurations name one. */
export async function untilDone(world: Replicas): Promise<void> {
  for (let rounds = 0; rounds < ENOUGH; rounds += 1) {
    await world.round();
    const sizes = [world.bundle(0), world.bundle(1)].map((pem) => fingerprintsIn(pem).length);
    if (world.rotation() === "none" && sizes.every((size) => size === 1) && rounds > 2) return;
  }
  throw new TypeError(`the rotation did not end: ${world.rotation()}`);
}
