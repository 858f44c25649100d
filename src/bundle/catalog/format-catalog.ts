import { isObject } from "../../model/json.ts";

/** JSON with one line per entry of the second level: a changed price is a changed line, and the file stays small. */
export function formatCatalog(content: unknown): string {
  if (!isObject(content)) return `${JSON.stringify(content)}\n`;
  const sections = Object.entries(content).map(([name, section]) => `${JSON.stringify(name)}: ${formatSection(section, 1)}`);
  return `{\n${sections.map((section) => ` ${section}`).join(",\n")}\n}\n`;
}

function formatSection(section: unknown, depth: number): string {
  if (!isObject(section)) return JSON.stringify(section);
  const deeper = depth === 1 && Object.values(section).every((value) => isObject(value) && Object.values(value).some(isObject));
  const lines = Object.entries(section).map(
    ([key, value]) => `${" ".repeat(depth + 1)}${JSON.stringify(key)}: ${deeper ? formatSection(value, depth + 1) : formatValue(value, depth + 1)}`,
  );
  return `{\n${lines.join(",\n")}\n${" ".repeat(depth)}}`;
}

function formatValue(value: unknown, depth: number): string {
  const isTable = isObject(value) && Object.values(value).some((entry) => isObject(entry));
  return isTable ? formatSection(value, depth) : JSON.stringify(value);
}
