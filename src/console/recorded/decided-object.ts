import { stripDecision } from "../../model/decision-annotation/strip-decision.ts";
import { compactDecision } from "../../model/decision-annotation/compact-decision.ts";
import type { Decision } from "../../model/decision.ts";
import { isObject, textOf } from "../../model/json.ts";
import type { Condition, NamespaceData, Resource } from "../../model/kubernetes.ts";
import { ANNOTATION, API_VERSION, isKind } from "../../model/names.ts";
import { formatTime, parseTime, readTime } from "../../model/time.ts";

/** An object as a line of the decision log gives it. */
export interface DecidedObject {
  object: Resource;
  namespace: NamespaceData;
  /** Whether the decision denied it. */
  isDenied: boolean;
  /** When it was decided, in seconds since 1970. */
  atSeconds: number;
}

type Given = Record<string, unknown>;

const given = (value: unknown): Given => (isObject(value) ? value : {});
const texts = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(given(value)).map(([name, one]) => [name, textOf(one)]));

/** The codes and the first message of a denial, also of one that never reached the rules. */
function denialOf(result: Given): { codes: string; message: string } {
  const denials = Array.isArray(result["denials"]) ? result["denials"].filter(isObject) : [];
  const codes = Array.isArray(result["codes"]) ? result["codes"] : denials.map(({ code }) => code);
  return { codes: codes.join(", "), message: textOf(denials[0]?.["message"] ?? "it was denied") };
}

const BY_DECISION = "by its decision; the log does not say what became of it";

/** The state that the decision plans for now: a log says nothing of what became of the object. */
function conditionOf({ placement }: Decision, nowSeconds: number, at: string): Condition[] {
  const [start, end] = [placement?.start, placement?.end].map(readTime);
  const told = { status: "True", reason: "Recorded", message: BY_DECISION, lastTransitionTime: at } as const;
  if (end != null && end <= nowSeconds) return [{ type: "Completed", ...told }];
  return start != null && start <= nowSeconds ? [{ type: "Ready", ...told }] : [];
}

const isDecision = (result: Given): boolean => isObject(result["placement"]) && typeof result["inputs"] === "string";

function withDecision(object: Resource, decision: Decision, nowSeconds: number, at: string): Resource {
  const { placement } = decision;
  if (placement === null) return object;
  const isHeld = (parseTime(placement.start) ?? 0) > nowSeconds;
  const annotations = {
    ...object.metadata.annotations,
    [ANNOTATION.decision]: compactDecision({ decision, placement, held: isHeld, moves: [] }),
    ...(isHeld ? { [ANNOTATION.paused]: "true" } : {}),
  };
  const status = { conditions: conditionOf(decision, nowSeconds, at) };
  return { ...object, metadata: { ...object.metadata, annotations }, status };
}

function withDenial(object: Resource, result: Given, at: string): Resource {
  const { codes, message } = denialOf(result);
  const denied = { type: "Failed", status: "True", reason: codes || "Denied", message, lastTransitionTime: at };
  return { ...object, status: { conditions: [denied] } };
}

/** The object as its user wrote it, as of the decision: that is when it is explained. */
function writtenObject(object: Given, uid: unknown, at: string): Resource | null {
  const { kind, metadata, spec } = object;
  const { name, namespace, labels, annotations, uid: own = uid } = given(metadata);
  if (typeof kind !== "string" || !isKind(kind) || typeof name !== "string") return null;
  const place = typeof namespace === "string" ? namespace : "default";
  const named = { name, namespace: place, uid: textOf(own), creationTimestamp: at };
  return stripDecision({
    ...{ apiVersion: API_VERSION, kind, spec: given(spec) },
    metadata: { ...named, labels: texts(labels), annotations: texts(annotations) },
  }) as Resource;
}

function withResult(object: Resource, result: Given, nowSeconds: number, at: string): Resource {
  if (result["allowed"] === false) return withDenial(object, result, at);
  return isDecision(result) ? withDecision(object, result as unknown as Decision, nowSeconds, at) : object;
}

/** The object of a line of the decision log; null for a line that decides nothing that is stored. Pure. */
export function decidedObject(event: unknown, nowSeconds: number): DecidedObject | null {
  const { input, result } = given(event);
  const { object, request, namespace, now } = given(input);
  const { uid, dryRun } = given(request);
  const atSeconds = typeof now === "number" ? now : nowSeconds;
  const at = formatTime(atSeconds);
  const written = dryRun === true ? null : writtenObject(given(object), uid, at);
  if (written === null) return null;
  const { labels, annotations } = given(namespace);
  const answer = given(result);
  return {
    object: withResult(written, answer, nowSeconds, at),
    namespace: { name: written.metadata.namespace ?? "", labels: texts(labels), annotations: texts(annotations) },
    ...{ isDenied: answer["allowed"] === false, atSeconds },
  };
}
