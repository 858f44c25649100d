import { LandfallError } from "../../errors.ts";
import { type LoadedBundles, loadBundles, type OtherTarball } from "../../policy/load-bundles.ts";
import type { LoadedBundle } from "../../policy/loaded-bundle.ts";
import { limitTime, type Run } from "../../policy/module/limit-time.ts";

/** Gets why a bundle is not used. */
type Omitted = (name: string, thrown: unknown) => void;

/** For one question, in ms: all users wait while the rules of a team run. */
const TEAM_MS = 3000;

const nameOf = ({ expected }: OtherTarball): string => expected?.name ?? "";

/** Limits the modules of teams more than the platform's. */
function runFor(others: readonly OtherTarball[]): Run {
  const [platform, team] = [limitTime(), limitTime(TEAM_MS)];
  const refs = new Set(others.map(({ ref }) => ref));
  return (ref, work) => (refs.has(ref) ? team : platform)(ref, work);
}

/** Loads one after the other, without those that fail: `omit` gets them, and throws for a required one. Throws BUNDLE_…. */
async function loadEach(
  others: readonly OtherTarball[],
  load: (used: readonly OtherTarball[]) => Promise<LoadedBundles>,
  omit: (name: string, thrown: unknown) => void,
): Promise<LoadedBundles> {
  let loaded = await load([]);
  let used: readonly OtherTarball[] = [];
  for (const other of others) {
    try {
      loaded = await load([...used, other]);
      used = [...used, other];
    } catch (thrown) {
      omit(nameOf(other), thrown);
    }
  }
  return loaded;
}

/** The bundle that continues without a team whose rules took too long: they are not asked again, and are named as missing. */
function withoutSlow(loaded: LoadedBundles, others: readonly OtherTarball[], omit: Omitted): LoadedBundle {
  const { bundle } = loaded;
  const slow = new Set<string>();
  let current = bundle;
  const evaluate: LoadedBundle["evaluate"] = (input) => {
    try {
      return current.evaluate(input);
    } catch (thrown) {
      if (!(thrown instanceof LandfallError) || thrown.code !== "BUNDLE_TIMEOUT") throw thrown;
      const late = others.find(({ ref }) => ref === thrown.params["ref"]);
      if (late === undefined || slow.has(nameOf(late))) throw thrown;
      // Without a required team, the console would allow what the webhook denies.
      omit(nameOf(late), thrown);
      slow.add(nameOf(late));
      current = loaded.without(slow);
      return evaluate(input);
    }
  };
  return {
    ...{ ...bundle, evaluate },
    get others() {
      return current.others;
    },
    get absent() {
      return current.absent;
    },
  };
}

/** Loads the platform's bundle with the others, of which none that fails takes the rest with it, but a required one. Throws BUNDLE_…. */
export async function loadApart(
  platform: { bytes: Uint8Array; ref: string },
  others: readonly OtherTarball[],
  { required, omitted }: { required: ReadonlySet<string>; omitted: Omitted },
): Promise<LoadedBundles> {
  const run = runFor(others);
  const load = (used: readonly OtherTarball[]): Promise<LoadedBundles> => loadBundles(platform, used, { run });
  const omit: Omitted = (name, thrown) => {
    if (required.has(name)) throw thrown;
    omitted(name, thrown);
  };
  const loaded = await load(others).catch(() => loadEach(others, load, omit));
  return { ...loaded, bundle: withoutSlow(loaded, others, omit) };
}
