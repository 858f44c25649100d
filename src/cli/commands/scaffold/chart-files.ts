import { relative, resolve, sep } from "node:path";
import { nameKind } from "../../../composition/definition/name-kind.ts";
import { LandfallError } from "../../../errors.ts";
import { type ChartProvider, chartProvider, DEFAULT_PROVIDERS } from "./chart-providers.ts";
import { renderTemplate, type ScaffoldFile } from "./render-template.ts";
import { requireName } from "./require-name.ts";

export interface ChartFiles {
  /** The chart's folder, and its name if no kind is given. */
  name: string;
  /** Landfall's own folder: the chart's test imports from there. */
  root: string;
  /** Parent folder of the chart's folder. */
  dir: string;
  kind?: string;
  providers?: readonly string[];
}

/** Template -> path, for the files that every chart has once. */
const FILES: readonly (readonly [template: string, path: string])[] = [
  ["Chart.yaml", "Chart.yaml"],
  ["README.md", "README.md"],
  ["definition.yaml", "definition.yaml"],
  ["helmignore", ".helmignore"],
  ["rbac.yaml", "rbac.yaml"],
  ["values.schema.json", "values.schema.json"],
  ["values.yaml", "values.yaml"],
  ["templates/_names.tpl", "templates/_names.tpl"],
  ["templates/validate.yaml", "templates/validate.yaml"],
];

/** The chart name that gives this kind: `PrivateNetwork` -> `private-network`. */
const chartNameOf = (kind: string): string => kind.replace(/(?!^)(?=[A-Z])/g, "-").toLowerCase();

function providersOf(names: readonly string[]): ChartProvider[] {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new LandfallError("CLI_USAGE", { detail: `--provider ${twice} is given twice` });
  return names.map((name) => chartProvider(requireName("provider", name)));
}

/** Relative path of an import from the chart's test to Landfall's own folder. */
function importPath(from: string, to: string): string {
  const path = relative(from, to).split(sep).join("/");
  return path.startsWith(".") ? path : `./${path}`;
}

/** How to check the chart: `npm run check` covers only the project's own charts. */
function checkCommands(chart: string, own: boolean): string {
  return own
    ? `npm run check -- charts\nnpx vitest run --project integration charts/${chart}`
    : "helm lint --strict . --values ci/FILE\nnpm install --save-dev vitest yaml && npx vitest run .";
}

/** How to push it to a registry with its definition, from within the project. */
const publish = (chart: string, folder: string | null): string =>
  folder === null
    ? `helm package . && helm push ${chart}-0.1.0.tgz oci://registry.example.org/charts`
    : `npm run push-charts -- registry.example.org/charts ${folder}`;

interface Named extends ChartFiles {
  chart: string;
  entries: readonly ChartProvider[];
}

function valuesOf({ name, root, dir, chart, entries }: Named): Record<string, unknown> {
  const others = entries.filter(({ template }) => template === "other").map((entry) => entry.name);
  const own = resolve(dir) === resolve(root, "charts");
  const { kind, plural } = nameKind(chart);
  const quoted = (words: readonly string[]): string => words.map((word) => JSON.stringify(word)).join(", ");
  return {
    chart,
    kind,
    plural,
    providers: entries.map((entry) => ({ ...entry, kinds: `[${quoted(entry.kinds)}]` })),
    first: entries[0],
    providerList: entries
      .map((entry) => entry.name)
      .join(", ")
      .replace(/, ([^,]*)$/, " or $1"),
    groups: entries
      .flatMap(({ groups }) => groups)
      .map(({ group, plurals }) => ({ group, plurals: `[${plurals.join(", ")}]` })),
    others: others.join(", "),
    ...Object.fromEntries(DEFAULT_PROVIDERS.map((known) => [known, entries.some((entry) => entry.name === known)])),
    product: importPath(resolve(dir, name, "tests"), resolve(root)),
    checkCommands: checkCommands(name, own),
    publish: publish(chart, own ? `charts/${name}` : null),
  };
}

async function providerFiles(provider: ChartProvider, values: Record<string, unknown>): Promise<ScaffoldFile[]> {
  const { name, template } = provider;
  const own = { ...values, ...provider, provider: name };
  const ci = (size: string): Promise<string> => renderTemplate(`chart/ci/${size}-values.yaml`, own);
  return [
    {
      path: `templates/${name}/network.yaml`,
      body: await renderTemplate(`chart/provider/${template}.yaml`, own),
    },
    { path: `ci/${name}-full-values.yaml`, body: await ci("full") },
    { path: `ci/${name}-minimal-values.yaml`, body: await ci("minimal") },
  ];
}

/**
 * A chart for a new kind that meets the checks of Landfall's own charts, below `name`. Throws CLI_SCAFFOLD_NAME for
 * names of the chart, the kind or a provider that Helm or Kubernetes reject, CLI_USAGE for a repeated provider.
 */
export async function chartFiles(options: ChartFiles): Promise<ScaffoldFile[]> {
  const { name, kind, providers = [] } = options;
  requireName("chart", name);
  const chart = requireName("chart", kind === undefined ? name : chartNameOf(requireName("kind", kind)));
  const entries = providersOf(providers.length === 0 ? DEFAULT_PROVIDERS : providers);
  const values = valuesOf({ ...options, chart, entries });
  const annotations = ["templates/_annotations.tpl", "templates/_annotations.tpl"] as const;
  const shared = [
    ...FILES,
    ...(entries.some((entry) => DEFAULT_PROVIDERS.includes(entry.name)) ? [annotations] : []),
    ["chart.test.ts", `tests/${chart}.test.ts`] as const,
  ].map(async ([template, path]) => ({ path, body: await renderTemplate(`chart/${template}`, values) }));
  const files = await Promise.all([Promise.all(shared), ...entries.map((entry) => providerFiles(entry, values))]);
  return files
    .flat()
    .map(({ path, body }) => ({ path: `${name}/${path}`, body }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}
