import type { ErrorObject } from "ajv";
import { LandfallError } from "../errors.ts";
import { CLOSED_ROOTS, type DataImageSettings } from "./bundle-format/other-bundle.ts";
import { isObject } from "./json.ts";
import { writtenCheck } from "./written-check.ts";

/** The settings that refer to each other. */
interface Settings {
  objective: { default: string; weights: Record<string, unknown> };
  exemptable: string[];
  exemptions: { id: string; codes: string[] }[];
  /** Missing in bundles from before data images. */
  dataImages?: DataImageSettings;
}

const validate = writtenCheck("settings");

function wrong(error: ErrorObject<string, Record<string, unknown>>): { field: string; detail: string } {
  const field = error.instancePath.slice(1).replaceAll("/", ".");
  const named = error.params["additionalProperty"] ?? error.params["missingProperty"];
  const allowed: unknown = error.params["allowedValues"];
  const values = Array.isArray(allowed) ? `: ${allowed.map(String).join(", ")}` : "";
  if (typeof named !== "string") return { field, detail: `${error.message ?? "is wrong"}${values}` };
  const full = field === "" ? named : `${field}.${named}`;
  return { field: full, detail: error.keyword === "required" ? "is missing" : "is not a setting" };
}

/** Checks that the schema cannot express: names that refer to other settings. */
function crossChecked(settings: Settings): { field: string; detail: string } | null {
  const { objective, exemptable, exemptions, dataImages } = settings;
  if (!(objective.default in objective.weights))
    return { field: "objective.default", detail: `${objective.default} has no weights` };
  for (const [index, { id, codes }] of exemptions.entries()) {
    const code = codes.find((name) => !exemptable.includes(name));
    if (code !== undefined)
      return { field: `exemptions.${String(index)}.codes`, detail: `${id} waives ${code}, which is not exemptable` };
  }
  return dataImages === undefined ? null : openedRoot(dataImages);
}

/** A root that is named as replaceable and never is. A path above one is valid, as in settings of 0.2.0: it opens the others below. */
function openedRoot({ replaceable, byName }: DataImageSettings): { field: string; detail: string } | null {
  const lists: [string, string[]][] = [
    ["dataImages.replaceable", replaceable],
    ...Object.entries(byName).map(([name, { replaceable: own = [] }]): [string, string[]] => [
      `dataImages.byName.${name}.replaceable`,
      own,
    ]),
  ];
  for (const [field, roots] of lists) {
    const root = roots.find((one) => CLOSED_ROOTS.some((closed) => one === closed || one.startsWith(`${closed}/`)));
    if (root !== undefined) return { field, detail: `no data image can replace ${root}` };
  }
  return null;
}

/** Throws POL_SETTINGS if schemas/settings.schema.json rejects a bundle's data.landfall.settings. */
export function checkSettings(data: Record<string, unknown>, ref: string): void {
  const root = isObject(data["landfall"]) ? data["landfall"] : {};
  const settings: unknown = root["settings"];
  // Policies that do not extend ours may have other settings elsewhere.
  if (settings === undefined) return;
  const [first] = validate(settings) ? [] : (validate.errors ?? []);
  const found = first === undefined ? crossChecked(settings as Settings) : wrong(first);
  if (found !== null) throw new LandfallError("POL_SETTINGS", { ref, ...found });
}
