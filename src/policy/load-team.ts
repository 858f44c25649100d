import { asLandfallError, LandfallError, messageOf } from "../errors.ts";
import { isObject } from "../model/json.ts";
import type { PolicyInput } from "../model/policy.ts";
import type { Run } from "./module/limit-time.ts";
import { openModule } from "./module/open-module.ts";
import { PROBE } from "./module/probe.ts";
import type { OtherParts } from "./read-other.ts";

/** The result of another team's rules for one object: each entry with its package. */
export interface TeamRuling {
  denials: [name: string, entry: unknown][];
  warnings: [name: string, entry: unknown][];
  refused: [name: string, place: string, reason: unknown][];
}

/** The loaded rules of another team. */
export interface Team {
  name: string;
  /** Synchronous. Throws POL_TEAM. */
  rule(input: PolicyInput): TeamRuling;
}

/** The rule that `landfall bundle build --team` adds: all results of the packages below landfall.custom. */
const TEAM_ENTRYPOINT = "landfall/team/answer";

/** Of one team's module: rules, data and the largest input need a few. */
const MEMORY_MIB = 64;

const isRows = (value: unknown, length: number): boolean =>
  Array.isArray(value) && value.every((row) => Array.isArray(row) && row.length === length);

function checked(value: unknown): TeamRuling {
  const { denials, warnings, refused } = isObject(value) ? value : {};
  if (isRows(denials, 2) && isRows(warnings, 2) && isRows(refused, 3)) return value as TeamRuling;
  throw new LandfallError("POL_RESULT", { detail: "they give no denials, warnings and refused" });
}

/** Whatever a team's rules fail with is theirs. */
function failure(name: string, thrown: unknown): LandfallError {
  const { code, message, params } = asLandfallError(thrown);
  if (code === "BUNDLE_TIMEOUT") return asLandfallError(thrown);
  return new LandfallError("POL_TEAM", { bundle: name, detail: String(params["detail"] ?? message) }, thrown);
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
  const opened = { wasm: wasm ?? Buffer.alloc(0), data, ref, memoryMiB: MEMORY_MIB, run };
  const module = await openModule(opened, TEAM_ENTRYPOINT, { during });
  const rule = (input: PolicyInput): TeamRuling => {
    try {
      return checked(during(() => module.ask(input, TEAM_ENTRYPOINT)));
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
