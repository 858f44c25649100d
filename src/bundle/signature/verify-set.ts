import { DATA_BYTES } from "../../model/bundle-format/data-bytes.ts";
import type { OtherKind } from "../../model/bundle-format/other-bundle.ts";
import type { Trust } from "./trust.ts";
import { verifyFiles } from "./verify-files.ts";

interface Signed {
  bytes: Uint8Array;
  ref: string;
  trust: Trust;
  signed: boolean;
}

interface SignedOther extends Signed {
  expected: { name: string; kind: OtherKind } | null;
}

/**
 * Verifies the files of all bundles that decide together, each other one under its name: `during` says whose bundle is at work. Returns the signers of
 * the platform's. Throws as `verifyFiles`.
 */
export function verifySet(
  platform: Signed,
  others: readonly SignedOther[],
  during: (name: string, work: () => unknown) => unknown,
): string[] {
  const signers = verifyFiles(platform, platform.trust);
  for (const other of others) {
    const { name, kind } = other.expected ?? { name: "", kind: "data" };
    during(name, () => verifyFiles(other, other.trust, DATA_BYTES[kind]));
  }
  return signers;
}
