import type { BundleStore } from "../bundle-store.ts";
import { openSource } from "../open-source.ts";
import type { OtherSettings } from "../read-settings.ts";
import type { RegistryOptions } from "../registry/registry-options.ts";
import type { OtherOptions } from "./bundle-set.ts";

/** For a process that asks the registry at every start, and stores nothing. */
export const NO_STORE: BundleStore = {
  read: () => Promise.resolve(null),
  keep: () => Promise.resolve(),
  readHighest: () => Promise.resolve(null),
  keepHighest: () => Promise.resolve(),
};

/** The additional bundles, each with its source and with the store of its name. Throws BUNDLE_REFERENCE. */
export const openOthers = (
  settings: readonly OtherSettings[],
  registry: RegistryOptions,
  storeOf: (name: string) => BundleStore,
): Promise<OtherOptions[]> =>
  Promise.all(
    settings.map(async ({ trust, ref, ...rest }) => ({
      ...rest,
      source: await openSource(ref, registry, trust),
      store: storeOf(rest.name),
    })),
  );
