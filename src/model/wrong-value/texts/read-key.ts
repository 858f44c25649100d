import { keyTypeOf } from "../../formats/ssh-key.ts";
import { accepts, type Reading, type SchemaNode, surely } from "../schema-node.ts";

export const KEY_LINE = "write the one line of your .pub file";

/** The beginnings of the line of a public key. */
const KEY_TYPE = /^\s*(?:ssh|ecdsa|sk)-\S+\s/;

/** A path in the words of Terraform: `file("~/.ssh/id_rsa.pub")`. */
const OF_FILE = /^(?:path)?(?:file|expand)\(["']([^"']{1,200})["']\)$/;

/** The beginning of a line of `.pub`, perhaps after a user's name, and a path to such a file. */
const LIKE_KEY = /(?:^|:|\s)(?:ssh|ecdsa|sk)-[\w@.-]{1,80}\s|\.pub\b/;

/** Whether a text in another tool's map stands for a public key, also for one that is not whole. */
export const isLikeKey = (text: string): boolean => LIKE_KEY.test(text);

/** The text of something else that stands in place of a public key; null for other texts. */
function readOther(given: string): Reading | null {
  const text = OF_FILE.exec(given)?.[1] ?? given;
  if (text.includes("PRIVATE KEY"))
    return {
      problem: "is a private key, which belongs in no object",
      advice: `${KEY_LINE}, and replace the key: others may have seen it`,
    };
  if (/^(~|\.|\/|\$HOME|[A-Za-z]:\\|file:)|\.pub$/.test(text))
    return {
      problem: "is a path",
      advice: `${KEY_LINE}: the output of cat ${text.endsWith(".pub") ? text : `${text}.pub`}`,
    };
  if (/^(?:SHA256:|MD5:|(?:[0-9a-f]{2}:){15})/.test(text)) return { problem: "is the fingerprint of a key" };
  return null;
}

/** A key of a known type whose text is not that of a key. */
function readPart(text: string): Reading | null {
  const [type = "", key = ""] = text.trim().split(/\s+/);
  if (!KEY_TYPE.test(`${type} `)) return null;
  if (key === "") return { problem: `has no key after ${type}` };
  const [foreign] = /[^A-Za-z0-9+/=]+/.exec(key) ?? [];
  const fault =
    foreign === undefined ? "is not a whole key" : `has ${JSON.stringify(foreign)} in its key, which no whole key has`;
  return { problem: foreign === undefined ? `${fault} after ${type}` : fault };
}

/** `me:ssh-ed25519 AAAA…` of Google Cloud's metadata. */
const OF_USER = /^\s*[a-z_][\w.-]{0,31}:(?=(?:ssh|ecdsa)-)/;

/** How a text that is not the line of a `.pub` file can be understood. */
export function readKey(node: SchemaNode, text: string): Reading | null {
  const other = readOther(text);
  if (other !== null) return other;
  if (text.split("\n").filter((line) => KEY_TYPE.test(line)).length > 1)
    return { problem: "has several keys", advice: "write one; others can be added in userData" };
  const joined = text
    .split("\n")
    .map((line) => line.trim())
    .join("");
  if (accepts(node, joined)) return surely(joined, "has a line break");
  if (/^ssh-dss|^sk-/.test(text)) return { problem: "is a key of another type" };
  const own = joined.replace(OF_USER, "");
  if (own !== joined && accepts(node, own)) return surely(own, "begins with the name of a user");
  const type = keyTypeOf(joined);
  const typed = `${type ?? ""} ${joined}`;
  if (type !== null && accepts(node, typed)) return surely(typed, "does not begin with its type");
  return readPart(own);
}
