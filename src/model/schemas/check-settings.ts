import { createRequire } from "node:module";
import { LandfallError } from "../../errors.ts";
import { CLOSED_ROOTS, type DataImageSettings } from "../bundle-format/other-bundle.ts";
import { isObject } from "../json.ts";
import { unknownNames } from "./unknown-names.ts";
import { explainErrors, type Found } from "../wrong-value/explain-errors.ts";
import { dotted, type SchemaNode } from "../wrong-value/schema-node.ts";
import { given } from "../wrong-value/show-value.ts";
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

/** More problems would hide the first ones. */
const MAX_PROBLEMS = 5;

const load = createRequire(import.meta.url);

/** The schema with its texts: only errors need it. */
const schema = (): SchemaNode => load("../../../schemas/settings.schema.json") as SchemaNode;

const problemOf = ({ pointer, value, detail, correction }: Found): Problem => ({
  field: dotted(pointer).slice(1),
  detail: `${given(pointer, value)} ${detail}; ${correction}`.trimStart(),
});

interface Problem {
  field: string;
  detail: string;
}

/** Checks that the schema cannot express: names that refer to other settings. */
function crossChecked(settings: Settings): Problem | null {
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
function openedRoot({ replaceable, byName }: DataImageSettings): Problem | null {
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

function problemsOf(settings: unknown): Problem[] {
  if (!validate(settings)) return explainErrors(schema(), settings, validate.errors ?? []).map(problemOf);
  const found = crossChecked(settings as Settings);
  return found === null ? [] : [found];
}

function refuse(ref: string, [first, ...others]: readonly Problem[]): void {
  if (first === undefined) return;
  const also = others.slice(0, MAX_PROBLEMS - 1).map(({ field, detail }) => `; also ${field}: ${detail}`);
  throw new LandfallError("POL_SETTINGS", { ref, field: first.field, detail: `${first.detail}${also.join("")}` });
}

const settingsOf = (data: Record<string, unknown>): unknown =>
  isObject(data["landfall"]) ? data["landfall"]["settings"] : undefined;

/** Throws POL_SETTINGS if schemas/settings.schema.json rejects a bundle's data.landfall.settings. */
export function checkSettings(data: Record<string, unknown>, ref: string): void {
  const settings = settingsOf(data);
  // Policies that do not extend ours may have other settings elsewhere.
  if (settings !== undefined) refuse(ref, problemsOf(settings));
}

/**
 * The same for a bundle that is built or pushed, whose settings must also name only places and areas of its own catalog. A webhook
 * does not check that: a name that a later catalog drops must not take the active bundle away.
 */
export function checkNewSettings(data: Record<string, unknown>, ref: string): void {
  checkSettings(data, ref);
  const settings = settingsOf(data);
  const catalog = isObject(data["landfall"]) ? data["landfall"]["catalog"] : undefined;
  if (isObject(settings) && isObject(catalog)) refuse(ref, unknownNames(settings, catalog));
}
