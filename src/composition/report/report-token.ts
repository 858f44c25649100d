import { createHmac, timingSafeEqual } from "node:crypto";
import type { KeyRing, SigningKey } from "../../model/decision-annotation/key-ring.ts";

/** The machine of an object that a token is for, in the record of its run. */
export interface TokenSubject {
  uid: string;
  /** Value of `landfall.dev/run`; empty without it. */
  run: string;
  /** The name of the machine in its tokens; that of the run in records of earlier versions. */
  reporter?: string;
}

const macOf = ({ key }: SigningKey, { uid, run, reporter = run }: TokenSubject): Buffer =>
  createHmac("sha256", key)
    .update(JSON.stringify(["landfall run report 1", uid, reporter]))
    .digest();

/** The token with which the machine of this run may report its completion, and that of a later run on it: user data is read only once. */
export const reportToken = ([newest]: KeyRing, subject: TokenSubject): string =>
  `${newest.id}.${macOf(newest, subject).toString("base64url")}`;

/** Whether a token is of the machine of this run, by any key that still verifies. */
export function isTokenOf(ring: KeyRing, subject: TokenSubject, token: string): boolean {
  const [id = "", text = ""] = token.split(".");
  const key = ring.find((one) => one.id === id);
  if (key === undefined) return false;
  const [expected, actual] = [macOf(key, subject), Buffer.from(text, "base64url")];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
