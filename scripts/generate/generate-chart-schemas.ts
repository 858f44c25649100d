import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TENANTS_SCHEMA } from "../../src/elemento/tenants.ts";
import { isObject } from "../../src/model/json.ts";
import { withoutWording } from "./without-wording.ts";

type Schema = Record<string, unknown>;

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Each custom resource's schema, its chart and its page. */
const KINDS = [
  { kind: "VmTemplate", schema: "vm-template", chart: "vmtemplate" },
  { kind: "KaasCluster", schema: "kaas-cluster", chart: "kaas-cluster" },
] as const;

/**
 * Without the length of times: Krateo's generator writes it as a marker that controller-gen refuses next to a format with a
 * type of its own (docs/operations/composition.md#schemas). Admission validates with `schemas/`, so the length is still checked there.
 */
function portable(key: string, value: unknown): unknown {
  if (!isObject(value) || value["format"] !== "date-time") return withoutWording(key, value);
  const { maxLength: _, ...rest } = value;
  return rest;
}

/** The chart's values are the spec; what identifies the schema itself does not belong there. */
function valuesSchema({ $id: _id, title: _title, ...schema }: Schema): string {
  return `${JSON.stringify(schema, portable, 2)}\n`;
}

function limits(schema: Schema): string {
  const parts = [
    Array.isArray(schema["enum"]) ? schema["enum"].join(", ") : "",
    typeof schema["minimum"] === "number" ? `from ${String(schema["minimum"])}` : "",
    typeof schema["maximum"] === "number" ? `to ${String(schema["maximum"])}` : "",
    typeof schema["maxLength"] === "number" ? `at most ${String(schema["maxLength"])} characters` : "",
    typeof schema["maxItems"] === "number" ? `at most ${String(schema["maxItems"])}` : "",
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function rows(schema: Schema, path: string): string[] {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required: unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).flatMap(([name, inner]) => {
    if (!isObject(inner) || name === "global") return [];
    const field = `${path}${name}`;
    const text = typeof inner["description"] === "string" ? inner["description"] : "";
    const cells = [`\`${field}\``, text, String(inner["type"]), required.includes(name) ? "yes" : "", limits(inner)];
    const items = isObject(inner["items"]) ? inner["items"] : null;
    const nested = items === null ? rows(inner, `${field}.`) : rows(items, `${field}[].`);
    return [`| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`, ...nested];
  });
}

function page(kind: string, schema: Schema): string {
  return [
    `# ${kind}.spec`,
    "",
    `Generated from \`schemas/\` by \`npm run generate\`. ${String(schema["description"])}`,
    "",
    "| field | meaning | type | required | limits |",
    "|---|---|---|---|---|",
    ...rows(schema, ""),
    "",
  ].join("\n");
}

async function update(file: string, text: string, check: boolean): Promise<string[]> {
  const path = join(root, file);
  if ((await readFile(path, "utf8").catch(() => "")) === text) return [];
  if (!check) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return [file];
}

/** A schema as a definition of another: its references are below its new place, and its defaults do not apply. */
function embedded({ $id: _id, $schema: _schema, title: _title, ...schema }: Schema, name: string): unknown {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (key === "$ref" && typeof value === "string") return value.replace("#/", `#/definitions/${name}/`);
    return key === "default" ? undefined : withoutWording(key, value);
  });
  return JSON.parse(text);
}

/** The chart's own values, whose settings have schemas of their own. The template says of a wrong `signatures` what YAML makes of it. */
async function ownValuesSchema(): Promise<string> {
  const read = async (path: string) => JSON.parse(await readFile(join(root, path), "utf8")) as Schema;
  const bundles = JSON.stringify(await read("schemas/bundle-settings.schema.json"), (key, value: unknown) =>
    key === "signatures" ? {} : value,
  );
  const definitions = {
    bundleSettings: embedded(JSON.parse(bundles) as Schema, "bundleSettings"),
    forecastSettings: embedded(await read("schemas/forecast-settings.schema.json"), "forecastSettings"),
    elementoTenants: TENANTS_SCHEMA.properties.namespaces,
  };
  return `${JSON.stringify({ ...(await read("charts/landfall/values.schema.json")), definitions }, null, 2)}\n`;
}

/** Writes each chart's values.schema.json and each kind's page of docs/reference; answers the files that differ. */
export async function generateChartSchemas({ check }: { check: boolean }): Promise<string[]> {
  const changed: string[] = [];
  for (const { kind, schema: name, chart } of KINDS) {
    const schema = JSON.parse(await readFile(join(root, "schemas", `${name}.schema.json`), "utf8")) as Schema;
    changed.push(...(await update(`charts/${chart}/values.schema.json`, valuesSchema(schema), check)));
    changed.push(...(await update(`docs/reference/${kind.toLowerCase()}.md`, page(kind, schema), check)));
  }
  changed.push(...(await update("charts/landfall/values.schema.json", await ownValuesSchema(), check)));
  return changed;
}
