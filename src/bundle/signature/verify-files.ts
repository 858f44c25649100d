import { LandfallError } from "../../errors.ts";
import { releaseIn } from "../../model/bundle-format/bundle-release.ts";
import { DATA_BYTES, MANIFEST_BYTES } from "../../model/bundle-format/data-bytes.ts";
import { unpackBundle } from "../../model/bundle-format/unpack-bundle.ts";
import { checkBundleFiles } from "./check-bundle-files.ts";
import { isStructured, SIGNATURES_FILE } from "./sign-bundle-files.ts";
import type { Trust } from "./trust.ts";

const MANIFEST = ".manifest";

type Files = ReadonlyMap<string, Buffer>;

/** A tarball. */
interface Packed {
  bytes: Uint8Array;
  ref: string;
  /** Whether its image has a valid signature. */
  signed: boolean;
}

/**
 * Who signed the files of a tarball by opa's `.signatures.json`; empty where the mode lets an unsigned one pass. An image
 * is vouched for by its own signature (`signed`), but a `.signatures.json` that is there has to be good all the same. `most`: bytes of
 * data, which is parsed. Throws BUNDLE_UNSIGNED, BUNDLE_SIGNATURE, BUNDLE_TAMPERED where files are not as they were signed,
 * BUNDLE_LIMIT, BUNDLE_UNREADABLE, BUNDLE_UNSAFE, BUNDLE_CHANNEL for a bundle of another channel than that of `trust`.
 */
export function verifyFiles({ bytes, ref, signed }: Packed, trust: Trust, most = DATA_BYTES.platform): string[] {
  if (trust.mode === "off") return [];
  const files = unpackBundle(bytes, ref);
  if (files.has(SIGNATURES_FILE)) checkSize(files, ref, isStructured, most + MANIFEST_BYTES);
  const signers = signersOf(files, ref, { trust, signed });
  checkChannel(files, ref, trust);
  return signers;
}

/**
 * The same for a process that must not parse a bundle's data: of an image with a signature, only the channel; otherwise the names of all files, and
 * all but the data, which the process that loads the bundle verifies. Throws as `verifyFiles`.
 */
export function verifyOutside({ bytes, ref, signed }: Packed, trust: Trust): void {
  // Unpacking takes a tenth of a second and more.
  if (trust.mode === "off" || (signed && trust.channel === undefined)) return;
  const isManifest = (name: string): boolean => name === MANIFEST;
  const files = unpackBundle(bytes, ref);
  if (!signed) {
    checkSize(files, ref, isManifest, MANIFEST_BYTES);
    signersOf(files, ref, { trust, signed, isChecked: (name) => isManifest(name) || !isStructured(name) });
  }
  checkChannel(files, ref, trust);
}

/** Refuses a file that is parsed and is larger than `most`. */
function checkSize(files: Files, ref: string, isParsed: (name: string) => boolean, most: number): void {
  const parsed = [...files].filter(([name]) => isParsed(name));
  const actual = parsed.reduce((sum, [, body]) => sum + body.length, 0);
  if (actual <= most) return;
  const names = parsed.map(([name]) => name);
  const what = names.length === 1 ? `${String(names[0])} has` : `its ${String(names.length)} data files have`;
  const detail = `${what} ${String(actual)} bytes; at most ${String(most)} are allowed`;
  throw new LandfallError("BUNDLE_LIMIT", { ref, detail });
}

/** A signature says whose bundle it is, and not for which reference: one for dev can be served as that for prod. */
function checkChannel(files: Files, ref: string, { channel: wanted }: Trust): void {
  if (wanted === undefined) return;
  const { channel } = releaseIn(files, ref);
  if (channel !== null && channel !== wanted) throw new LandfallError("BUNDLE_CHANNEL", { ref, channel, wanted });
}

interface About {
  trust: Trust;
  signed: boolean;
  isChecked?: (name: string) => boolean;
}

function signersOf(files: Files, ref: string, { trust, signed, isChecked }: About): string[] {
  const checked = checkBundleFiles(files, trust.keys, isChecked);
  if (checked === null && !signed && trust.mode === "required") throw new LandfallError("BUNDLE_UNSIGNED", { ref });
  if (checked === null) return [];
  if ("signer" in checked) return [checked.signer];
  const code = checked.reason.startsWith("none of") ? "BUNDLE_SIGNATURE" : "BUNDLE_TAMPERED";
  throw new LandfallError(code, { ref, detail: checked.reason });
}
