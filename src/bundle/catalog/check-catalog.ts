import schema from "../../../schemas/catalog.schema.json" with { type: "json" };
import { LandfallError } from "../../errors.ts";
import { compileSchema } from "../../model/schemas/compile-schema.ts";
import { firstFound } from "../../model/wrong-value/first-problem.ts";
import type { CatalogFiles } from "./catalog-files.ts";

const validate = compileSchema(schema, { allErrors: true });

/** Throws BUNDLE_DATA if schemas/catalog.schema.json rejects the catalog. */
export function checkCatalog(files: CatalogFiles, ref: string): void {
  if (validate(files)) return;
  const { field, given, detail, correction } = firstFound(schema, files, validate.errors);
  const [name = "", ...path] = field.split(".");
  const file = `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`;
  const inside = path.length === 0 ? "it" : path.join(".");
  throw new LandfallError("BUNDLE_DATA", {
    ref: `${ref}/${file}`,
    detail: `${inside}${given} ${detail}; ${correction}`,
  });
}
