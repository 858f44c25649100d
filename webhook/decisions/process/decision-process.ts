// The entry of the process that decides. It holds one set of bundles and a copy of the cluster's state, and decides one request
// after the other; namespaces are served in turn. TLS, HTTP and all waiting happen in the webhook's own process.
import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { asLandfallError } from "../../../src/errors.ts";
import { createClusterData } from "../../../src/external-data/cluster-data.ts";
import { verifySet } from "../../../src/bundle/signature/verify-set.ts";
import { ringOf } from "../../../src/model/decision-annotation/key-ring.ts";
import { fedZones } from "../../../src/model/places/catalog.ts";
import { loadBundles } from "../../../src/policy/load-bundles.ts";
import type { LoadedBundle } from "../../../src/policy/loaded-bundle.ts";
import { type Asked, answerRequests } from "./answer-requests.ts";
import { createOutbox } from "./create-outbox.ts";
import { makeAnswers } from "./make-answers.ts";
import { collectGarbage } from "../collect-garbage.ts";
import { deniedCases, smokeAll } from "./smoke-all.ts";
import { announcements } from "../../../src/policy/announcements.ts";
import type { ProcessData, ToldEvent, ToProcess } from "../messages.ts";
import { decisionLines } from "./decision-lines.ts";
import { DATA, PROGRESS_FILE, writeProgress } from "../../../src/policy/process/progress.ts";
import { blameStrayErrors, teamNames, usedMs, watchTeams } from "../../../src/policy/process/watch-teams.ts";
import { shareTime } from "../../../src/policy/process/team-shares.ts";
import { namespaceOwner } from "../../../src/external-data/namespace-owner.ts";
import type { OwnerOf } from "../../../src/external-data/sample-fairly.ts";
import { uptimeMs } from "../../../src/processes/uptime-ms.ts";
import { takeRequests } from "./take-requests.ts";
import { type Packed, unpacked } from "../../../src/bundle/signature/packed-trust.ts";
import { nowSeconds } from "../../../src/model/time.ts";

// Keeps the process until the webhook closes the channel: then nothing is left to wait for.
process.once("disconnect", () => undefined);
const [first] = (await once(process, "message")) as [Packed<ProcessData>];

const outbox = createOutbox((messages) => process.send?.(messages));
const { say } = outbox;

/** Who asks: an owner of namespaces, or an unauthenticated caller, which may name any namespace. Null for the webhook's own questions. */
function askedBy({ quiet, caller, namespace }: Asked, ownerOf: OwnerOf): string | null {
  if (quiet) return null;
  return caller?.authentication === "none" ? `caller ${caller.source}` : ownerOf(namespace);
}

/** Loads the bundles, answers requests from then on, and says that it is ready. Throws for a bundle that must not decide. */
async function serve(data: ProcessData): Promise<void> {
  const { bytes, ref, others, absent, trust, signed, events, consults, logLabels, slowMs, traced = false } = data;
  const working = writeProgress(PROGRESS_FILE);
  blameStrayErrors(working);
  const clusterData = createClusterData();
  const shares = shareTime(slowMs, uptimeMs);
  const ownerOf = namespaceOwner(data.owner, (name) => clusterData.namespace(name));
  /** Of the request that is decided; null for the webhook's own questions. */
  let namespace: string | null = null;
  const onSlow = (team: string, ms: number): void => {
    if (namespace !== null) say({ type: "slow", team, namespace, ms });
  };
  const on = <T>(asked: Asked, work: () => T, limited = false): T => {
    // Slow requests of unauthenticated callers count against no team.
    namespace = asked.quiet || asked.caller?.authentication === "none" ? null : asked.namespace;
    const asking = { owner: askedBy(asked, ownerOf), namespace: asked.namespace, limited };
    const result = shares.on(asking, () => working.on(asked.id, work));
    namespace = null;
    return result;
  };
  const during = watchTeams({ working, teams: teamNames(others), slowMs, onSlow, onUsed: shares.add });
  const signers = verifySet({ bytes, ref, trust, signed }, others, during);
  const loaded = await loadBundles({ bytes, ref }, others, { during, check: shares.check });
  const policyWithout = (teams: readonly string[]): LoadedBundle => {
    const bundle = loaded.without(new Set(teams));
    return { ...bundle, absent: [...absent, ...bundle.absent] };
  };
  working.on(DATA, () => {
    for (const event of events) clusterData.apply(event);
  });
  let book = data.forecasts;
  let ring = ringOf(...data.keys);
  const known = { clusterData, nowSeconds, forecasts: () => book, keys: () => ring, usedMs, traced };
  let answer = makeAnswers({ policy: policyWithout([]), ...known });
  const line = decisionLines(loaded.data, ref, logLabels);
  const requests = answerRequests({ answer: () => answer, line, consults, say, on, working, nowSeconds });
  // A decision that has begun is finished: only the first question about it is limited.
  const { push, work } = takeRequests((asked) => on(asked, () => requests.ask(asked), true), { outbox, usedMs });
  const learn = (event: ToldEvent): void => {
    if (event.type === "forecasts") ({ book } = event);
    else if (event.type === "keys") ring = ringOf(...event.keys);
    else if (event.type === "aside") answer = makeAnswers({ policy: policyWithout(event.teams), ...known });
    else working.on(DATA, () => clusterData.apply(event));
  };
  const hear = (message: ToProcess): void => {
    if (message.type === "ask") push(message);
    else if (message.type === "event") learn(message.event);
    else requests.advise(message.id, message.advice);
  };
  process.on("message", (messages: ToProcess[]) => {
    outbox.busy(() => {
      for (const message of messages) hear(message);
    });
    work();
  });
  const answersOf = (one: LoadedBundle) => makeAnswers({ policy: one, ...known });
  const { smoke, times } = smokeAll(loaded, ref, answersOf, slowMs);
  const { digest, revision, catalog, others: identities } = loaded.bundle;
  const bundle = { ref, digest, revision, smoke, signers, zones: fedZones(catalog), others: identities };
  // SIGKILL ends this process, and Node writes its compile cache only at a regular end.
  flushCompileCache();
  collectGarbage();
  const trial = { denies: deniedCases(loaded.data, ref), announced: announcements(loaded.data), times };
  say({ type: "ready", bundle, trial });
}

try {
  const data = unpacked<ProcessData>(first);
  say({ type: "started" });
  await serve(data);
} catch (thrown) {
  const { code, params } = asLandfallError(thrown);
  say({ type: "failed", code, params });
}
