import { isObject } from "../json.ts";
import type { UnknownField } from "./other-map.ts";
import { leavesOf } from "./read/read-foreign.ts";
import { readValue } from "./read/read-value.ts";
import { folded } from "./read/read-within.ts";
import type { SchemaNode } from "./schema-node.ts";
import { isLikeKey, KEY_LINE } from "./texts/read-key.ts";

/** A key of a machine in another tool's map that cannot be taken over as it is. */
export interface LostKey {
  /** `is not a whole key after ssh-rsa` */
  problem: string;
  /** `write sshPublicKey with the one line of your .pub file` */
  correction: string;
}

const NAME = "sshPublicKey";

/** The name of the field of a key; a text below it is meant as one, whatever it is. */
const isOfKey = ({ "x-aliases": others = [] }: SchemaNode, name: string): boolean =>
  [NAME, ...others].some((one) => folded(one) === folded(name));

/** The texts that stand for a key. */
function textsIn(child: SchemaNode, { name, value }: Pick<UnknownField, "name" | "value">): string[] {
  const entries = isObject(value) ? Object.entries(value) : [];
  const named = entries.filter(([key]) => isOfKey(child, key)).flatMap(([, one]) => leavesOf(one));
  const all = leavesOf(value).filter((one) => typeof one === "string");
  const own = typeof value === "object" && isOfKey(child, name) && entries.length < 2 ? all : [];
  const like = all.filter(isLikeKey);
  return [...like, ...named.filter((one) => typeof one === "string"), ...own];
}

/** The key in another tool's map that is not whole or a path: without it no user could log in. Null where there is none, where it is whole, and where the object has one. */
export function lostKey({ properties = {} }: SchemaNode, field: UnknownField): LostKey | null {
  const { [NAME]: child } = properties;
  if (child === undefined || field.siblings[NAME] !== undefined || typeof field.value !== "object") return null;
  const read = textsIn(child, field).map((text) => readValue(child, text));
  if (read.length === 0 || read.some((one) => one?.value !== undefined)) return null;
  const { problem = "is not a public key", advice } = read.find((one) => one?.problem !== undefined) ?? {};
  return { problem, correction: keyCorrection(advice) };
}

/** `write sshPublicKey with the one line of your .pub file: the output of cat …`. */
export const keyCorrection = (advice = KEY_LINE): string =>
  advice.startsWith(KEY_LINE)
    ? advice.replace("write ", `write ${NAME} with `)
    : `${KEY_LINE.replace("write ", `write ${NAME} with `)}; ${advice}`;
