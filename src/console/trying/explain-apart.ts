import type { NamespaceData, Resource } from "../../model/kubernetes.ts";
import type { PlaceKey } from "../../model/workload.ts";
import type { Explainer, ExplainerOptions } from "../explanation/create-explainer.ts";
import type { InTurn } from "../server/turns.ts";
import type { Answers, Asked, Questions } from "./open-trials.ts";

/** Asks another process for one user. */
export type AskApart = <What extends keyof Questions>(
  what: What,
  about: Questions[What],
  left: AbortSignal,
) => Promise<Answers[What]>;

/** Explains decisions to a page, unless it has `left` by then. */
export interface Explaining {
  explain(object: Resource, namespace: NamespaceData, left: AbortSignal): Promise<Answers["explain"]>;
  starts(object: Resource, namespace: NamespaceData, left: AbortSignal): Promise<Answers["starts"]>;
  whatIf(object: Resource, namespace: NamespaceData, place: PlaceKey, left: AbortSignal): Promise<Answers["whatIf"]>;
}

/** On this thread, in the turn of the user. */
export const explainHere = (explainer: Explainer, inTurn: InTurn): Explaining => ({
  explain: (object, namespace, left) => inTurn(() => explainer.explain(object, namespace), left),
  starts: (object, namespace, left) => explainer.starts(object, namespace, (work) => inTurn(work, left)),
  whatIf: (object, namespace, place, left) => inTurn(() => explainer.whatIf(object, namespace, place), left),
});

/** In another process, which knows no files of rules. */
export function explainApart(
  ask: AskApart,
  { forecasts, nowSeconds, ruleLine }: Omit<ExplainerOptions, "policy">,
): Explaining {
  const about = (object: Resource, namespace: NamespaceData): Asked => ({
    ...{ object, namespace, forecasts: forecasts(), nowSeconds: nowSeconds() },
  });
  return {
    async explain(object, namespace, left) {
      const found = await ask("explain", { asked: about(object, namespace) }, left);
      return { ...found, funnel: found.funnel.map((step) => ({ ...step, source: ruleLine(step.rule) })) };
    },
    starts: (object, namespace, left) => ask("starts", { asked: about(object, namespace) }, left),
    whatIf: (object, namespace, place, left) => ask("whatIf", { asked: about(object, namespace), place }, left),
  };
}
