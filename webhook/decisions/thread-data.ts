import { createPublicKey } from "node:crypto";
import type { Trust } from "../../src/bundle/signature/trust.ts";
import type { ThreadData } from "./messages.ts";

/** The signers of files as a message: a key is PEM. Identities sign images only, which were verified before. */
interface PackedTrust {
  mode: Trust["mode"];
  keys: string[];
  channel: string | null;
}

/** `ThreadData` as a message between processes. */
export interface PackedData extends Omit<ThreadData, "trust" | "others"> {
  trust: PackedTrust;
  others: (Omit<ThreadData["others"][number], "trust"> & { trust: PackedTrust })[];
}

const packedTrust = ({ mode, keys, channel }: Trust): PackedTrust => ({
  mode,
  keys: keys.map((key) => String(key.export({ type: "spki", format: "pem" }))),
  channel: channel ?? null,
});

const unpackedTrust = ({ mode, keys, channel }: PackedTrust): Trust => ({
  ...{ mode, keys: keys.map((pem) => createPublicKey(pem)), identities: [], root: null },
  ...(channel === null ? {} : { channel }),
});

/** What a process that decides is started with, as a message. */
export const packed = (data: ThreadData): PackedData => ({
  ...data,
  trust: packedTrust(data.trust),
  others: data.others.map((other) => ({ ...other, trust: packedTrust(other.trust) })),
});

/** What `packed` made a message of. */
export const unpacked = (data: PackedData): ThreadData => ({
  ...data,
  trust: unpackedTrust(data.trust),
  others: data.others.map((other) => ({ ...other, trust: unpackedTrust(other.trust) })),
});
