import { apiPath, below } from "../../cluster/api-path.ts";
import { hasStatus } from "../../cluster/client/api-error.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { listObjects } from "../../cluster/list-objects.ts";
import { isObject, stringOf, textOf } from "../../model/json.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { type Verdict, VERDICTS } from "../../model/verdict.ts";
import type { Row } from "../contract/rows.ts";

/** The words of the last audit on an object. */
export interface Judgement {
  verdict: Verdict;
  message: string;
}

/** The last audit: `Kind/namespace/name` -> what it says. */
export type Verdicts = ReadonlyMap<string, Judgement>;

export const verdictKey = ({ kind, namespace, name }: Pick<Row, "kind" | "namespace" | "name">): string =>
  `${kind}/${namespace}/${name}`;

/** How long an answer is used again, in ms: the audit writes its reports every few minutes. */
const KEPT_MS = 15_000;

function verdictsIn(report: Resource & { results?: unknown }): [string, Judgement][] {
  const namespace = report.metadata.namespace ?? "";
  const results: unknown[] = Array.isArray(report.results) ? report.results : [];
  return results.filter(isObject).flatMap(({ kind, name, verdict, message }): [string, Judgement][] => {
    const known = VERDICTS.find((one) => one === verdict);
    if (known === undefined) return [];
    const judgement = { verdict: known, message: stringOf(message) };
    return [[`${textOf(kind)}/${namespace}/${textOf(name)}`, judgement]];
  });
}

/** How long a page waits for the reports, in ms: after it, the last known ones are shown. */
const WAIT_MS = 2000;

/** The result of a promise; `other` if it takes longer. */
async function within<T>(ms: number, asked: Promise<T>, other: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => {
      resolve(other());
    }, ms);
  });
  return Promise.race([asked, late]).finally(() => {
    clearTimeout(timer);
  });
}

/** Reads the PlacementReports of a namespace, or of all. Null if the user cannot, or the cluster has none. */
export function readVerdicts(client: KubeClient): (namespace: string | null) => Promise<Verdicts | null> {
  const kept = new Map<string, { at: number; verdicts: Promise<Verdicts | null> }>();
  const last = new Map<string, Verdicts | null>();

  async function read(namespace: string | null): Promise<Verdicts | null> {
    const version = apiPath`/apis/landfall.dev/v1alpha1`;
    const scope = namespace === null ? [] : ["namespaces", namespace];
    try {
      const { items } = await listObjects(client, below(version, ...scope, "placementreports"));
      return new Map(items.flatMap(verdictsIn));
    } catch (thrown) {
      if (hasStatus(thrown, 403) || hasStatus(thrown, 404)) return null;
      throw thrown;
    }
  }

  return (namespace) => {
    const key = namespace ?? "";
    const known = kept.get(key);
    const lastKnown = (): Verdicts | null => last.get(key) ?? null;
    if (known !== undefined && performance.now() - known.at < KEPT_MS)
      return within(WAIT_MS, known.verdicts, lastKnown);
    const verdicts = read(namespace);
    kept.set(key, { at: performance.now(), verdicts });
    verdicts.then(
      (found) => last.set(key, found),
      () => kept.delete(key),
    );
    return within(WAIT_MS, verdicts, lastKnown);
  };
}
