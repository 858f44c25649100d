import { isObject } from "../../model/json.ts";
import { textAt } from "./fields.ts";
import type { Resource } from "./types.ts";

/** A request for a fault, as annotation, label or tag. */
const ASKED_AS = "simulate";

/** The fault that the resource asks for by annotation, label, or tag (a map as Azure's, or a list of key and value as AWS's). */
export function askedFault(resource: Resource): string | null {
  const { annotations = {}, labels = {} } = resource.metadata;
  const tags: unknown = resource.spec["tags"];
  const listed: unknown = Array.isArray(tags)
    ? tags.find((tag) => isObject(tag) && tag["key"] === ASKED_AS)
    : undefined;
  return (
    annotations[`landfall.dev/${ASKED_AS}`] ??
    labels[ASKED_AS] ??
    textAt(listed, "value") ??
    textAt(resource.spec, `tags.${ASKED_AS}`) ??
    textAt(resource.spec, `labels.${ASKED_AS}`)
  );
}
