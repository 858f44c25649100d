// `npm run push-charts -- REPOSITORY CHART... --out FOLDER`: packages charts and pushes them as OCI images, each with its
// CompositionDefinition. Prints each chart's reference by digest, then its definition's. With `--image`, the chart is Landfall's own: it has that
// image as its default, and no CompositionDefinition. Credentials come from the docker configuration.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openRegistry } from "../src/bundle/registry/open-registry.ts";
import { parseReference } from "../src/bundle/registry/parse-reference.ts";
import { asLandfallError, LandfallError, lineOf, messageOf } from "../src/errors.ts";
import { toolPath } from "../src/toolchain/tool-path.ts";
import { chartWithImage } from "./charts/chart-with-image.ts";
import { pushChart } from "./charts/push-chart.ts";

const OPTIONS = {
  out: { type: "string", default: "dist/charts" },
  image: { type: "string" },
  namespace: { type: "string", default: "landfall-system" },
  "plain-http": { type: "boolean" },
  ca: { type: "string" },
} as const;

function readArguments() {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (thrown) {
    throw new LandfallError("CLI_USAGE", { detail: messageOf(thrown) }, thrown);
  }
}

/** A chart whose version is taken does not keep the others from being pushed. */
function noteTaken(thrown: unknown): null {
  if (asLandfallError(thrown).code !== "REL_CHART_TAKEN") throw thrown;
  process.stderr.write(`${lineOf(thrown)}\n`);
  process.exitCode = 2;
  return null;
}

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  const [repository, ...charts] = positionals;
  if (repository === undefined || charts.length === 0)
    throw new LandfallError("CLI_USAGE", { detail: "name a repository (host[:port]/path) and one or more charts" });
  parseReference(`${repository}/chart`);
  const [crane, binary] = await Promise.all([toolPath("crane"), toolPath("helm")]);
  const env = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const reach = { crane, plainHttp: values["plain-http"], ca: values.ca, env: process.env };
  const registry = await openRegistry(reach);
  const { out, image } = values;
  const namespace = image === undefined ? values.namespace : null;
  const copies = await mkdtemp(join(tmpdir(), "landfall-charts-"));
  try {
    for (const given of charts) {
      const helm = { binary, env, kubeconfig: null };
      const chart = image === undefined ? given : await chartWithImage(given, image, copies);
      const pushed = await pushChart({ ...reach, helm, registry, repository, namespace, out }, chart).catch(noteTaken);
      if (pushed === null) continue;
      const { name, version, ref, definition, known } = pushed;
      const file = definition === null ? "" : `, ${definition.file}`;
      process.stderr.write(`${name} ${version}: ${known ? "was there already" : "pushed"}${file}\n`);
      process.stdout.write(`${ref}\n${definition === null ? "" : `${definition.ref}\n`}`);
    }
  } finally {
    await rm(copies, { recursive: true, force: true });
    await registry.close();
  }
}

try {
  await main();
} catch (thrown) {
  process.stderr.write(`${lineOf(thrown)}\n`);
  process.exitCode = 2;
}
