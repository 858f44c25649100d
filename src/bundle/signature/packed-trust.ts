import { createPublicKey } from "node:crypto";
import type { Trust } from "./trust.ts";

/** The signers of files as a message: a key is PEM. Identities sign images only, which were verified before. */
interface PackedTrust {
  mode: Trust["mode"];
  keys: string[];
  channel: string | null;
}

/** The trust that a process that runs bundles gets at its start: it verifies their files. */
interface Trusting {
  trust: Trust;
  others: readonly { trust: Trust }[];
}

/** The same as a message between processes. */
export type Packed<Data extends Trusting> = Omit<Data, "trust" | "others"> & {
  trust: PackedTrust;
  others: (Omit<Data["others"][number], "trust"> & { trust: PackedTrust })[];
};

const packedTrust = ({ mode, keys, channel }: Trust): PackedTrust => ({
  mode,
  keys: keys.map((key) => String(key.export({ type: "spki", format: "pem" }))),
  channel: channel ?? null,
});

const unpackedTrust = ({ mode, keys, channel }: PackedTrust): Trust => ({
  ...{ mode, keys: keys.map((pem) => createPublicKey(pem)), identities: [], root: null },
  ...(channel === null ? {} : { channel }),
});

/** The same as a message. */
export const packed = <Data extends Trusting>(data: Data): Packed<Data> =>
  ({
    ...data,
    trust: packedTrust(data.trust),
    others: data.others.map((other) => ({ ...other, trust: packedTrust(other.trust) })),
  }) as unknown as Packed<Data>;

/** The reverse of `packed`. */
export const unpacked = <Data extends Trusting>(data: Packed<Data>): Data =>
  ({
    ...data,
    trust: unpackedTrust(data.trust),
    others: data.others.map((other) => ({ ...other, trust: unpackedTrust(other.trust) })),
  }) as unknown as Data;
