import { createHmac, timingSafeEqual } from "node:crypto";
import { ANOTHER_SIZE, ANOTHER_ZONE, type Command, COMMANDS } from "../names.ts";
import type { KeyRing } from "./key-ring.ts";

/** Commands that only a process with the keys gives. */
export type SignedCommand = typeof ANOTHER_SIZE | typeof ANOTHER_ZONE;

/** The object of the machine, by its uid, and the type or the zone of which its provider has none. */
export interface SoldOut {
  uid: string;
  lacks: string;
}

/** A request is followed this long after it was signed, in seconds: clocks may differ. */
const FOLLOWED_SECONDS = 300;

const SIGNED = /^(another-size|another-zone)\.v1\.([0-9a-f]{8})\.(\d{1,12})\.([\w-]{43})$/;

const SUBJECT: Readonly<Record<SignedCommand, string>> = {
  [ANOTHER_SIZE]: "landfall another size 1",
  [ANOTHER_ZONE]: "landfall another zone 1",
};

const macOf = (key: KeyRing[0]["key"], command: SignedCommand, { uid, lacks }: SoldOut, at: number): Buffer =>
  createHmac("sha256", key)
    .update(JSON.stringify([SUBJECT[command], at, uid, lacks]))
    .digest();

/** Value of `landfall.dev/reevaluate`: a process with the keys saw that the provider has no machine of this type, or in this zone. */
export function signCommand([{ id, key }]: KeyRing, command: SignedCommand, machine: SoldOut, now: number): string {
  const mac = macOf(key, command, machine, now).toString("base64url");
  return [command, "v1", id, String(now), mac].join(".");
}

/** Whether a process with the keys gave this command about the machine a short time ago: its own is the value `wish`. */
export function isSignedFor(
  ring: KeyRing,
  wish: string,
  machine: SoldOut & { command: SignedCommand },
  nowSeconds: number,
): boolean {
  const [, command, keyId, at = "0", mac = ""] = SIGNED.exec(wish) ?? [];
  const found = ring.find(({ id }) => id === keyId);
  const isLate = Math.abs(nowSeconds - Number(at)) > FOLLOWED_SECONDS;
  if (found === undefined || command !== machine.command || machine.uid === "" || isLate) return false;
  const expected = macOf(found.key, machine.command, machine, Number(at));
  const actual = Buffer.from(mac, "base64url");
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** The command that a value of `landfall.dev/reevaluate` is; null for another value. */
export function commandOf(wish: string | null | undefined): Command | null {
  const word = SIGNED.exec(wish ?? "")?.[1] ?? wish;
  return COMMANDS.find((command) => command === word) ?? null;
}
