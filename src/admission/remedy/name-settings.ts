import type { Denial } from "../../model/decision.ts";
import { settingFault, textOfLabel } from "../../model/wrong-value/namespace-setting.ts";
import type { DecisionRequest } from "../types.ts";

/** `namespace landfall.dev/regions`, as the policy names the field. */
const OF_NAMESPACE = "namespace ";

/** The text of a namespace's setting: its annotation, or what its label stands for. Undefined if it has neither. */
function textOf({ namespace }: DecisionRequest, key: string): string | undefined {
  const label = namespace.labels[key];
  return namespace.annotations[key] ?? (label === undefined ? undefined : textOfLabel(key, label));
}

/** The text of a namespace's setting, and the value to write; null if there is nothing to correct, or no correction is known. */
function writtenSetting(request: DecisionRequest, key: string): readonly [text: string, write: string] | null {
  const text = textOf(request, key);
  const fault = text === undefined ? null : settingFault(key, text, request.policy.catalog.settingNames);
  return text === undefined || fault === null ? null : [text, `${key} to ${fault.write}`];
}

const OS = "landfall.dev/os";
/** The policies name no setting there: to them, the machine asks for a system of which no place has an image. */
const WITHOUT_IMAGE: readonly string[] = ["PLACEMENT_NONE", "POL_IMAGE"];

/** Whether the machine takes its operating system from the namespace. */
const takesSystem = ({ kind, object: { spec = {} } }: DecisionRequest): boolean =>
  kind === "VmTemplate" && (spec["os"] ?? spec["image"]) === undefined;

/** The denial of a machine whose namespace names an operating system that there is not; null for others. */
function ofSystem(request: DecisionRequest, entry: Denial): Denial | null {
  const found = WITHOUT_IMAGE.includes(entry.code) && takesSystem(request) ? writtenSetting(request, OS) : null;
  if (found === null) return null;
  const [text, write] = found;
  const message = `${entry.message}: namespace ${request.namespace.name} sets ${OS} to ${text}, of which there are no images`;
  return { ...entry, message, remedy: `write os, or ask the namespace's owner to set ${write}` };
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
    const found = source === undefined ? writtenSetting(request, key) : null;
    if (found === null) return [ofSystem(request, entry) ?? entry];
    if (seen.has(key)) return [];
    seen.add(key);
    const [text, write] = found;
    const part = String(actual);
    return [
      {
        ...entry,
        actual: text,
        message: text.includes(part) ? message.replace(part, text) : message,
        remedy: `ask the namespace's owner to set ${write}`,
      },
    ];
  });
}
