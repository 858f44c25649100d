import { trimEdges } from "../../model/text/trim-edges.ts";
import { isObject, textOf } from "../../model/json.ts";
import { ANNOTATION } from "../../model/names.ts";
import { nearest } from "../../model/text/nearest.ts";
import { flow } from "../../model/wrong-value/explain-value.ts";
import {
  meantInLabel,
  namespaceSettings,
  settingAdvice,
  settingFault,
} from "../../model/wrong-value/namespace-setting.ts";
import { readValue } from "../../model/wrong-value/read/read-value.ts";
import { isUnfilled, UNFILLED } from "../../model/wrong-value/placeholder.ts";
import { readAs } from "./as-written.ts";
import { writtenAs } from "./written-as.ts";

/** A problem of the metadata, and its correction. */
export interface MetadataProblem {
  detail: string;
  correction: string;
}

type Fields = Record<string, unknown>;

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
/** Pattern and maximum length of a name (RFC 1123), as in the API server. */
const NAMES = {
  name: { pattern: new RegExp(`^${LABEL}(\\.${LABEL})*$`), longest: 253, also: " or ." },
  namespace: { pattern: new RegExp(`^${LABEL}$`), longest: 63, also: "" },
} as const;

const quoted = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);

/** `"0042"`: a text that YAML would read as another type without its quotes. */
const assigned = (key: string, text: string): string => `${flow(key)}: ${JSON.stringify(text)}`;

/** The problem of a list or map that has to be a text. */
function ofMany(where: string, key: string, value: unknown): MetadataProblem {
  const [only, ...more] = Array.isArray(value) ? (value as unknown[]) : [];
  const isText = typeof only === "string" && more.length === 0;
  return {
    detail: `${where} is a ${Array.isArray(value) ? "list" : "map"}, and not a text`,
    correction: `write ${isText ? assigned(key, only) : `a text in quotes, e.g. ${assigned(key, "a")}`}`,
  };
}

/** Annotations that take only "true" and "false": `yes` is neither. */
const SWITCHES: readonly string[] = [ANNOTATION.paused, ANNOTATION.allowMove];

/** The correction of a setting of namespaces whose value in quotes would not be one either; null for others. */
function settingCorrection(key: string, text: string): string | null {
  const fault = settingFault(key, text);
  if (fault === null) return null;
  const [, example] = /^e\.g\. (".*")$/.exec(fault.write ?? "") ?? [];
  if (example !== undefined) return `write a text, e.g. ${flow(key)}: ${example}`;
  return fault.write === null ? settingAdvice(fault) : `write ${flow(key)}: ${fault.write}`;
}

/** The problem of a value that has to be a text. */
function notText(where: string, holder: Fields, key: string): MetadataProblem {
  const value = holder[key];
  const text = writtenAs(holder, key)?.text ?? textOf(value);
  if (typeof value === "number" || typeof value === "boolean") {
    const meant = SWITCHES.includes(key) ? String(value) : text;
    const correction = settingCorrection(key, meant) ?? `write ${assigned(key, meant)}`;
    return { detail: `${where} ${text} ${readAs(value)}, and not a text`, correction };
  }
  if (value === null || value === undefined)
    return { detail: `${where} has no value`, correction: `write ${flow(key)}: "", or remove the line` };
  return ofMany(where, key, value);
}

const LONGEST_PART = 63;
const PART = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const isPart = (text: string): boolean => PART.test(text) && text.length <= LONGEST_PART;
const RULE = `at most ${String(LONGEST_PART)} letters, digits, -, _ and ., with a letter or a digit first and last`;

/** `platform team!` as `platform-team`; null if nothing of it can be kept. */
function partFrom(text: string): string | null {
  const kept = trimEdges(text.trim().replaceAll(/[^A-Za-z0-9._-]+/g, "-"), "._-");
  return isPart(kept) ? kept : null;
}

/** The name of a label or annotation: a domain may stand before it. */
function keyProblem(where: string, key: string): MetadataProblem | null {
  const at = key.indexOf("/");
  const [domain, name] = at < 0 ? [null, key] : [key.slice(0, at), key.slice(at + 1)];
  const isDomain = domain === null || NAMES.name.pattern.test(domain);
  if (isPart(name) && isDomain) return null;
  const meant = isDomain ? partFrom(name) : null;
  const whole = meant === null ? null : `${domain === null ? "" : `${domain}/`}${meant}`;
  return {
    detail: `${where} has the name ${quoted(key)}, which is not valid`,
    correction: whole === null ? `write a name, perhaps after a domain and /: ${RULE}` : `write ${whole}`,
  };
}

