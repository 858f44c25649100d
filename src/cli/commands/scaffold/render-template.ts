import { readFile } from "node:fs/promises";

const FOLDER = new URL("templates/", import.meta.url);

/** A file of a scaffold. */
export interface ScaffoldFile {
  /** Relative to the scaffold's target folder, with slashes. */
  path: string;
  body: string | Buffer;
}

/**
 * Renders a template of templates/ (named without `.hbs`) with these values. Nothing is escaped, because the output is
 * code; a missing value is our own error, and throws.
 */
export async function renderTemplate(name: string, values: Readonly<Record<string, unknown>>): Promise<string> {
  const { default: handlebars } = await import("handlebars");
  const text = await readFile(new URL(`${name}.hbs`, FOLDER), "utf8");
  return handlebars.compile(text, { noEscape: true, strict: true })(values);
}
