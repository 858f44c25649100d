import { asLandfallError, LandfallError, messageOf } from "../errors.ts";
import type { PolicyInput } from "../model/policy.ts";
import type { Run } from "./module/limit-time.ts";
import { openModule } from "./module/open-module.ts";
import { PROBE } from "./module/probe.ts";
import type { OtherParts } from "./read-other.ts";
import { errorText, readRuling, type TeamRuling } from "./read-ruling.ts";

/** The loaded rules of another team. */
export interface Team {
  name: string;
  /** Synchronous. All that depends on the size of the answer is a part of the team's work. Throws POL_TEAM. */
  rule(input: PolicyInput): TeamRuling;
}

/** The rule that `landfall bundle build --team` adds: all results of the packages below landfall.custom. */
const TEAM_ENTRYPOINT = "landfall/team/answer";

/** Of one team's module: rules, data and the largest input need a few MiB, and the largest answer of `RULING` less than one. */
const LIMITS = { memoryMiB: 64, answerBytes: 1024 * 1024 };

/** Whatever a team's rules fail with is theirs. */
function failure(name: string, thrown: unknown): LandfallError {
  const { code, message, params } = asLandfallError(thrown);
  if (code === "BUNDLE_TIMEOUT") return asLandfallError(thrown);
  return new LandfallError(
    "POL_TEAM",
    { bundle: name, detail: errorText(String(params["detail"] ?? message)) },
    thrown,
  );
}

/** Runs the rules of the team of this name: what watches them knows whose they are. */
export type During = <T>(team: string, work: () => T) => T;

/**
 * Loads the rules of a team's bundle and evaluates a probe. Throws BUNDLE_UNREADABLE, BUNDLE_NO_ENTRYPOINT,
 * BUNDLE_PROBE.
 */
export async function loadTeam(
  { ref, name, wasm }: OtherParts,
  data: Record<string, unknown>,
  watched: During,
  run?: Run,
): Promise<Team> {
  const during = <T>(work: () => T): T => watched(name, work);
  const opened = { wasm: wasm ?? Buffer.alloc(0), data, ref, limits: LIMITS, run };
  const module = await openModule(opened, TEAM_ENTRYPOINT, { during });
  const rule = (input: PolicyInput): TeamRuling => {
    try {
      return during(() => module.ask(input, TEAM_ENTRYPOINT, (answer) => readRuling(answer, name)));
    } catch (thrown) {
      throw failure(name, thrown);
    }
  };
  try {
    rule(PROBE);
  } catch (thrown) {
    if (asLandfallError(thrown).code === "BUNDLE_TIMEOUT") throw thrown;
    throw new LandfallError("BUNDLE_PROBE", { ref, detail: messageOf(thrown) }, thrown);
  }
  return { name, rule };
}
