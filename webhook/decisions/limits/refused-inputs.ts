import { LandfallError, messageOf } from "../../../src/errors.ts";
import { itself, type OwnerOf } from "../../../src/external-data/sample-fairly.ts";
import { AUTHENTICATED, type Caller } from "../../../src/model/caller.ts";
import { canonicalJson, isObject } from "../../../src/model/json.ts";
import { sha256 } from "../../../src/model/sha256.ts";
import type { FatalRequest } from "../pending.ts";
import { type Held, openStrikes, type StrikeLimits } from "./open-strikes.ts";

/** An input that ended a process is refused for so long, in ms. */
const REFUSED_MS = 600_000;
/** The oldest are forgotten: memory must not grow with the number of attacks. */
const MOST = 1000;
/** A namespace whose inputs ended processes this often within that time is refused temporarily, and for longer each time that it ends another one. */
const LIMITS: StrikeLimits = { strikes: 3, withinMs: REFUSED_MS, heldMs: 60_000, longestMs: 3_600_000, most: MOST };
/** So is the owner of several namespaces: the owner of one needs no other limit than that of the namespace. */
const OWNER_LIMITS: StrikeLimits = { ...LIMITS, namespaces: 2 };
/** So is a user of several namespaces, but no longer the next time: it may be a GitOps controller that applies the objects of all tenants. */
const USER_LIMITS: StrikeLimits = { ...OWNER_LIMITS, longestMs: LIMITS.heldMs };

/** Inputs that ended a decision process. */
export interface RefusedInputs {
  /** Remembers the request that a process worked on when it ended. */
  add(fatalRequest: FatalRequest, namespace: string | null, why: LandfallError): void;
  /** Forgets what this team's rules were to blame for, which do not decide any more. */
  forgive(team: string): void;
  /** Tries again what this team's rules were to blame for, as other rules of the team decide now. */
  release(team: string): void;
  /** Why a request is refused: ADM_INPUT_REFUSED, ADM_NAMESPACE_HELD, ADM_OWNER_HELD or ADM_USER_HELD; null if it is not. */
  check(body: string, namespace: string | null, caller?: Caller): LandfallError | null;
}

/** The content of a request, and who asks. */
interface Input {
  /** SHA-256, without what differs each time that it is sent. */
  digest: string;
  /** Null if the review names none. */
  user: string | null;
}

/** Null for what is not a review. */
function inputOf(body: string): Input | null {
  try {
    const review: unknown = JSON.parse(body);
    const request = isObject(review) && isObject(review["request"]) ? review["request"] : {};
    const object = isObject(request["object"]) ? request["object"] : {};
    const { labels, annotations } = isObject(object["metadata"]) ? object["metadata"] : {};
    const { kind, namespace, userInfo } = request;
    const digest = sha256(canonicalJson({ kind, namespace, labels, annotations, spec: object["spec"] }));
    const user = isObject(userInfo) ? userInfo["username"] : null;
    return { digest, user: typeof user === "string" ? user : null };
  } catch {
    return null;
  }
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

const paramsOf = ({ count, detail, untilMs }: Held) => ({ count, detail, until: timeOf(untilMs) });

/**
 * Nothing is refused at first. `isOwn`: the users of Landfall's own processes, which ask about objects of all namespaces and are never
 * held. The user of a review counts only if the API server sent it: anyone else can write any.
 */
export function openRefusedInputs(
  nowMs: () => number,
  isOwn: (user: string) => boolean = () => false,
  ownerOf: OwnerOf = itself,
): RefusedInputs {
  const inputs = new Map<string, { until: number; detail: string; team: unknown }>();
  const [namespaces, owners] = [openStrikes(nowMs, LIMITS), openStrikes(nowMs, OWNER_LIMITS)];
  const users = openStrikes(nowMs, USER_LIMITS);

  const userOf = (input: Input | null, { authentication }: Caller): string | null => {
    const { user } = input ?? { user: null };
    return authentication === "none" || user === null || isOwn(user) ? null : user;
  };

  function heldNamespace(namespace: string): LandfallError | null {
    const held = namespaces.held(namespace);
    if (held !== null) return new LandfallError("ADM_NAMESPACE_HELD", { namespace, ...paramsOf(held) });
    const ofOwner = owners.held(ownerOf(namespace));
    return ofOwner === null ? null : new LandfallError("ADM_OWNER_HELD", { namespace, ...paramsOf(ofOwner) });
  }

  function heldUser(user: string): LandfallError | null {
    const held = users.held(user);
    return held === null ? null : new LandfallError("ADM_USER_HELD", { user, ...paramsOf(held) });
  }

  function refused(input: Input | null): LandfallError | null {
    const entry = input === null ? undefined : inputs.get(input.digest);
    if (entry === undefined) return null;
    return new LandfallError("ADM_INPUT_REFUSED", { detail: entry.detail, until: timeOf(entry.until) });
  }

  function freeInputs(team: string): void {
    for (const [digest, entry] of inputs) if (entry.team === team) inputs.delete(digest);
  }

  return {
    add: ({ body, caller = AUTHENTICATED }, namespace, why) => {
      const input = inputOf(body);
      const team = why.code === "POL_TEAM" ? why.params["bundle"] : null;
      const detail = messageOf(why);
      if (input !== null) inputs.set(input.digest, { until: nowMs() + REFUSED_MS, detail, team });
      const strike = { namespace: namespace ?? "", team, detail };
      if (namespace !== null) {
        namespaces.add(namespace, strike);
        owners.add(ownerOf(namespace), strike);
      }
      const user = userOf(input, caller);
      if (user !== null) users.add(user, strike);
      const [oldest] = inputs.keys();
      if (inputs.size > MOST && oldest !== undefined) inputs.delete(oldest);
    },
    forgive: (team) => {
      freeInputs(team);
      for (const strikes of [namespaces, owners, users]) strikes.forgive(team);
    },
    release: (team) => {
      freeInputs(team);
      for (const strikes of [namespaces, owners, users]) strikes.release(team);
    },
    // Bodies are parsed here only while an input or a user is refused.
    check: (body, namespace, caller = AUTHENTICATED) => {
      const held = namespace === null ? null : heldNamespace(namespace);
      if (held !== null) return held;
      for (const [digest, { until }] of inputs) if (until <= nowMs()) inputs.delete(digest);
      if (inputs.size === 0 && !users.holdsAny()) return null;
      const input = inputOf(body);
      const user = userOf(input, caller);
      return (user === null ? null : heldUser(user)) ?? refused(input);
    },
  };
}
