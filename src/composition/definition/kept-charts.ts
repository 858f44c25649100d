import { fetchChart } from "../chart/fetch-chart.ts";
import type { InstalledChart } from "../record/installed-chart.ts";
import type { CompositionDefinition, ServedChart } from "../types.ts";
import type { DefinitionContext } from "./definition-context.ts";
import { readPassword } from "./read-password.ts";

/** Earlier charts of definitions, for the objects whose turn in a rollout has not come. */
export interface KeptCharts {
  /** Keeps a chart that a definition has just replaced; nothing for its first one. */
  keep(chart: ServedChart | undefined): void;
  /** The chart of this definition that is installed; null if it is neither on disk nor pinned. Throws REL_CHART_…. */
  find(served: ServedChart, definition: CompositionDefinition, installed: InstalledChart): Promise<ServedChart | null>;
}

/** So many are kept, with their schemas. */
const MOST = 50;

/** Fetches only what is pinned: nothing is used that no definition named before. */
async function pinned(
  context: DefinitionContext,
  definition: CompositionDefinition,
  { version, chart: chartVersion }: InstalledChart,
): Promise<Pick<ServedChart, "chart" | "version"> | null> {
  const { chart: newest } = definition.spec;
  if (newest?.version === undefined) return null;
  const reference = { ...newest, version: chartVersion };
  if ((await context.pins.read(reference)) === null) return null;
  const password = await readPassword(context, definition, reference);
  const chart = await fetchChart({ ...context, reference, password, directory: context.chartDirectory });
  return { chart, version };
}

/** Keeps charts in memory and on disk; after a start, they come from their pins. */
export function keepCharts(context: DefinitionContext): KeptCharts {
  const kept = new Map<string, Promise<ServedChart | null>>();

  const keyOf = ({ definition: { namespace, name } }: ServedChart, version: string): string =>
    [namespace, name, version].join(" ");

  function add(key: string, chart: Promise<ServedChart | null>): void {
    kept.delete(key);
    kept.set(key, chart);
    const [oldest] = kept.keys();
    if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
  }

  return {
    keep: (chart) => {
      if (chart !== undefined) add(keyOf(chart, chart.version), Promise.resolve(chart));
    },
    async find(served, definition, installed) {
      const key = keyOf(served, installed.version);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const found = pinned(context, definition, installed).then((chart) => chart && { ...served, ...chart });
      add(key, found);
      const forget = (): void => void (kept.get(key) === found && kept.delete(key));
      const chart = await found.catch((thrown: unknown) => {
        forget();
        throw thrown;
      });
      // It may be pinned by a definition later.
      if (chart === null) forget();
      return chart;
    },
  };
}
