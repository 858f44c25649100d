import { isObject, textOf } from "../json.ts";
import { NAMESPACE_NAME } from "../names.ts";
import { regexFault } from "../text/re2-fault.ts";
import { parseTime } from "../time.ts";
import { fieldsOf, type Found, inside, itemsOf, type SettingProblem } from "./setting-problem.ts";

type Fields = Record<string, unknown>;
type Check = (value: string) => string | null;

const quoted = (value: string): string => JSON.stringify(value.slice(0, 60));

/** The problems that a check finds in the texts among these values. */
const problems = (all: readonly Found[], check: Check): SettingProblem[] =>
  all.flatMap(([field, value]) => {
    const found = typeof value === "string" ? check(value) : null;
    return found === null ? [] : [{ field, detail: `${quoted(textOf(value))} ${found}` }];
  });

const ANY_NAME = "null for any name";

/** `name: "^a$"`: in quotes, where a backslash is written twice. */
const patternProblem =
  (name: string): Check =>
  (pattern) => {
    if (pattern === "")
      return `is empty, so that every name matches; write a regular expression, or ${name}: ${ANY_NAME}`;
    const fault = regexFault(pattern);
    if (fault === null) return null;
    const example = `${name}: ${JSON.stringify(fault.meant ?? "^[a-z]+-[a-z]+$")}`;
    const wanted = fault.meant === null ? `correct it, e.g. ${example}` : `write ${example}`;
    return `is not a regular expression (RE2): ${fault.detail}; ${wanted}, or ${name}: ${ANY_NAME}`;
  };

/** A day or second of the calendar: others compare as texts, and 2027-99-99 would not end in 2027. */
function dayProblem(text: string): string | null {
  if (parseTime(text.includes("T") ? text : `${text}T00:00:00Z`) !== null) return null;
  return "is not a day of the calendar, so that the exemption would not end; write one, e.g. 2027-01-31";
}

/** The name of one namespace, where settings have no wildcards. */
const namespaceProblem =
  (instead: string, isAll: (name: string) => boolean = () => false): Check =>
  (name) => {
    if (NAMESPACE_NAME.test(name) || isAll(name)) return null;
    const lower = name.toLowerCase().replaceAll("_", "-");
    if (name.includes("*")) return `is not the name of a namespace, and no wildcard is read here; ${instead}`;
    return `is not the name of a namespace; write ${NAMESPACE_NAME.test(lower) ? lower : "lower-case letters, digits and -"}`;
  };

const isStar = (name: string): boolean => name === "*";

/** The names that an exemption covers, with wildcards of glob. */
const coverProblem: Check = (text) =>
  /^[a-z0-9.*?{},![\]-]+$/.test(text)
    ? null
    : "matches no name, so that nothing is exempt; write lower-case letters, digits, - and ., with * for any characters";

/** The first part of a network's id: a project of Google, a subscription of Azure. */
const OWNER = /^(?:projects|\/subscriptions)\/[^/]+(?:\/|$)/;
const HOST = /^https:\/\/[^/]+\/compute\/[a-z0-9]+\//;

/** A prefix that names no project and no subscription is the beginning of the ids of all. */
const prefixProblem: Check = (prefix) =>
  OWNER.test(prefix.toLowerCase().replace(HOST, ""))
    ? null
    : "names no project and no subscription; write one, e.g. projects/shared or /subscriptions/ID/resourceGroups/NAME";

/** Weights that make every place as good as any other. */
const weightProblems = (settings: Fields): SettingProblem[] =>
  fieldsOf("objective.weights", inside(settings, "objective", "weights")).flatMap(([field, weights]) =>
    isObject(weights) && Object.values(weights).every((weight) => weight === 0)
      ? [{ field, detail: "has only zeros, so that it prefers no place; write a number above 0 for one of them" }]
      : [],
  );

const keysAs = (field: string, value: unknown): Found[] =>
  isObject(value) ? Object.keys(value).map((name) => [field, name]) : [];

/** The platform's exemptions, each with its field. */
const exemptionProblems = (settings: Fields): SettingProblem[] =>
  itemsOf("exemptions", settings["exemptions"]).flatMap(([field, one]) => [
    ...problems([[`${field}.expires`, inside(one, "expires")]], dayProblem),
    ...["namespaces", "names"].flatMap((name) =>
      problems(itemsOf(`${field}.${name}`, inside(one, name)), coverProblem),
    ),
  ]);

/** Prefixes of ids by namespace. */
function prefixProblems(field: string, settings: Fields): SettingProblem[] {
  const byNamespace = inside(settings, ...field.split("."));
  return [
    ...problems(keysAs(field, byNamespace), namespaceProblem('write each namespace, or "*" for all', isStar)),
    ...fieldsOf(field, byNamespace).flatMap(([one, list]) => problems(itemsOf(one, list), prefixProblem)),
  ];
}

/**
 * Values that the schema takes and that would switch a rule off in silence: a pattern that matches nothing because it is none, a quota
 * of a namespace that cannot exist, an end that never comes. New bundles must not have them.
 */
export function rulesOff(settings: Fields): SettingProblem[] {
  return [
    ...["name", "vmName"].flatMap((name) =>
      problems([[`naming.${name}`, inside(settings, "naming", name)]], patternProblem(name)),
    ),
    ...exemptionProblems(settings),
    ...problems(
      keysAs("quotas.namespaces", inside(settings, "quotas", "namespaces")),
      namespaceProblem("write each namespace, or quotas.default for all"),
    ),
    ...problems(
      itemsOf("retention.namespaces", inside(settings, "retention", "namespaces")),
      namespaceProblem('write each namespace, or "*" for all', isStar),
    ),
    ...["networks.allowed", "images.allowed"].flatMap((field) => prefixProblems(field, settings)),
    ...weightProblems(settings),
  ];
}
