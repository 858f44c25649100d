import { LandfallError } from "../errors.ts";
import type { Highest, VersionRecord } from "../model/bundle-format/highest-version.ts";
import type { BundleStore } from "./bundle-store.ts";

type Problem = (thrown: unknown) => void;

const higherOf = (one: Highest | null, other: Highest | null): Highest | null =>
  one === null || (other !== null && other.version > one.version) ? other : one;

const problemOf = (ref: string, detail: string): LandfallError => new LandfallError("BUNDLE_RECORD", { ref, detail });

/**
 * A store whose highest versions are also in a record outside of this machine, since a replaced Pod has lost its disk. While the record
 * cannot be read, the version that this process knows counts; without one, `readHighest` throws BUNDLE_RECORD. A record that is lower
 * than this version is raised again. `onProblem` gets what is wrong with the record.
 */
export function recordedStore(store: BundleStore, record: VersionRecord, onProblem: Problem): BundleStore {
  /** The record's content, by reference. */
  const seen = new Map<string, Highest>();

  async function restore(ref: string, kept: Highest, recorded: Highest | null): Promise<void> {
    if (recorded !== null || seen.has(ref))
      onProblem(problemOf(ref, `it was lowered or deleted; version ${String(kept.version)} is recorded again`));
    await record.raise(ref, kept);
    seen.set(ref, kept);
  }

  return {
    ...store,
    async readHighest(ref) {
      const kept = higherOf(await store.readHighest(ref), seen.get(ref) ?? null);
      try {
        const recorded = await record.read(ref);
        if (kept !== null && kept.version > (recorded?.version ?? -1)) await restore(ref, kept, recorded);
        else if (recorded !== null) seen.set(ref, recorded);
        return higherOf(kept, recorded);
      } catch (thrown) {
        if (kept === null) throw thrown;
        onProblem(thrown);
        return kept;
      }
    },
    async keepHighest(ref, highest) {
      await Promise.all([store.keepHighest(ref, highest), record.raise(ref, highest)]);
      seen.set(ref, highest);
    },
  };
}
