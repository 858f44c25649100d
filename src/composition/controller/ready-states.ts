import { conditionsOf } from "../../model/kubernetes.ts";
import { isKind } from "../../model/names.ts";
import type { Composition } from "../context/composition-context.ts";

const STATES = ["True", "False"];

/** The kinds and the statuses of the condition Ready. Other kinds are one: a chart's author chooses their names. */
export const readyStates = (compositions: readonly Composition[]): { kind: string; ready: string }[] =>
  compositions.map(({ object }) => {
    const status = conditionsOf(object).find(({ type }) => type === "Ready")?.status ?? "";
    return { kind: isKind(object.kind) ? object.kind : "other", ready: STATES.includes(status) ? status : "Unknown" };
  });