function labelProblem(where: string, key: string, value: string): MetadataProblem | null {
  if (value === "" || isPart(value)) return null;
  if (isUnfilled(value))
    return { detail: `${where} ${quoted(value)} ${UNFILLED}`, correction: "write the value of the label" };
  const detail = `${where} ${quoted(value)} is not the value of a label`;
  if (namespaceSettings()[key] !== undefined) return { detail, correction: meantInLabel(key, value) };
  const meant = partFrom(value);
  return {
    detail,
    correction: `write ${meant === null ? RULE : `${flow(key)}: ${flow(meant)}`}, or an annotation, which takes any text`,
  };
}

/** Labels and annotations, for what is written in another notation: `[team=web]`. */
const TEXTS = { type: "object", additionalProperties: { type: "string" } } as const;

function notMap(field: string, value: unknown): MetadataProblem {
  const meant = readValue(TEXTS, value)?.value;
  const written = meant === undefined ? '{team: "web"}' : flow(meant);
  return { detail: `metadata.${field} is not a map of names to texts`, correction: `write ${field}: ${written}` };
}

function mapProblems(metadata: Fields, field: "labels" | "annotations"): MetadataProblem[] {
  const map = metadata[field] ?? {};
  if (!isObject(map)) return [notMap(field, map)];
  return Object.entries(map).flatMap(([key, value]) => {
    const where = `metadata.${field}[${key}]`;
    const text = typeof value === "string" ? value : null;
    const problem =
      keyProblem(`metadata.${field}`, key) ??
      (text === null ? notText(where, map, key) : field === "labels" ? labelProblem(where, key, text) : null);
    return problem ?? [];
  });
}

function nameProblem(metadata: Fields, field: "name" | "namespace"): MetadataProblem | null {
  const value = metadata[field];
  if (value === undefined) return null;
  const where = `metadata.${field}`;
  if (value === null) return { detail: `${where} has no value`, correction: `write ${field}: web, or remove the line` };
  if (typeof value !== "string") return notText(where, metadata, field);
  if (isUnfilled(value))
    return { detail: `${where} ${quoted(value)} ${UNFILLED}`, correction: `write a name, e.g. ${field}: web` };
  const { pattern, longest, also } = NAMES[field];
  const fits = (text: string): boolean => pattern.test(text) && text.length <= longest;
  if (fits(value)) return null;
  const words = value
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-");
  const meant = trimEdges(words, "-");
  const rule = `at most ${String(longest)} of a-z, 0-9, -${also}, with a letter or a digit first and last`;
  return {
    detail: `${where} ${quoted(value)} is not a name: a name has ${rule}`,
    correction: fits(meant) ? `write ${field}: ${flow(meant)}` : "write a shorter one",
  };
}

/** The fields of ObjectMeta (k8s.io/apimachinery/pkg/apis/meta/v1). */
const FIELDS = [
  ...["name", "generateName", "namespace", "labels", "annotations", "finalizers", "ownerReferences", "uid"],
  ...["resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"],
  ...["managedFields", "selfLink"],
];

function unknownField(metadata: Fields): MetadataProblem | null {
  const field = Object.keys(metadata).find((name) => !FIELDS.includes(name));
  if (field === undefined) return null;
  if (field === "spec")
    return { detail: "spec stands below metadata", correction: "write spec: at the beginning of its line" };
  const meant = nearest(field, FIELDS);
  const value = metadata[field];
  const label =
    typeof value === "string" && isPart(value) && isPart(field) ? `labels: {${field}: ${flow(value)}}` : null;
  const instead = label === null ? "remove it, or write it below spec or as a label" : `write ${label}, or remove it`;
  return {
    detail: `metadata.${field} is not a field`,
    correction: meant === null ? instead : `write ${meant}`,
  };
}

/** The API server makes a name of generateName. */
const noName = ({ name, generateName }: Fields): MetadataProblem | null =>
  (name ?? generateName) === undefined ? { detail: "metadata.name is missing", correction: "write name: web" } : null;

/** More would hide the first ones. */
const MOST = 5;

/** The problems for which the API server would reject an object's metadata, as one; null for none. */
export function metadataProblem(metadata: Fields): MetadataProblem | null {
  const ofName = nameProblem(metadata, "name") ?? noName(metadata);
  const all = [ofName, nameProblem(metadata, "namespace"), unknownField(metadata)].filter((one) => one !== null);
  const [first, ...others] = [...all, ...mapProblems(metadata, "labels"), ...mapProblems(metadata, "annotations")];
  if (first === undefined) return null;
  const also = others.slice(0, MOST - 1).map(({ detail, correction }) => `; also ${detail}; ${correction}`);
  const left = others.length - also.length;
  const more = left === 0 ? "" : `; and ${String(left)} more`;
  return { detail: first.detail, correction: first.correction + also.join("") + more };
}
