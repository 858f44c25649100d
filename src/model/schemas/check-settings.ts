import { createRequire } from "node:module";
import { LandfallError } from "../../errors.ts";
import { CLOSED_ROOTS, type DataImageSettings } from "../bundle-format/other-bundle.ts";
import { isObject } from "../json.ts";
import type { SettingProblem } from "./setting-problem.ts";
import { nearest } from "../text/nearest.ts";
import { explainErrors } from "../wrong-value/explain-errors.ts";
import { dotted, nodeAt, type SchemaNode } from "../wrong-value/schema-node.ts";
import { type Found, given } from "../wrong-value/explain-value.ts";
import { writtenCheck } from "./compile-schema.ts";

/** The settings that refer to each other. */
interface Settings {
  objective: { default: string; weights: Record<string, unknown> };
  exemptable: string[];
  exemptions: { id: string; codes: string[] }[];
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
function unknownObjective({ objective }: Settings): SettingProblem[] {
  const names = Object.keys(objective.weights);
  if (names.includes(objective.default)) return [];
  const near = nearest(objective.default, names) ?? names[0];
  const wanted = near === undefined ? "" : `write default: ${near}, or `;
  const weights = `{${objective.default}: {carbon: 1, price: 0, latency: 0}}`;
  const detail = `"${objective.default}" has no weights; ${wanted}add them, e.g. weights: ${weights}`;
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

const unwaivable = (settings: Settings): SettingProblem[] =>
  settings.exemptions.flatMap(({ codes }, index) =>
    codes.flatMap((code, at) =>
      settings.exemptable.includes(code)
        ? []
        : [
            {
              field: `exemptions[${String(index)}].codes[${String(at)}]`,
              detail: notExemptable(code),
            },
          ],
    ),
  );

/** Checks that the schema cannot express: names that refer to other settings. */
function crossChecked(settings: Settings): SettingProblem[] {
  const { dataImages } = settings;
  const root = dataImages === undefined ? null : openedRoot(dataImages);
  return [...unknownObjective(settings), ...unwaivable(settings), ...(root === null ? [] : [root])];
}

/** A root that is named as replaceable and never is. A path above one is valid, as in settings of 0.2.0: it opens the others below. */
function openedRoot({ replaceable, byName }: DataImageSettings): SettingProblem | null {
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

/** The problems that the schema finds; without any, those of names that refer to other settings. */
export const problemsOf = (settings: unknown): SettingProblem[] =>
  validate(settings)
    ? crossChecked(settings as Settings)
    : explainErrors(schema(), settings, validate.errors ?? []).map(problemOf);

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
