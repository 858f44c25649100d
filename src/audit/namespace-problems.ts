import type { KubernetesObject } from "../model/kubernetes.ts";
import type { SettingNames } from "../model/places/catalog.ts";
import {
  inLabel,
  namespaceSettings,
  settingAdvice,
  settingFault,
  textOfLabel,
} from "../model/wrong-value/namespace-setting.ts";
import { meantSetting } from "../model/wrong-value/setting-name.ts";

const PREFIX = "landfall.dev";
/** Landfall's other names on namespaces: provider-objects.landfall.dev selects by the label, the webhook reads the annotation. */
const OTHERS = [`${PREFIX}/managed`, `${PREFIX}/webhooks-suspended`];
/** A default that an object can replace; the other settings hold for every object. */
const DEFAULT_OS = `${PREFIX}/os`;

/** A label or annotation that no decision can read. */
export interface NamespaceProblem {
  namespace: string;
  message: string;
}

function unknownName(what: string, key: string): string | null {
  const name = meantSetting(key);
  if (name === null) return null;
  const advice = name === "" ? "remove it, or write one of the names in docs/reference/settings.md" : `write ${name}`;
  return `${what} ${key} is not a setting of a namespace, so it has no effect; ${advice}`;
}

function problemOf(
  what: "annotation" | "label",
  [key, value]: readonly [string, string],
  names: SettingNames,
): string | null {
  if (OTHERS.includes(key)) return null;
  if (namespaceSettings()[key] === undefined) return unknownName(what, key);
  const isLabel = what === "label";
  const text = isLabel ? textOfLabel(key, value) : value;
  const fault = settingFault(key, text, names);
  if (fault === null) return null;
  const { detail } = fault;
  const why = detail === "" ? "" : `: ${detail}`;
  const denied = `objects of the namespace${key === DEFAULT_OS ? " without os in their spec" : ""} are denied`;
  return `${what} ${key} "${value}" is not valid${why}, so ${denied}; ${settingAdvice(isLabel ? inLabel(key, fault) : fault)}`;
}

/**
 * The labels and annotations of namespaces that look like settings of Landfall and are none, or cannot be read. `names` are those that the
 * bundle knows; without them, names are not checked. Pure.
 */
export const namespaceProblems = (
  namespaces: readonly KubernetesObject[],
  names: SettingNames = {},
): NamespaceProblem[] =>
  namespaces.flatMap(({ metadata: { name = "", annotations = {}, labels = {} } }) => {
    const found = [
      ...Object.entries(annotations).map((entry) => problemOf("annotation", entry, names)),
      ...Object.entries(labels).map((entry) => problemOf("label", entry, names)),
    ];
    return found.flatMap((message) => (message === null ? [] : [{ namespace: name, message }]));
  });
