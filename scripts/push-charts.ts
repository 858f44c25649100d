// `npm run push-charts -- REPOSITORY CHART... --out FOLDER`: packages charts and pushes them as OCI images, each with its
// CompositionDefinition. Prints each chart's reference by digest, then its definition's. Credentials come from the docker
// configuration.
import { parseArgs } from "node:util";
import { openRegistry } from "../src/bundle/registry/open-registry.ts";
import { parseReference } from "../src/bundle/registry/parse-reference.ts";
import { LandfallError, lineOf, messageOf } from "../src/errors.ts";
import { toolPath } from "../src/toolchain/tool-path.ts";
import { pushChart } from "./charts/push-chart.ts";

const OPTIONS = {
  out: { type: "string", default: "dist/charts" },
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
  const { out, namespace } = values;
  try {
    for (const chart of charts) {
      const helm = { binary, env, kubeconfig: null };
      const pushed = await pushChart({ ...reach, helm, registry, repository, namespace, out }, chart);
      const { name, version, ref, definition, known } = pushed;
      process.stderr.write(`${name} ${version}: ${known ? "was there already" : "pushed"}, ${definition.file}\n`);
      process.stdout.write(`${ref}\n${definition.ref}\n`);
    }
  } finally {
    await registry.close();
  }
}

try {
  await main();
} catch (thrown) {
  process.stderr.write(`${lineOf(thrown)}\n`);
  process.exitCode = 2;
}
