import { checkAlone, decideAlone } from "../../admission/decide/decide.ts";
import type { DecisionRequest } from "../../admission/types.ts";
import { readDecision } from "../../model/decision-annotation/compact-decision.ts";
import type { Decision, ScoredCandidate } from "../../model/decision.ts";
import type { NamespaceData, Resource } from "../../model/kubernetes.ts";
import { formatTime } from "../../model/time.ts";
import { type PlaceKey, placeName } from "../../model/workload.ts";
import type { Candidate, Counterfactual, Explanation } from "../contract/object.ts";
import type { Starts } from "../contract/timeline.ts";
import type { Doing } from "../server/turns.ts";
import { type Decider, decidedAt, pinsOf, requestOf } from "./decision-request.ts";
import { originOf } from "./origin-of.ts";
import { otherStarts } from "./other-starts.ts";
import type { RuleLine } from "./rule-lines.ts";

export interface ExplainerOptions extends Decider {
  ruleLine: (rule: string) => RuleLine | null;
  nowSeconds: () => number;
}

/** Explains the decision on an object by making it again. */
export interface Explainer {
  /** All places with what the rules say of each. */
  explain(object: Resource, namespace: NamespaceData): Omit<Explanation, "readable">;
  /** The change that it takes for the object to run in this place. */
  whatIf(object: Resource, namespace: NamespaceData, place: PlaceKey): Counterfactual;
  /** The other starts that it could have. */
  starts(object: Resource, namespace: NamespaceData, inTurn: Doing): Promise<Starts>;
}

/** Longest time for the figures of the places that are not among the best, in ms: a page waits for it. */
const FIGURES_MS = 1500;

const EMPTY: Omit<Candidate, "place" | "rule"> = {
  ...{ instanceType: null, start: null, latencyMs: null, latencyEstimated: false, usdPerHour: null, grams: null },
  score: null,
};

const fromBest = ({ place, latencySource, pricePerHour, gramsCO2, score, ...rest }: ScoredCandidate): Candidate => ({
  ...{ place, rule: null, instanceType: rest.instanceType, start: rest.start, latencyMs: rest.latencyMs, score },
  ...{ latencyEstimated: latencySource === "estimated", usdPerHour: pricePerHour, grams: gramsCO2 },
});

/** A place as a decision that is pinned to it gives it. */
function fromPinned(place: PlaceKey, { placement }: Decision): Candidate {
  if (placement === null) return { ...EMPTY, place, rule: null };
  const { instanceType, start, latencyMs, latencySource, pricePerHour, gramsCO2 } = placement;
  return {
    ...{ place, rule: null, instanceType, start, latencyMs, score: null },
    ...{ latencyEstimated: latencySource === "estimated", usdPerHour: pricePerHour, grams: gramsCO2 },
  };
}

const denialsOf = ({ denials }: Decision): Explanation["denials"] =>
  denials.map(({ code, message, remedy }) => ({ code, message, remedy }));

export function createExplainer({ ruleLine, nowSeconds, ...decider }: ExplainerOptions): Explainer {
  const { policy } = decider;
  const recordedRequest = (object: Resource, namespace: NamespaceData): DecisionRequest =>
    requestOf(object, namespace, decider, decidedAt(object, nowSeconds()));

  /** The figures of each place that no rule removed. */
  function figures(request: DecisionRequest, { candidates }: Decision): Candidate[] {
    const best = candidates.best.map(fromBest);
    const removed = new Set(Object.values(candidates.rejected).flat());
    const shown = new Set(best.map(({ place }) => place));
    const others = Object.keys(policy.catalog.places).filter((place) => !removed.has(place) && !shown.has(place));
    const until = performance.now() + FIGURES_MS;
    const more = others.map((place) =>
      performance.now() > until
        ? { ...EMPTY, place, rule: null }
        : fromPinned(place, checkAlone({ ...request, pins: pinsOf(place) })),
    );
    const grams = ({ grams: value }: Candidate): number => value ?? Number.POSITIVE_INFINITY;
    return [...best, ...more.sort((a, b) => grams(a) - grams(b))];
  }

  return {
    explain(object, namespace) {
      const request = recordedRequest(object, namespace);
      const decision = decideAlone(request);
      const { candidates } = decision;
      const recorded = readDecision(object);
      const { placement } = decision;
      const rejected = Object.entries(candidates.rejected).flatMap(([rule, places]) =>
        places.map((place) => ({ ...EMPTY, place, rule })),
      );
      return {
        at: formatTime(request.nowSeconds),
        bundle: { digest: policy.digest, revision: policy.revision },
        sameBundle: recorded === null ? null : recorded.policy.digest === policy.digest,
        sameResult:
          recorded !== null &&
          placement !== null &&
          placeName(recorded.placement) === placeName(placement) &&
          recorded.placement.start === placement.start,
        origin: originOf(request),
        allowed: decision.allowed,
        denials: denialsOf(decision),
        considered: candidates.considered,
        funnel: candidates.funnel.map((step) => ({ ...step, source: ruleLine(step.rule) })),
        candidates: [...figures(request, decision), ...rejected],
      };
    },
    whatIf(object, namespace, place) {
      const decision = decideAlone({ ...recordedRequest(object, namespace), pins: pinsOf(place) });
      const { allowed, denials } = decision;
      const patch = denials[0]?.patch;
      return {
        ...{ place, allowed, denials: denialsOf(decision) },
        candidate: allowed ? fromPinned(place, decision) : null,
        patch: patch === undefined ? null : JSON.stringify(patch, null, 2),
      };
    },
    starts: (object, namespace, inTurn) => otherStarts({ object, namespace, inTurn }, decider, nowSeconds()),
  };
}
