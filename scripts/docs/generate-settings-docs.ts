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

/** More choices than this are listed with the meaning: a long type leaves no width for the other columns. */
const SHORT_CHOICES = 4;

const choicesOf = ({ enum: values, items }: Fields): string[] => {
  if (Array.isArray(values)) return values.map(String);
  return isObject(items) ? choicesOf(items) : [];
};

function typeOf(field: Fields): string {
  const { type, enum: values, items } = field;
  if (type === "array" && choicesOf(field).length > SHORT_CHOICES) return "list";
  if (Array.isArray(values)) return values.map(String).join(", ");
  if (type === "array" && isObject(items)) return `list of ${typeOf(items)}`;
  return Array.isArray(type) ? type.join(" or ") : String(type);
}

function meaningOf(field: Fields): string {
  const { description, type } = field;
  const text = typeof description === "string" ? description : "";
  const choices = choicesOf(field);
  return type === "array" && choices.length > SHORT_CHOICES ? `${text} Choices: ${choices.join(", ")}.` : text;
}

/** A setting, then what is inside it; a name in angle brackets stands for any. */
function rows(name: string, field: Fields, value: unknown): string[] {
  const { properties, additionalProperties, items } = field;
  const inner: [string, Fields, unknown][] = [];
  const at = (key: string): unknown => (isObject(value) ? value[key] : undefined);
  if (isObject(properties))
    for (const [key, sub] of Object.entries(properties))
      if (isObject(sub)) inner.push([`${name}.${key}`, sub, at(key)]);
  if (isObject(additionalProperties)) inner.push([`${name}.<name>`, additionalProperties, undefined]);
  if (isObject(items) && isObject(items["properties"])) inner.push([`${name}[]`, items, undefined]);
  const shown = inner.length > 0 || value === undefined ? "" : `\`${JSON.stringify(value)}\``;
  const line = `| \`${name}\` | ${typeOf(field)} | ${cell(meaningOf(field))} | ${cell(shown)} |`;
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
    "The [platform guide](../guides/platform.md) has examples.",
    "",
    "## Of the platform",
    "",
    "These settings are in `policies/bundle/landfall/settings/data.yaml`. They are part of the bundle, so they change with the next",
    "bundle, without a restart. A bundle with invalid settings is refused with `POL_SETTINGS`.",
    "",
    "| setting | type | meaning | as shipped |",
    "|---|---|---|---|",
    ...settings,
    "",
    "## Of a namespace",
    "",
    "Set these as annotations or labels of the namespace. Labels cannot hold a slash or a comma: write an underscore instead.",
    "A namespace can narrow the limits of the platform, never widen them. A value that cannot be read denies the namespace's",
    "objects with `POL_NAMESPACE_SETTING`, because ignoring it would remove a limit.",
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
