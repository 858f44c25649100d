import { createRequire } from "node:module";
import type Handlebars from "handlebars";
import { messageOf } from "../../errors.ts";
import { inside, fieldsOf, type SettingProblem } from "../../model/schemas/setting-problem.ts";
import { isObject } from "../../model/json.ts";
import { nearest } from "../../model/text/nearest.ts";

type Fields = Record<string, unknown>;

const load = createRequire(import.meta.url);

const OBJECT = { kind: "VmTemplate", name: "web", namespace: "demo" };
const DENIAL = { code: "A", field: "spec.cpu", actual: "1", allowed: "2", message: "m", remedy: "r" };
/** The values that a template of a code and that of the whole denial can use: docs/guides/policy-authors.md. */
const OF_CODE: Fields = { ...DENIAL, object: OBJECT };
const OF_WHOLE: Fields = {
  ...{ id: "a1b2c3", object: OBJECT, denials: [DENIAL], first: DENIAL, others: [DENIAL] },
  ...{ codes: "A", funnel: ["f"], passesWith: ["p"], bundle: "sha256:a" },
};

/** Names that a template uses and that it cannot use, by the first that fails; null if it can be filled. */
function unfilled(handlebars: typeof Handlebars, text: string, values: Fields): string | null {
  try {
    handlebars.compile(text, { noEscape: true, strict: true })(values);
    return null;
  } catch (thrown) {
    const [, name] = /"([^"]{1,60})" not defined/.exec(messageOf(thrown)) ?? [];
    if (name === undefined) return `cannot be filled: ${messageOf(thrown).split("\n")[0] ?? ""}; correct it`;
    const names = Object.keys(values);
    const near = nearest(name, [...names, ...Object.keys(OBJECT), ...Object.keys(DENIAL)]);
    return `uses "${name}", which it cannot use; write ${near ?? `one of ${names.join(", ")}`}`;
  }
}

function templateProblem(field: string, text: unknown, values: Fields): SettingProblem[] {
  if (typeof text !== "string") return [];
  // Few bundles have templates.
  const handlebars = load("handlebars") as typeof Handlebars;
  try {
    handlebars.parse(text);
  } catch (thrown) {
    const [, line = "1"] = /on line (\d+)/.exec(messageOf(thrown)) ?? [];
    const shown = JSON.stringify(text.split("\n")[Number(line) - 1]?.slice(0, 60) ?? "");
    const rule = "close each value as in {{message}}, and each {{#if field}} with {{/if}}";
    return [{ field, detail: `${shown} is not a Handlebars template (line ${line}); ${rule}` }];
  }
  const problem = unfilled(handlebars, text, values);
  return problem === null ? [] : [{ field, detail: problem }];
}

/**
 * The templates of a bundle's data.landfall that no denial can use: of codes that nothing gives, and those that cannot be parsed or
 * filled. Their shape is checked before. `isCode` says whether a code can be given.
 */
export function textProblems(root: Fields, codes: readonly string[]): SettingProblem[] {
  const texts = inside(root, "texts");
  const byCode = fieldsOf("texts.denials", inside(texts, "denials"));
  const unknown = byCode.flatMap(([field]) => {
    const code = field.slice("texts.denials.".length);
    if (codes.includes(code)) return [];
    const near = nearest(code, codes);
    const correction = near === null ? "write one of docs/reference/errors.md, or remove it" : `write ${near}`;
    return [
      {
        field: "texts.denials",
        detail: `has ${code}, which is not the code of a denial, so that the text is never used; ${correction}`,
      },
    ];
  });
  const ofCodes = byCode.flatMap(([field, one]) =>
    isObject(one) ? fieldsOf(field, one).flatMap(([path, text]) => templateProblem(path, text, OF_CODE)) : [],
  );
  return [...unknown, ...ofCodes, ...templateProblem("texts.denial", inside(texts, "denial"), OF_WHOLE)];
}
