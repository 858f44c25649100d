import { type Verdict, VERDICTS } from "../model/verdict.ts";
import type { Finding } from "./finding.ts";

/** Further entries are counted, not listed: a report must fit into an object of the API server. */
const LISTED = 100;
const MESSAGE_LIMIT = 300;

/** `PlacementReport`: the audit of a namespace's objects. Has no time, so that it changes only with its content. */
export interface Report {
  apiVersion: "landfall.dev/v1alpha1";
  kind: "PlacementReport";
  metadata: { name: "landfall"; namespace: string };
  bundle: string;
  summary: Record<Exclude<Verdict, "move-on-recreate"> | "moveOnRecreate" | "objects", number>;
  results: Pick<
    Finding,
    "kind" | "name" | "verdict" | "codes" | "message" | "place" | "to" | "gramsSaved" | "started"
  >[];
  /** How many entries were omitted. */
  omitted: number;
}

const urgency = ({ verdict }: Finding): number => VERDICTS.indexOf(verdict);

const byUrgency = (a: Finding, b: Finding): number =>
  urgency(a) - urgency(b) || (b.gramsSaved ?? 0) - (a.gramsSaved ?? 0) || (a.name < b.name ? -1 : 1);

function report(namespace: string, findings: readonly Finding[], bundle: string): Report {
  const summary = { objects: findings.length, deny: 0, move: 0, moveOnRecreate: 0, stay: 0, undecided: 0 };
  for (const { verdict } of findings) summary[verdict === "move-on-recreate" ? "moveOnRecreate" : verdict] += 1;
  const notable = findings.filter(({ verdict }) => verdict !== "stay").sort(byUrgency);
  return {
    ...{ apiVersion: "landfall.dev/v1alpha1", kind: "PlacementReport" },
    metadata: { name: "landfall", namespace },
    ...{ bundle, summary },
    results: notable
      .slice(0, LISTED)
      .map(({ namespace: _, message, ...rest }) => ({ ...rest, message: message.slice(0, MESSAGE_LIMIT) })),
    omitted: Math.max(0, notable.length - LISTED),
  };
}

/** One report for each namespace with objects, sorted by name. */
export function reportsOf(findings: readonly Finding[], bundle: string): Report[] {
  const byNamespace = Map.groupBy(findings, ({ namespace }) => namespace);
  return [...byNamespace.keys()].sort().map((namespace) => report(namespace, byNamespace.get(namespace) ?? [], bundle));
}
