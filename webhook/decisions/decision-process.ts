// The entry of the process that decides. It holds one set of bundles and a copy of the cluster's state, and decides one request
// after the other; namespaces take turns. TLS, HTTP and all waiting happen in the webhook's own process.
import { once } from "node:events";
import { asLandfallError } from "../../src/errors.ts";
import { createClusterData } from "../../src/external-data/cluster-data.ts";
import { verifyFiles } from "../../src/bundle/signature/verify-files.ts";
import { ringOf } from "../../src/model/decision-annotation/key-ring.ts";
import { fedZones } from "../../src/model/places/catalog.ts";
import { loadBundles } from "../../src/policy/load-bundles.ts";
import { type AnsweredReply, makeAnswers } from "../review/make-answers.ts";
import { collectGarbage } from "./collect-garbage.ts";
import { batchRequests } from "./batch-requests.ts";
import { deniedCases, smokeAll } from "./smoke-all.ts";
import { announcements } from "../../src/policy/announcements.ts";
import type { FromProcess, ProcessData, ToProcess } from "./messages.ts";
import { decisionLines } from "./decision-lines.ts";
import { DATA, PROGRESS_FILE, SEVERAL, writeProgress } from "../../src/policy/process/progress.ts";
import { teamNames, usedMs, watchTeams } from "../../src/policy/process/watch-teams.ts";
import type { Said } from "../../src/policy/process/watched-process.ts";
import { takeSourceTurns } from "./take-source-turns.ts";
import { type Packed, unpacked } from "../../src/bundle/signature/packed-trust.ts";

// Keeps the process until the webhook closes the channel: then nothing is left to wait for.
process.once("disconnect", () => undefined);
const [first] = (await once(process, "message")) as [Packed<ProcessData>];

/**
 * While more requests wait, answers are collected for at most this long, in ms, and sent together: waking the other process
 * costs more than sending.
 */
const HELD_MS = 0.8;
let unsaid: (FromProcess | Said)[] = [];
let since = 0;
let listening = false;
function flush(): void {
  if (unsaid.length > 0) process.send?.(unsaid);
  unsaid = [];
}
function say(message: FromProcess | Said): void {
  const nowMs = performance.now();
  if (unsaid.push(message) === 1) since = nowMs;
  if (!listening || nowMs - since > HELD_MS) flush();
}

type Asked = Extract<ToProcess, { type: "ask" }>;

const { bytes, ref, others, absent, trust, signed, keys, events, forecasts, consults, logLabels, slowMs } =
  unpacked<ProcessData>(first);
const working = writeProgress(PROGRESS_FILE);
say({ type: "started" });
try {
  const signers = verifyFiles(bytes, ref, trust, signed);
  for (const other of others) verifyFiles(other.bytes, other.ref, other.trust, other.signed);
  /** Of the request that is decided; null for the webhook's own questions. */
  let namespace: string | null = null;
  const onSlow = (team: string, ms: number): void => {
    if (namespace !== null) say({ type: "slow", team, namespace, ms });
  };
  const during = watchTeams({ working, teams: teamNames(others), slowMs, onSlow });
  const on = <T>(asked: Asked, work: () => T): T => {
    // What an unauthenticated caller makes slow is held against no team.
    namespace = asked.quiet || asked.caller?.door === "none" ? null : asked.namespace;
    const result = working.on(asked.id, work);
    namespace = null;
    return result;
  };
  const loaded = await loadBundles({ bytes, ref }, others, { during });
  const policy = { ...loaded.bundle, absent };
  const nowSeconds = (): number => Math.floor(Date.now() / 1000);
  const clusterData = createClusterData();
  working.on(DATA, () => {
    for (const event of events) clusterData.apply(event);
  });
  let book = forecasts;
  let ring = ringOf(...keys);
  const known = { clusterData, nowSeconds, forecasts: () => book, keys: () => ring, usedMs };
  const answer = makeAnswers({ policy, ...known });
  const line = decisionLines(loaded.data, ref, logLabels);
  const waiting = new Map<number, Asked>();
  const reply = ({ id, quiet }: Asked, { reserved, decided, ...answered }: AnsweredReply): void => {
    const event = decided === null || quiet ? null : line(decided, Number(answered.log?.["ms"] ?? 0));
    say({ type: "reply", id, reply: answered, reserved, event });
  };
  const consult = (asked: Asked): void => {
    const answered = answer(asked.path, asked.body, { ask: "advice", door: asked.caller?.door });
    if (!("state" in answered)) reply(asked, answered);
    else {
      waiting.set(asked.id, asked);
      say({ type: "consult", id: asked.id, request: answered.request });
    }
  };
  const batch = batchRequests<Asked>({
    nowSeconds,
    begin: ({ path, body, caller }, at) => answer(path, body, { ask: "batch", nowSeconds: at, door: caller?.door }),
    finish: (asked, settled) =>
      on(asked, () => answer(asked.path, asked.body, { ...settled, door: asked.caller?.door })),
    reply,
    search: (work) => working.on(SEVERAL, work),
  });
  const ask = (asked: Asked): void => {
    // Its caller has been refused by now: a decision would only reserve what no one uses.
    if (Date.now() > asked.untilMs) {
      say({ type: "dropped", id: asked.id });
      return;
    }
    // Trials of a bundle ask no scheduler and join no batch. With an external scheduler, requests join no batch.
    if (asked.quiet) reply(asked, answer(asked.path, asked.body));
    else if (consults) consult(asked);
    else batch(asked);
  };
  const turns = takeSourceTurns<Asked>();
  const hear = (message: ToProcess): void => {
    if (message.type === "ask")
      turns.push({ source: message.caller?.source ?? "", namespace: message.namespace, item: message });
    else if (message.type === "event") {
      if (message.event.type === "forecasts") ({ book } = message.event);
      else if (message.event.type === "keys") ring = ringOf(...message.event.keys);
      else {
        const { event } = message;
        working.on(DATA, () => {
          clusterData.apply(event);
        });
      }
    } else {
      const asked = waiting.get(message.id);
      waiting.delete(message.id);
      if (asked === undefined) return;
      on(asked, () =>
        reply(asked, answer(asked.path, asked.body, { advice: message.advice, door: asked.caller?.door })),
      );
    }
  };
  let resumed: NodeJS.Immediate | null = null;
  /** Requests in turns, until answers were sent: then messages that arrived in the meantime get their turn. */
  const work = (): void => {
    resumed = null;
    listening = true;
    for (let turn = turns.next(); turn !== null; turn = turns.next()) {
      const { item } = turn;
      const beganMs = usedMs();
      on(item, () => ask(item));
      turns.charge(turn, usedMs() - beganMs);
      if (unsaid.length > 0) continue;
      resumed = setImmediate(work);
      break;
    }
    listening = false;
    flush();
  };
  process.on("message", (messages: ToProcess[]) => {
    listening = true;
    for (const message of messages) hear(message);
    listening = false;
    if (resumed === null) work();
  });
  const { smoke, times } = smokeAll(loaded, ref, (bundle) => makeAnswers({ policy: bundle, ...known }));
  const { digest, revision, catalog } = policy;
  const bundle = { ref, digest, revision, smoke, signers, zones: fedZones(catalog), others: policy.others };
  collectGarbage();
  const trial = { denies: deniedCases(loaded.data, ref), announced: announcements(loaded.data), times };
  say({ type: "ready", bundle, trial });
} catch (thrown) {
  const { code, params } = asLandfallError(thrown);
  say({ type: "failed", code, params });
}
