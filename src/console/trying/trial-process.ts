// The entry of the process that decides about objects that someone tries: neither loops nor memory that such an object takes reach the console.
import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { asLandfallError } from "../../errors.ts";
import { loadBundles } from "../../policy/load-bundles.ts";
import { PROGRESS_FILE, writeProgress } from "../../policy/process/progress.ts";
import { blameStrayErrors, teamNames, watchTeams } from "../../policy/process/watch-teams.ts";
import type { Said } from "../../policy/process/watched-process.ts";
import { decideHere } from "./decide-here.ts";
import type { FromTrial, Trial, TrialBundles } from "./open-trials.ts";

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

function tried({ written, ...at }: Trial, policy: Parameters<typeof decideHere>[1]["policy"]): FromTrial {
  try {
    return { type: "tried", decided: decideHere(written, { ...at, policy }) };
  } catch (thrown) {
    return { type: "refused", ...failure(thrown) } as FromTrial;
  }
}

try {
  const during = watchTeams({ working, teams: teamNames(others), slowMs: Infinity, onSlow: () => undefined });
  const { bundle } = await loadBundles(platform, others, { during });
  process.on("message", (trial: Trial) => {
    say(working.on(ONLY, () => tried(trial, bundle)));
  });
  // SIGKILL ends this process, and Node writes its compile cache only at a regular end.
  flushCompileCache();
  say({ type: "ready" });
} catch (thrown) {
  say({ type: "failed", ...failure(thrown) } as Said);
}
