import schema from "../../../schemas/catalog.schema.json" with { type: "json" };
import { LandfallError } from "../../errors.ts";
import { compileSchema } from "../../model/schemas/compile-schema.ts";
import type { CatalogFiles } from "./catalog-files.ts";

const validate = compileSchema(schema, { allErrors: true });

/** Throws BUNDLE_DATA if schemas/catalog.schema.json rejects the catalog. */
export function checkCatalog(files: CatalogFiles, ref: string): void {
  if (validate(files)) return;
  const [first] = validate.errors ?? [];
  throw new LandfallError("BUNDLE_DATA", {
    ref,
    detail: `${first?.instancePath ?? ""} ${first?.message ?? "is not as the schema says"}`,
  });
}
