import { apiPath, below } from "../../src/cluster/api-path.ts";
import { LandfallError } from "../../src/errors.ts";
import { quantile } from "../median.ts";
import { type Figures, machine, pathOf, until, type Version } from "./start-version.ts";

/** A group that no webhook is registered for. */
const GROUP = "bench.landfall.dev";
const CREATIONS = 200;
const WAIT_MS = 60_000;

interface Definition {
  spec: Record<string, unknown> & { names: { plural: string } };
}

/** Serves the same kind with the same schema in a group without a webhook. Returns its `apiVersion`. */
async function copyKind({ name, client, apiVersion }: Version): Promise<string> {
  const definitions = apiPath`/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
  const [group = "", version = ""] = apiVersion.split("/");
  const found = await client.get<Definition>(below(definitions, `vmtemplates.${group}`));
  if (found === null) throw new LandfallError("LOCAL_BENCH", { detail: `${name} has no VmTemplates` });
  const { conversion: _, ...spec } = found.spec;
  await client.create(definitions, {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: `${spec.names.plural}.${GROUP}` },
    spec: { ...spec, group: GROUP },
  });
  return `${GROUP}/${version}`;
}

/** Single creations through the API server, as dry runs, in turn with and without the webhooks: what a user waits for. */
export async function measureCreations(version: Version, round: number): Promise<Figures> {
  const { client, apiVersion } = version;
  const copied = round === 0 ? await copyKind(version) : `${GROUP}/${apiVersion.split("/")[1] ?? ""}`;
  const create = (of: string): Promise<unknown> =>
    client.create(pathOf(of, "default"), machine(of, "default", "created"), { dryRun: "All" });
  await until(async () => (await create(copied)) !== null, 500, WAIT_MS, "the copied kind");
  const took = { with: [] as number[], without: [] as number[] };
  for (let index = 0; index < CREATIONS; index += 1)
    for (const [which, of] of [["with", apiVersion] as const, ["without", copied] as const]) {
      const beganAt = performance.now();
      await create(of);
      took[which].push(performance.now() - beganAt);
    }
  return {
    "creation p50 ms": quantile(took.with, 0.5),
    "creation p99 ms": quantile(took.with, 0.99),
    "without webhooks p50 ms": quantile(took.without, 0.5),
    "without webhooks p99 ms": quantile(took.without, 0.99),
  };
}
