import type { Lane } from "../../cluster/queue/lanes.ts";
import type { Resource } from "../types.ts";

/** The reason for a reconcile: each lane has workers of its own, so that none waits for the work of another. */
export type LaneName = "status" | "install" | "delete";

/**
 * Concurrent reconciles of all objects, and of those of one namespace: slow ones do not hold up other namespaces. Most of them wait for
 * helm or for the API server.
 */
export const LANES: Readonly<Record<LaneName, Lane>> = {
  status: { workers: 16, ofGroup: 8 },
  install: { workers: 32, ofGroup: 16 },
  delete: { workers: 32, ofGroup: 16 },
};

/** Chooses the lanes of compositions. What is installed needs helm rarely, so that it begins in the lane that never waits for helm. */
export class Lanes {
  readonly #needHelm = new Set<string>();
  readonly #isInstalled: (uid: string) => boolean;

  /** `isInstalled`: whether this process knows the release of the object with this uid. */
  constructor(isInstalled: (uid: string) => boolean) {
    this.#isInstalled = isInstalled;
  }

  /** The lane of the composition with this key; `object` is null if it is gone. */
  of(key: string, object: Resource | null): LaneName {
    if (object === null || object.metadata.deletionTimestamp !== undefined) return "delete";
    return this.#isInstalled(object.metadata.uid ?? "") && !this.#needHelm.has(key) ? "status" : "install";
  }

  /** Whether helm is not to be called now, since the composition is in the lane of status: the next reconcile may, until one succeeds. */
  leaveToHelm(composition: { key: string; object: Resource }): boolean {
    if (this.of(composition.key, composition.object) !== "status") return false;
    this.#needHelm.add(composition.key);
    return true;
  }

  /** Its release is as it should be, or it is gone. */
  settle(key: string): void {
    this.#needHelm.delete(key);
  }
}
