import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { CLUSTER_FIELDS } from "../../src/kops/cluster-fields.ts";
import { POOL_FIELDS } from "../../src/kops/pool-fields.ts";

const target = fileURLToPath(new URL("../../docs/reference/kops.md", import.meta.url));

interface Row {
  kaas: string;
  kops: string;
  how: string;
}

const code = (paths: string): string =>
  paths
    .split(", ")
    .map((path) => `\`${path}\``)
    .join(", ");

const table = (kind: string, rows: readonly Row[]): string[] => [
  `| KaasCluster | ${kind} | mapping |`,
  "|---|---|---|",
  ...rows.map(({ kaas, kops, how }) => `| ${code(kaas)} | ${code(kops)} | ${how} |`),
  "",
];

const render = (): string =>
  [
    "# KaasCluster and kOps, field by field",
    "",
    "Generated from `src/kops/` by `npm run generate`. [How the commands use it](../guides/kops.md).",
    "",
    ...table("Cluster", CLUSTER_FIELDS),
    ...table("InstanceGroup, role Node", POOL_FIELDS),
  ].join("\n");

/** Writes docs/reference/kops.md, or with `check` only answers whether it would change. */
export async function generateKopsDocs({ check }: { check: boolean }): Promise<string[]> {
  const wanted = render();
  const current = await readFile(target, "utf8").catch(() => "");
  if (current === wanted) return [];
  if (!check) await writeFile(target, wanted);
  return ["docs/reference/kops.md"];
}
