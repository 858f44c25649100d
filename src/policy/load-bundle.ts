import { createRequire } from "node:module";
import { asLandfallError, LandfallError, messageOf } from "../errors.ts";
import type { PolicyInput, PolicyResult } from "../model/policy.ts";
import { sha256Digest } from "../model/sha256.ts";
import { catalogView } from "./catalog-view.ts";
import { checkSettings } from "../model/schemas/check-settings.ts";
import { answerNames, expandAnswer } from "./expand-answer.ts";
import type { CompiledPolicy, LoadedBundle } from "./loaded-bundle.ts";
import type { Run } from "./module/limit-time.ts";
import { openModule, type OpenModule } from "./module/open-module.ts";
import { recentAnswers } from "./recent-answers.ts";
import { PROBE } from "./module/probe.ts";
import { type BundleParts, readBundle } from "./read-bundle.ts";
import { readMessageTemplates } from "./read-message-templates.ts";
import { writtenCheck } from "../model/schemas/compile-schema.ts";
import { firstProblem } from "../model/wrong-value/first-problem.ts";
import { isObject } from "../model/json.ts";
import { valueAt, withValue } from "./roots.ts";

const CARBON = "landfall/catalog/carbon";
const PRICE_DATES = "landfall/catalog/priceDates";

const withoutPriceDates = (data: Record<string, unknown>): Record<string, unknown> =>
  valueAt(data, PRICE_DATES) === undefined ? data : withValue(data, PRICE_DATES, undefined);

/**
 * The data that policies get: all but the hourly figures of the electricity zones and the dates of prices. Only placement and
 * decisions read those, and in the module's memory every value takes a place of its own.
 */
export function forPolicies(all: Record<string, unknown>): Record<string, unknown> {
  const data = withoutPriceDates(all);
  const carbon = valueAt(data, CARBON);
  if (!isObject(carbon)) return data;
  const zones = Object.entries(carbon).map(([zone, profile]) => {
    if (!isObject(profile)) return [zone, profile];
    const { hourOfWeek: _placement, ...rest } = profile;
    return [zone, rest];
  });
  return withValue(data, CARBON, Object.fromEntries(zones));
}

const validate = writtenCheck("policy-result");

const load = createRequire(import.meta.url);

/** Errors of a policy's result by schemas/policy-result.schema.json; null if there are none. For the probe. */
function checkResult(result: unknown): string | null {
  if (validate(result)) return null;
  // Only errors need the schema with its texts.
  const schema = load("../../schemas/policy-result.schema.json") as Record<string, unknown>;
  return firstProblem(schema, result, validate.errors);
}

const LISTS = ["denials", "warnings", "candidates", "funnel", "write"];
const OBJECTS = ["rejected", "defaults", "objective", "schedule"];

/** A check that takes a microsecond, for every request: whether all parts exist. */
function missingPart(result: unknown): string | null {
  if (!isObject(result)) return "the answer is not an object";
  const part = LISTS.find((name) => !Array.isArray(result[name])) ?? OBJECTS.find((name) => !isObject(result[name]));
  return part === undefined ? null : `${part} is missing`;
}

export type { LoadedBundle } from "./loaded-bundle.ts";

const ENTRYPOINT = "landfall/main/result";
/** The same result in compact form; third-party bundles may lack it. */
const COMPACT = "landfall/main/compact";

/** The project's own bundle uses a tenth of it. */
const LIMITS = { memoryMiB: 512, answerBytes: 4 * 1024 * 1024 };

function checked(result: unknown): PolicyResult {
  const missing = missingPart(result);
  if (missing !== null) throw new LandfallError("POL_RESULT", { detail: missing });
  return result as PolicyResult;
}

function evaluator(module: OpenModule, data: BundleParts["data"]): (input: PolicyInput) => PolicyResult {
  const names = answerNames(data);
  if (names === null || !module.has(COMPACT)) return (input) => module.ask(input, ENTRYPOINT, checked);
  const known = recentAnswers<PolicyResult>();
  return (input) => module.ask(input, COMPACT, (answer) => checked(expandAnswer(answer, names)), known);
}

function probe(module: OpenModule, ref: string): void {
  let wrong: string | null;
  try {
    wrong = module.ask(PROBE, ENTRYPOINT, checkResult);
  } catch (thrown) {
    if (asLandfallError(thrown).code === "BUNDLE_TIMEOUT") throw thrown;
    throw new LandfallError("BUNDLE_PROBE", { ref, detail: messageOf(thrown) }, thrown);
  }
  if (wrong !== null) throw new LandfallError("BUNDLE_PROBE", { ref, detail: wrong });
}

/** Existing results that are reused. */
export interface Known {
  /** The parts of this tarball. */
  parts?: BundleParts;
  /** Of any bundle; used if the policies are the same. */
  compiled?: CompiledPolicy | null;
  /** Runs the modules; without a limit if omitted. */
  run?: Run;
}

/**
 * Loads a bundle from a tarball: compiles the module, reads the data, and evaluates a probe. Throws BUNDLE_UNREADABLE,
 * BUNDLE_NO_ENTRYPOINT, BUNDLE_DATA, POL_SETTINGS, BUNDLE_PROBE.
 */
export async function loadBundle(bytes: Uint8Array, ref: string, known: Known = {}): Promise<LoadedBundle> {
  const { wasm, data, revision, expires } = known.parts ?? readBundle(bytes, ref);
  checkSettings(data, ref);
  const catalog = catalogView(data, ref);
  const opened = { wasm, data: forPolicies(data), ref, limits: LIMITS, run: known.run };
  const module = await openModule(opened, ENTRYPOINT, { known: known.compiled ?? null });
  probe(module, ref);
  const digest = sha256Digest(bytes);
  const texts = await readMessageTemplates(data);
  const { compiled } = module;
  const evaluate = evaluator(module, data);
  return { ref, digest, revision, expires, compiled, catalog, texts, others: [], absent: [], evaluate };
}
