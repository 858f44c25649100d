import { isDeepStrictEqual } from "node:util";
import type { Outcome } from "../admission/types.ts";
import type { PatchOperation } from "../model/decision.ts";
import { ERRORS } from "../errors.ts";
import { nearestAll } from "../model/text/nearest.ts";
import { isObject, pointerTo, textOf } from "../model/json.ts";
import type { KubernetesObject } from "../model/kubernetes.ts";
import { ANNOTATION } from "../model/names.ts";
import type { Asked } from "./ask-case.ts";
import { partOf } from "../model/part-of.ts";
import type { Expectations, Mismatch } from "./policy-case.ts";

const sorted = (names: readonly string[]): string[] => [...names].sort();

/** The decision's annotations are internal, and contain the bundle's digest. */
const OWN = [ANNOTATION.decision, ANNOTATION.seal].map((name) => pointerTo(["metadata", "annotations", name]));

const byPath = (operations: readonly PatchOperation[]): PatchOperation[] =>
  operations
    .filter(({ path, value }) => !OWN.includes(path) && !(path === "/metadata/annotations" && isEmpty(value)))
    .sort((a, b) => (a.path < b.path ? -1 : 1));

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

/** The case's places, by the rule that removed them. */
function rejectedBy(outcome: Outcome, expected: Record<string, string[]>): Record<string, string[]> {
  const actual = outcome.decision?.candidates.rejected ?? {};
  const among = (rule: string, places: string[]): string[] =>
    places.filter((place) => actual[rule]?.some((removed) => removed === place));
  return Object.fromEntries(Object.entries(expected).map(([rule, places]) => [rule, among(rule, places)]));
}

const nameOf = (manifest: Record<string, unknown>): unknown =>
  isObject(manifest["metadata"]) ? manifest["metadata"]["name"] : undefined;

function matching(expected: Record<string, unknown>, manifests: readonly KubernetesObject[]): KubernetesObject[] {
  const name = nameOf(expected);
  return manifests.filter(
    ({ kind, metadata }) => kind === expected["kind"] && (name === undefined || metadata.name === name),
  );
}

/** A matching manifest, or the first of its kind, to show the difference. */
function manifestLike(expected: Record<string, unknown>, manifests: readonly KubernetesObject[]): unknown {
  const parts = matching(expected, manifests).map((manifest) => partOf(manifest, expected));
  return parts.find((part) => isDeepStrictEqual(part, expected)) ?? parts[0] ?? null;
}

/** The actual value for each expectation. */
function readers(
  asked: Asked,
  manifests: readonly KubernetesObject[],
  expected: Expectations,
): Record<string, unknown> {
  const { outcome, stored } = asked;
  const { decision } = outcome;
  const codes = (entries: readonly { code: string }[] = []): string[] => sorted(entries.map(({ code }) => code));
  return {
    allowed: outcome.allowed,
    codes: outcome.allowed ? [] : sorted(outcome.codes),
    warnings: codes(decision?.warnings),
    degraded: codes(decision?.degraded),
    message: outcome.allowed ? null : outcome.message,
    placement: partOf(decision?.placement ?? null, expected.placement),
    rejected: rejectedBy(outcome, expected.rejected ?? {}),
    spec: partOf(stored.spec ?? {}, expected.spec),
    patch: outcome.allowed ? byPath(outcome.patch) : [],
    kinds: sorted(manifests.map(({ kind }) => kind)),
  };
}

/** The expectations, sorted by the order of their actual values. */
function wanted(expected: Expectations): Record<string, unknown> {
  const { codes, warnings, degraded, kinds, patch } = expected;
  const lists = Object.entries({ codes, warnings, degraded, kinds }).flatMap(([what, names]) =>
    names === undefined ? [] : [[what, sorted(names)] as const],
  );
  return { ...expected, ...Object.fromEntries(lists), ...(patch === undefined ? {} : { patch: byPath(patch) }) };
}

function messageMismatch(parts: readonly string[], message: unknown): Mismatch[] {
  const missing = parts.filter((part) => typeof message !== "string" || !message.includes(part));
  return missing.length === 0 ? [] : [{ what: "message", expected: missing, actual: message }];
}

/** Expectations that are lists of codes. */
const CODES: readonly string[] = ["codes", "warnings", "degraded"];
const DOCS = "docs/reference/errors.md lists them";

/** The names in a list of codes that no rule of Landfall has, with those that are meant. A policy of its users can have others. */
function withHint(one: Mismatch): Mismatch {
  const names = CODES.includes(one.what) && Array.isArray(one.expected) ? one.expected.map(textOf) : [];
  const known = Object.keys(ERRORS);
  const hints = names
    .filter((name) => !known.includes(name) && !(Array.isArray(one.actual) && one.actual.includes(name)))
    .map((name) => {
      const near = nearestAll(name.toUpperCase(), known);
      return `${name} is not a code of Landfall; ${near.length === 0 ? DOCS : `write ${near.join(" or ")}`}`;
    });
  return hints.length === 0 ? one : { ...one, hint: hints.join("; ") };
}

/** The expectations that are not met. Pure. */
export function compareCase(expected: Expectations, asked: Asked, manifests: readonly KubernetesObject[]): Mismatch[] {
  const actual = readers(asked, manifests, expected);
  const plain = Object.entries(wanted(expected)).filter(([what]) => what !== "message" && what !== "manifests");
  const rendered = (expected.manifests ?? []).map((manifest, index) => {
    const what = `manifests[${String(index)}] ${textOf(manifest["kind"])}`;
    return { what, expected: manifest, actual: manifestLike(manifest, manifests) };
  });
  const compared = [...plain.map(([what, value]) => ({ what, expected: value, actual: actual[what] })), ...rendered];
  return [
    ...compared.filter((one) => !isDeepStrictEqual(one.expected, one.actual)).map(withHint),
    ...messageMismatch(expected.message ?? [], actual["message"]),
  ];
}
