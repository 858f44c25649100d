import type { BundleSet } from "../bundle/follow/bundle-set.ts";
import { besideOf } from "../bundle/follow/bundle-set.ts";
import { FollowedBundles } from "../bundle/follow/follow-bundles.ts";
import type { FollowEvent } from "../bundle/follow/follow-types.ts";
import { NO_STORE, openOthers } from "../bundle/follow/open-others.ts";
import { openSource } from "../bundle/open-source.ts";
import type { BundleSettings } from "../bundle/read-settings.ts";
import type { RegistryOptions } from "../bundle/registry/registry-options.ts";
import { verifyFiles } from "../bundle/signature/verify-files.ts";
import { LandfallError } from "../errors.ts";
import { limitTime } from "../policy/limit-time.ts";
import { loadBundles } from "../policy/load-bundles.ts";
import type { LoadedBundle } from "../policy/loaded-bundle.ts";

export interface FollowPolicyOptions {
  /** Of the platform's bundle: an OCI reference or a file. */
  ref: string;
  settings: BundleSettings;
  registry: RegistryOptions;
  onEvent: (event: FollowEvent, fields: Record<string, unknown>) => void;
}

export interface FollowedPolicy {
  /**
   * Asks the registries; returns the combined bundle. A bundle that cannot be fetched, verified or loaded is reported
   * to `onEvent`, and the last good one is used. Throws BUNDLE_NONE, BUNDLE_REQUIRED if there is none.
   */
  current(): Promise<LoadedBundle>;
  stop(): Promise<void>;
}

/** While a module runs, the controller renews no Lease. */
const AUDIT_MS = 2_000;

type Known = Pick<FollowPolicyOptions, "ref" | "settings">;

/** Verifies and loads a set. Throws BUNDLE_…, POL_…. */
async function load(
  set: BundleSet,
  { ref, settings }: Known,
  besides: ReturnType<typeof besideOf>,
): Promise<LoadedBundle> {
  const { bytes, signed } = set.platform.tarball;
  verifyFiles(bytes, ref, settings.trust, signed);
  const others = besides.others.map(({ name, kind, ref: from, tarball }) => {
    const known = settings.others.find((other) => other.name === name);
    const { trust = settings.trust, namespaces, packages = [] } = known ?? {};
    verifyFiles(tarball.bytes, from, trust, tarball.signed);
    return { bytes: tarball.bytes, ref: from, expected: { name, kind, packages }, namespaces };
  });
  const { bundle } = await loadBundles({ bytes, ref }, others, { run: limitTime(AUDIT_MS) });
  return { ...bundle, absent: besides.absent };
}

/** Follows the platform's bundle and those of the settings as the webhook does. Throws BUNDLE_REFERENCE. */
export async function followPolicy({ ref, settings, registry, onEvent }: FollowPolicyOptions): Promise<FollowedPolicy> {
  let active: { set: BundleSet; bundle: LoadedBundle } | null = null;
  const others = await openOthers(settings.others, registry, null);
  const latest = (): BundleSet | null => active?.set ?? null;
  const followed = new FollowedBundles({
    source: await openSource(ref, registry, settings.trust),
    store: NO_STORE,
    // A scan polls on demand: nothing is polled between two scans.
    rollout: { poll: null, stale: settings.rollout.stale, expired: settings.rollout.expired },
    ...{ others, onEvent, latest, nowMs: Date.now, random: Math.random },
    use: async ({ set }) => {
      active = { set, bundle: await load(set, { ref, settings }, besideOf(set, others)) };
    },
  });
  return {
    current: async () => {
      await followed.poll();
      if (active === null) throw new LandfallError("BUNDLE_NONE");
      followed.checkRequired();
      return active.bundle;
    },
    stop: () => followed.stop(),
  };
}
