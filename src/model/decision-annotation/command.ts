import { createHmac, timingSafeEqual } from "node:crypto";
import { ANOTHER_SIZE, type Command, COMMANDS } from "../names.ts";
import type { KeyRing } from "./key-ring.ts";

/** The machine that is asked to get another size: the uid of its object, and the type of which its provider has none. */
export interface SoldOut {
  uid: string;
  instanceType: string;
}

/** A request is followed this long after it was signed, in seconds: clocks may differ. */
const FOLLOWED_SECONDS = 300;

const SIGNED = /^another-size\.v1\.([0-9a-f]{8})\.(\d{1,12})\.([\w-]{43})$/;

const macOf = (key: KeyRing[0]["key"], { uid, instanceType }: SoldOut, at: number): Buffer =>
  createHmac("sha256", key)
    .update(JSON.stringify(["landfall another size 1", at, uid, instanceType]))
    .digest();

/** Value of `landfall.dev/reevaluate`: a process with the keys saw that the provider has no machine of this type. */
export function askedSize([{ id, key }]: KeyRing, machine: SoldOut, nowSeconds: number): string {
  const mac = macOf(key, machine, nowSeconds).toString("base64url");
  return [ANOTHER_SIZE, "v1", id, String(nowSeconds), mac].join(".");
}

/** Whether a process with the keys asked, a short time ago, for another size of this machine. */
export function isSizeAsked(ring: KeyRing, wish: string, machine: SoldOut, nowSeconds: number): boolean {
  const [, keyId, at = "0", mac = ""] = SIGNED.exec(wish) ?? [];
  const found = ring.find(({ id }) => id === keyId);
  if (found === undefined || machine.uid === "" || Math.abs(nowSeconds - Number(at)) > FOLLOWED_SECONDS) return false;
  const [expected, actual] = [macOf(found.key, machine, Number(at)), Buffer.from(mac, "base64url")];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** The command that a value of `landfall.dev/reevaluate` is; null for another value. */
export const commandOf = (wish: string | null | undefined): Command | null =>
  SIGNED.test(wish ?? "") ? ANOTHER_SIZE : (COMMANDS.find((command) => command === wish) ?? null);
