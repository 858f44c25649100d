// The entry of the process that decides about objects that someone tries, and explains stored ones: neither loops nor memory that such an object takes reach the console.
import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { asLandfallError } from "../../errors.ts";
import { loadBundles } from "../../policy/load-bundles.ts";
import { PROGRESS_FILE, writeProgress } from "../../policy/process/progress.ts";
import { blameStrayErrors, teamNames, watchTeams } from "../../policy/process/watch-teams.ts";
import type { Said } from "../../policy/process/watched-process.ts";
import type { LoadedBundle } from "../../policy/loaded-bundle.ts";
import { createExplainer } from "../explanation/create-explainer.ts";
import { decideHere } from "./decide-here.ts";
import type { Answer, FromTrial, Question, TrialBundles } from "./open-trials.ts";

/** The console asks one question after the other. */
const ONLY = 0;

// Keeps the process until the console closes the channel: then nothing is left to wait for.
process.once("disconnect", () => undefined);
const [{ platform, others }] = (await once(process, "message")) as [TrialBundles];
const say = (message: FromTrial | Said): void => void process.send?.([message]);
const working = writeProgress(PROGRESS_FILE);
blameStrayErrors(working);
say({ type: "started" });
const failure = (thrown: unknown): { code: ReturnType<typeof asLandfallError>["code"]; params: object } => {
  const { code, params } = asLandfallError(thrown);
  return { code, params };
};

/** Does a piece of work for the question. What it throws must not leave this process at work. */
async function alone<T>(work: () => T): Promise<T> {
  const done = working.on(ONLY, () => {
    try {
      return { value: work() };
    } catch (thrown) {
      return { thrown };
    }
  });
  if ("thrown" in done) throw done.thrown;
  return Promise.resolve(done.value);
}

async function answerOf(question: Question, policy: LoadedBundle): Promise<Answer> {
  if (question.what === "try") {
    const { written, ...at } = question.trial;
    return alone(() => decideHere(written, { ...at, policy }));
  }
  const { object, namespace, forecasts, nowSeconds } = question.asked;
  const explainer = createExplainer({
    ...{ policy, forecasts: () => forecasts, nowSeconds: () => nowSeconds, ruleLine: () => null },
  });
  if (question.what === "explain") return alone(() => explainer.explain(object, namespace));
  if (question.what === "whatIf") return alone(() => explainer.whatIf(object, namespace, question.place));
  return explainer.starts(object, namespace, alone);
}

try {
  const during = watchTeams({ working, teams: teamNames(others), slowMs: Infinity, onSlow: () => undefined });
  const { bundle } = await loadBundles(platform, others, { during });
  process.on("message", (question: Question) => {
    answerOf(question, bundle).then(
      (answer) => {
        say({ type: "answer", answer });
      },
      (thrown: unknown) => {
        say({ type: "refused", ...failure(thrown) } as FromTrial);
      },
    );
  });
  // SIGKILL ends this process, and Node writes its compile cache only at a regular end.
  flushCompileCache();
  say({ type: "ready" });
} catch (thrown) {
  say({ type: "failed", ...failure(thrown) } as Said);
}
