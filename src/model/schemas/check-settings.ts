import { createRequire } from "node:module";
import { LandfallError } from "../../errors.ts";
import { CLOSED_ROOTS, type DataImageSettings } from "../bundle-format/other-bundle.ts";
import { isObject } from "../json.ts";
import { inside, itemsOf, type SettingProblem } from "./setting-problem.ts";
import { nearest } from "../text/nearest.ts";
import { explainErrors } from "../wrong-value/explain-errors.ts";
import { dotted, nodeAt, type SchemaNode } from "../wrong-value/schema-node.ts";
import { type Found, given } from "../wrong-value/explain-value.ts";
import { writtenCheck } from "./compile-schema.ts";

interface Settings {
  /** Missing in bundles from before data images. */
  dataImages?: DataImageSettings;
}

const validate = writtenCheck("settings");

const load = createRequire(import.meta.url);

/** The schema with its texts: only errors need it. */
const schema = (): SchemaNode => load("../../../schemas/settings.schema.json") as SchemaNode;

const problemOf = ({ pointer, value, detail, correction }: Found): SettingProblem => ({
  field: dotted(pointer).slice(1),
  detail: `${given(pointer, value)} ${detail}; ${correction}`.trimStart(),
});

/** The default objective needs weights. */
function unknownObjective(settings: unknown): SettingProblem[] {
  const [wanted, weights] = [inside(settings, "objective", "default"), inside(settings, "objective", "weights")];
  if (typeof wanted !== "string" || !isObject(weights) || Object.hasOwn(weights, wanted)) return [];
  const names = Object.keys(weights);
  const near = nearest(wanted, names) ?? names[0];
  const instead = near === undefined ? "" : `write default: ${near}, or `;
  const example = `{${wanted}: {carbon: 1, price: 0, latency: 0}}`;
  const detail = `"${wanted}" has no weights; ${instead}add them, e.g. weights: ${example}`;
  return [{ field: "objective.default", detail }];
}

/** The codes that an exemption can waive at all, by the schema. */
const waivable = (): string[] =>
  (nodeAt(schema(), "/exemptable/0").enum ?? []).filter((code) => code !== null).toSorted();

function notExemptable(code: string): string {
  const all = waivable();
  if (all.includes(code)) return `"${code}" is not in exemptable; add it there, or remove it here`;
  const near = nearest(code, all);
  const instead = near === null ? `write one of ${all.join(", ")}` : `write ${near}`;
  return `"${code}" is not a rule that an exemption can waive; ${instead}`;
}

const unwaivable = (settings: unknown): SettingProblem[] =>
  itemsOf("exemptions", inside(settings, "exemptions")).flatMap(([exemption, value]) =>
    itemsOf(`${exemption}.codes`, inside(value, "codes")).flatMap(([field, code]) => {
      const exemptable = inside(settings, "exemptable");
      const isWrong = typeof code === "string" && Array.isArray(exemptable) && !exemptable.includes(code);
      return isWrong ? [{ field, detail: notExemptable(code) }] : [];
    }),
  );

/** Checks that the schema cannot express: names that refer to other settings. Settings that the schema refuses are read as far as they can be. */
const crossChecked = (settings: unknown): SettingProblem[] => [...unknownObjective(settings), ...unwaivable(settings)];

/** A root that is named as replaceable and never is. A path above one is valid, as in settings of 0.2.0: it opens the others below. */
function openedRoot({ dataImages }: Settings): SettingProblem | null {
  if (dataImages === undefined) return null;
  const { replaceable, byName } = dataImages;
  const lists: [string, string[]][] = [
    ["dataImages.replaceable", replaceable],
    ...Object.entries(byName).map(([name, { replaceable: own = [] }]): [string, string[]] => [
      `dataImages.byName.${name}.replaceable`,
      own,
    ]),
  ];
  for (const [field, roots] of lists) {
    const root = roots.find((one) => CLOSED_ROOTS.some((closed) => one === closed || one.startsWith(`${closed}/`)));
    if (root !== undefined) return { field, detail: `"${root}" is a root that no data image can replace; remove it` };
  }
  return null;
}

/** The problems that the schema finds, and those of names that refer to other settings. */
export function problemsOf(settings: unknown): SettingProblem[] {
  if (validate(settings)) {
    const root = openedRoot(settings as Settings);
    return [...crossChecked(settings), ...(root === null ? [] : [root])];
  }
  const found = explainErrors(schema(), settings, validate.errors ?? []).map(problemOf);
  const others = crossChecked(settings).filter(({ field }) => !found.some((one) => one.field === field));
  return [...found, ...others];
}

/** Throws POL_SETTINGS if there are problems. */
export function refuse(ref: string, [first, ...others]: readonly SettingProblem[]): void {
  if (first === undefined) return;
  const also = others.map(({ field, detail }) => `; also ${field}: ${detail}`);
  throw new LandfallError("POL_SETTINGS", { ref, field: first.field, detail: `${first.detail}${also.join("")}` });
}

export const settingsOf = (data: Record<string, unknown>): unknown =>
  isObject(data["landfall"]) ? data["landfall"]["settings"] : undefined;

/** Throws POL_SETTINGS if schemas/settings.schema.json rejects a bundle's data.landfall.settings. */
export function checkSettings(data: Record<string, unknown>, ref: string): void {
  const settings = settingsOf(data);
  // Policies that do not extend ours may have other settings elsewhere.
  if (settings !== undefined) refuse(ref, problemsOf(settings));
}
