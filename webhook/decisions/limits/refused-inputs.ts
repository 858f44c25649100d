import { LandfallError, messageOf } from "../../../src/errors.ts";
import { canonicalJson, isObject } from "../../../src/model/json.ts";
import { sha256 } from "../../../src/model/sha256.ts";
import type { FatalRequest } from "../start-process.ts";

/** An input that ended a process is refused for so long, in ms. */
const REFUSED_MS = 600_000;
/** A namespace whose inputs ended processes this often within that time is refused temporarily. */
const STRIKES = 3;
const HELD_MS = 60_000;
/** The oldest are forgotten: memory must not grow with the number of attacks. */
const MOST = 1000;

/** Inputs that ended a decision process. */
export interface RefusedInputs {
  /** Remembers the request that a process worked on when it ended. */
  add(fatalRequest: FatalRequest, namespace: string | null, why: LandfallError): void;
  /** Forgets what this team's rules were to blame for. */
  forgive(team: string): void;
  /** Why a request is refused: ADM_INPUT_REFUSED or ADM_NAMESPACE_HELD; null if it is not. */
  check(body: string, namespace: string | null): LandfallError | null;
}

/** SHA-256 of what a request asks for, without what differs each time that it is sent; null for what is not a review. */
function digestOf(body: string): string | null {
  try {
    const review: unknown = JSON.parse(body);
    const request = isObject(review) && isObject(review["request"]) ? review["request"] : {};
    const object = isObject(request["object"]) ? request["object"] : {};
    const { labels, annotations } = isObject(object["metadata"]) ? object["metadata"] : {};
    const { kind, namespace } = request;
    return sha256(canonicalJson({ kind, namespace, labels, annotations, spec: object["spec"] }));
  } catch {
    return null;
  }
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

/** Nothing is refused at first. */
export function openRefusedInputs(nowMs: () => number): RefusedInputs {
  const inputs = new Map<string, { until: number; detail: string; team: unknown }>();
  const strikes = new Map<string, { at: number; team: unknown }[]>();

  function held(namespace: string): LandfallError | null {
    const times = (strikes.get(namespace) ?? []).map(({ at }) => at).filter((at) => nowMs() - at < REFUSED_MS);
    const until = (times.at(-1) ?? 0) + HELD_MS;
    if (times.length < STRIKES || until <= nowMs()) return null;
    return new LandfallError("ADM_NAMESPACE_HELD", { namespace, count: times.length, until: timeOf(until) });
  }

  function refused(body: string): LandfallError | null {
    const digest = digestOf(body);
    const entry = digest === null ? undefined : inputs.get(digest);
    if (entry === undefined) return null;
    return new LandfallError("ADM_INPUT_REFUSED", { detail: entry.detail, until: timeOf(entry.until) });
  }

  return {
    add: ({ body }, namespace, why) => {
      const digest = digestOf(body);
      const team = why.code === "POL_TEAM" ? why.params["bundle"] : null;
      if (digest !== null) inputs.set(digest, { until: nowMs() + REFUSED_MS, detail: messageOf(why), team });
      if (namespace !== null)
        strikes.set(namespace, [...(strikes.get(namespace) ?? []), { at: nowMs(), team }].slice(-STRIKES));
      for (const map of [inputs, strikes]) {
        const [oldest] = map.keys();
        if (map.size > MOST && oldest !== undefined) map.delete(oldest);
      }
    },
    forgive: (team) => {
      for (const [digest, entry] of inputs) if (entry.team === team) inputs.delete(digest);
      for (const [namespace, all] of strikes)
        strikes.set(
          namespace,
          all.filter((strike) => strike.team !== team),
        );
    },
    // Bodies are parsed here only while something is refused.
    check: (body, namespace) => {
      for (const [digest, { until }] of inputs) if (until <= nowMs()) inputs.delete(digest);
      if (inputs.size === 0) return null;
      return (namespace === null ? null : held(namespace)) ?? refused(body);
    },
  };
}
