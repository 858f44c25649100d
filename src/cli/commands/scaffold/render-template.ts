import { readFile } from "node:fs/promises";

const FOLDER = new URL("templates/", import.meta.url);

/** A file that a scaffold consists of. */
export interface ScaffoldFile {
  /** From the folder that the scaffold is written into, with slashes. */
  path: string;
  body: string | Buffer;
}

/**
 * What a template of templates/ (named without `.hbs`) makes of these values. Nothing is escaped, since what comes out is
 * code; a value that a template names and that is not there is a mistake of ours, and throws.
 */
export async function renderTemplate(name: string, values: Readonly<Record<string, unknown>>): Promise<string> {
  const { default: handlebars } = await import("handlebars");
  const text = await readFile(new URL(`${name}.hbs`, FOLDER), "utf8");
  return handlebars.compile(text, { noEscape: true, strict: true })(values);
}
