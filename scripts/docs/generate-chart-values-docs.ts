import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import schema from "../../charts/landfall/values.schema.json" with { type: "json" };
import { isObject } from "../../src/model/json.ts";

type Fields = Record<string, unknown>;

const PATH = "docs/reference/chart-values.md";
const target = fileURLToPath(new URL(`../../${PATH}`, import.meta.url));
const valuesFile = fileURLToPath(new URL("../../charts/landfall/values.yaml", import.meta.url));

const cell = (text: string): string => text.replaceAll("|", "\\|");

function typeOf({ type, enum: choices, items, minimum, maximum }: Fields): string {
  if (Array.isArray(choices)) return choices.map((one) => `\`${String(one)}\``).join(", ");
  if (type === "array" && isObject(items)) return `list of ${String(items["type"])}s`;
  if (type === "integer" && maximum !== undefined)
    return `integer, ${JSON.stringify(minimum)} to ${JSON.stringify(maximum)}`;
  return String(type);
}

/** A value, then what is inside it. */
function rows(name: string, field: Fields, value: unknown): string[] {
  const { properties, description } = field;
  if (isObject(properties)) {
    const inner = Object.entries(properties).flatMap(([key, sub]) =>
      isObject(sub) ? rows(`${name}.${key}`, sub, isObject(value) ? value[key] : undefined) : [],
    );
    return [`| **\`${name}\`** | | ${cell(String(description))} | |`, ...inner];
  }
  const shown = value === undefined ? "" : `\`${JSON.stringify(value)}\``;
  return [`| \`${name}\` | ${typeOf(field)} | ${cell(String(description))} | ${cell(shown)} |`];
}

async function render(): Promise<string> {
  const values: unknown = parse(await readFile(valuesFile, "utf8"));
  const fields = Object.entries(schema.properties).filter(([name]) => name !== "global");
  return [
    "# Values of the chart",
    "",
    "Generated from `charts/landfall/values.schema.json` and `charts/landfall/values.yaml` by `npm run generate`.",
    "",
    "Helm refuses a value that is not in this table. [Install](../operations/install.md) says which values an installation needs.",
    "",
    "| value | type | meaning | default |",
    "|---|---|---|---|",
    ...fields.flatMap(([name, field]) => rows(name, field, isObject(values) ? values[name] : undefined)),
    "",
  ].join("\n");
}

/** Writes docs/reference/chart-values.md, or with `check` only answers whether it would change. */
export async function generateChartValuesDocs({ check }: { check: boolean }): Promise<string[]> {
  const wanted = await render();
  const current = await readFile(target, "utf8").catch(() => "");
  if (current === wanted) return [];
  if (!check) await writeFile(target, wanted);
  return [PATH];
}
