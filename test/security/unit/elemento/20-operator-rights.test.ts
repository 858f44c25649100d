import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";

interface Role {
  kind: string;
  metadata: { name: string };
  rules: { resources: string[] }[];
}

async function rolesIn(path: string): Promise<Role[]> {
  const text = await readFile(fileURLToPath(new URL(`../../../../charts/landfall/${path}`, import.meta.url)), "utf8");
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Role)
    .filter(({ kind }) => kind === "ClusterRole");
}

const texts = (roles: Role[]): string[] =>
  roles.flatMap(({ rules }) => rules.map((rule) => JSON.stringify(rule))).sort();

it("the narrower roles of the Elemento operator have the rights of the large one, and Secrets only where they are bound", async () => {
  const narrow = await rolesIn("optional/elemento-namespaces.yaml");
  expect(narrow.map(({ metadata }) => metadata.name)).toEqual(["landfall-elemento", "landfall-elemento-secrets"]);
  expect(texts(narrow)).toEqual(texts(await rolesIn("rbac/elemento.yaml")));
  const [everywhere] = narrow;
  expect(everywhere?.rules.flatMap(({ resources }) => resources)).not.toContain("secrets");
  expect(everywhere?.rules.flatMap(({ resources }) => resources)).not.toContain("*");
});
