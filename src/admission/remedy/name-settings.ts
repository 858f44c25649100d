import type { Denial } from "../../model/decision.ts";
import { inLabel, type SettingFault, settingFault, textOfLabel } from "../../model/wrong-value/namespace-setting.ts";
import type { DecisionRequest } from "../types.ts";

/** `namespace landfall.dev/regions`, as the policy names the field. */
const OF_NAMESPACE = "namespace ";

/** A setting of a namespace that no decision can read. */
interface WrongSetting {
  /** The value that the policy has read: of a label, what it stands for. */
  read: string;
  /** The annotation's or label's own text. */
  text: string;
  /** `set landfall.dev/os to "debian-12"`, `remove landfall.dev/regions` */
  advice: string;
}

/** The fault of a namespace's setting, in its annotation or label; null if there is nothing to correct. */
function wrongSetting({ namespace, policy }: DecisionRequest, key: string): WrongSetting | null {
  const annotation = namespace.annotations[key];
  const text = annotation ?? namespace.labels[key];
  if (text === undefined) return null;
  const read = annotation ?? textOfLabel(key, text);
  const found = settingFault(key, read, policy.catalog.settingNames);
  if (found === null) return null;
  return { read, text, advice: adviceFor(key, found, annotation === undefined) };
}

function adviceFor(key: string, found: SettingFault, isLabel: boolean): string {
  const { write } = isLabel ? inLabel(key, found) : found;
  const what = isLabel ? `the label ${key}` : key;
  if (write === null) return `remove ${what}`;
  return write === found.write || !write.includes("annotation")
    ? `set ${what} to ${write}`
    : `replace ${what} by an annotation, ${String(found.write)}`;
}

const OS = "landfall.dev/os";
/** The policies name no setting there: to them, the machine asks for a system of which no place has an image. */
const WITHOUT_IMAGE: readonly string[] = ["PLACEMENT_NONE", "POL_IMAGE"];

/** Whether the machine takes its operating system from the namespace. */
const takesSystem = ({ kind, object: { spec = {} } }: DecisionRequest): boolean =>
  kind === "VmTemplate" && (spec["os"] ?? spec["image"]) === undefined;

/** The denial of a machine whose namespace names an operating system that there is not; null for others. */
function ofSystem(request: DecisionRequest, entry: Denial): Denial | null {
  const found = WITHOUT_IMAGE.includes(entry.code) && takesSystem(request) ? wrongSetting(request, OS) : null;
  if (found === null) return null;
  const message = `${entry.message}: namespace ${request.namespace.name} sets ${OS} to ${found.text}, of which there are no images`;
  return { ...entry, message, remedy: `write os, or ask the namespace's owner to ${found.advice}` };
}

/**
 * The denials for settings of the namespace, one for each: the policy reports each name of a list, without the list that holds it and without
 * the value to write.
 */
export function withSettings(request: DecisionRequest, denials: readonly Denial[]): Denial[] {
  const seen = new Set<string>();
  return denials.flatMap((entry) => {
    const { field, source, actual, message } = entry;
    const key = field?.startsWith(OF_NAMESPACE) === true ? field.slice(OF_NAMESPACE.length) : "";
    const found = source === undefined ? wrongSetting(request, key) : null;
    if (found === null) return [ofSystem(request, entry) ?? entry];
    if (seen.has(key)) return [];
    seen.add(key);
    const { read, text, advice } = found;
    const part = String(actual);
    return [
      {
        ...entry,
        actual: text,
        message: read.includes(part) ? message.replace(part, text) : message,
        remedy: `ask the namespace's owner to ${advice}`,
      },
    ];
  });
}
