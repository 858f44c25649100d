import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import namespaceSchema from "../../schemas/namespace-settings.schema.json" with { type: "json" };
import schema from "../../schemas/settings.schema.json" with { type: "json" };
import { isObject } from "../../src/model/json.ts";

type Fields = Record<string, unknown>;

const PATH = "docs/reference/settings.md";
const target = fileURLToPath(new URL(`../../${PATH}`, import.meta.url));
const settingsFile = fileURLToPath(new URL("../../policies/bundle/landfall/settings/data.yaml", import.meta.url));

const cell = (text: string): string => text.replaceAll("|", "\\|");

function typeOf(field: Fields): string {
  const { type, enum: values, items } = field;
  if (Array.isArray(values)) return values.map(String).join(", ");
  if (type === "array" && isObject(items)) return `list of ${typeOf(items)}`;
  return Array.isArray(type) ? type.join(" or ") : String(type);
}

/** A setting, then what is inside it; a name in angle brackets stands for any. */
function rows(name: string, field: Fields, value: unknown): string[] {
  const { properties, additionalProperties, items, description } = field;
  const inner: [string, Fields, unknown][] = [];
  const at = (key: string): unknown => (isObject(value) ? value[key] : undefined);
  if (isObject(properties))
    for (const [key, sub] of Object.entries(properties))
      if (isObject(sub)) inner.push([`${name}.${key}`, sub, at(key)]);
  if (isObject(additionalProperties)) inner.push([`${name}.<name>`, additionalProperties, undefined]);
  if (isObject(items) && isObject(items["properties"])) inner.push([`${name}[]`, items, undefined]);
  const shown = inner.length > 0 || value === undefined ? "" : `\`${JSON.stringify(value)}\``;
  const line = `| \`${name}\` | ${typeOf(field)} | ${cell(typeof description === "string" ? description : "")} | ${cell(shown)} |`;
  return [line, ...inner.flatMap(([key, sub, its]) => rows(key, sub, its))];
}

async function render(): Promise<string> {
  const values: unknown = parse(await readFile(settingsFile, "utf8"));
  const settings = Object.entries(schema.properties).flatMap(([name, field]) =>
    rows(name, field, isObject(values) ? values[name] : undefined),
  );
  const namespace = Object.entries(namespaceSchema.properties).map(
    ([name, field]) => `| \`${name}\` | ${typeOf(field)} | ${cell(field.description)} |`,
  );
  return [
    "# Settings",
    "",
    "Generated from `schemas/settings.schema.json` and `schemas/namespace-settings.schema.json` by `npm run generate`.",
    "",
    "## Of the platform",
    "",
    "`policies/bundle/landfall/settings/data.yaml`, part of the bundle: they change with the next bundle, without a restart.",
    "A bundle whose settings are not as this page says is refused with `POL_SETTINGS`.",
    "",
    "| setting | type | meaning | as shipped |",
    "|---|---|---|---|",
    ...settings,
    "",
    "## Of a namespace",
    "",
    "Annotations of the namespace, or labels of the same name (where a label cannot hold a slash or a comma, an underscore stands",
    "for it). A namespace can narrow what the platform allows, never widen it. A value that cannot be read denies the namespace's",
    "objects with `POL_NAMESPACE_SETTING`: a limit that is ignored would be no limit.",
    "",
    "| annotation or label | type | meaning |",
    "|---|---|---|",
    ...namespace,
    "",
  ].join("\n");
}

/** Writes docs/reference/settings.md, or with `check` only answers whether it would change. */
export async function generateSettingsDocs({ check }: { check: boolean }): Promise<string[]> {
  const wanted = await render();
  const current = await readFile(target, "utf8").catch(() => "");
  if (current === wanted) return [];
  if (!check) await writeFile(target, wanted);
  return [PATH];
}
