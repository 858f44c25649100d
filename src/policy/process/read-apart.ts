import { type ErrorCode, type ErrorParams, LandfallError } from "../../errors.ts";
import type { BundleDifference } from "../compare-bundles.ts";
import type { BundleDescription } from "../describe-bundle.ts";
import { type Environment, openProcess } from "./open-process.ts";

/** Of a bundle of this repository it takes less than a second, and most of that is the start of the process. */
const TIMEOUT_MS = 30_000;

interface Tarball {
  bytes: Uint8Array;
  ref: string;
}

/** The parts of bundles that are read. */
export type Read = { what: "description"; bundle: Tarball } | { what: "difference"; before: Tarball; after: Tarball };

export type ReadAnswer =
  | { type: "value"; value: BundleDescription | BundleDifference }
  | { type: "failed"; code: ErrorCode; params: ErrorParams };

interface Limits {
  /** The environment of this process; the new one gets little of it. */
  env: Environment;
  timeoutMs?: number;
}

/**
 * Reads bundles in a process of its own, with 256 MiB of heap and a limit of time (ms): no one may have verified them, and what they unpack and
 * parse to is theirs. Throws BUNDLE_…, and BUNDLE_UNREADABLE where that is too much.
 */
function readApart(read: Read, ref: string, { env, timeoutMs = TIMEOUT_MS }: Limits): Promise<ReadAnswer> {
  const unreadable = (detail: string): LandfallError => new LandfallError("BUNDLE_UNREADABLE", { ref, detail });
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      child.kill();
      finish();
    };
    const timer = setTimeout(() => {
      settle(() => {
        reject(unreadable(`it was not read within ${timeoutMs} ms`));
      });
    }, timeoutMs);
    const child = openProcess<ReadAnswer>(read, {
      ...{ entry: new URL("read-process.ts", import.meta.url), env },
      onMessages: ([answer]) => {
        if (answer === undefined) return;
        settle(() => {
          if (answer.type === "value") resolve(answer);
          else reject(new LandfallError(answer.code, answer.params));
        });
      },
      onEnd: ({ detail, ofMemory }) => {
        clearTimeout(timer);
        reject(
          unreadable(ofMemory ? "reading it takes more than 256 MiB of heap, or 512 MiB of memory in all" : detail),
        );
      },
    });
  });
}

/** The content of a bundle's tarball. Throws as `readApart`. */
export async function describeApart(bundle: Tarball, limits: Limits): Promise<BundleDescription> {
  const answer = await readApart({ what: "description", bundle }, bundle.ref, limits);
  return (answer as { value: BundleDescription }).value;
}

/** The changes from one bundle to another. Throws as `readApart`. */
export async function compareApart(before: Tarball, after: Tarball, limits: Limits): Promise<BundleDifference> {
  const answer = await readApart({ what: "difference", before, after }, `${before.ref}, ${after.ref}`, limits);
  return (answer as { value: BundleDifference }).value;
}
