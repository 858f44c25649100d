import { createHash } from "node:crypto";
import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { LandfallError, messageOf } from "../errors.ts";
import { isObject } from "../model/json.ts";
import type { PolicyInput, PolicyResult } from "../model/policy.ts";
import { catalogView } from "./catalog-view.ts";
import { checkSettings } from "../model/check-settings.ts";
import { checkResult, missingPart } from "./check-result.ts";
import { answerNames, expandAnswer } from "./expand-answer.ts";
import type { CompiledPolicy, LoadedBundle } from "./loaded-bundle.ts";
import { PROBE } from "./probe.ts";
import { type BundleParts, readBundle } from "./read-bundle.ts";
import { readTexts } from "./read-texts.ts";

export type { LoadedBundle } from "./loaded-bundle.ts";

type LoadedPolicy = Awaited<ReturnType<typeof loadPolicy>>;

const ENTRYPOINT = "landfall/main/result";
/** The same answer in few words; bundles of other makers may lack it. */
const COMPACT = "landfall/main/compact";

const unreadable = (ref: string, thrown: unknown): LandfallError =>
  new LandfallError("BUNDLE_UNREADABLE", { ref, detail: messageOf(thrown) }, thrown);

/** The module of these bytes: `known` where that is of the same ones. What V8 has optimised in it is kept as well. */
async function compile(wasm: Buffer, known: CompiledPolicy | null, ref: string): Promise<CompiledPolicy> {
  const hash = createHash("sha256").update(wasm).digest("hex");
  if (known?.hash === hash) return known;
  try {
    return { hash, module: await WebAssembly.compile(new Uint8Array(wasm)) };
  } catch (thrown) {
    throw unreadable(ref, thrown);
  }
}

async function instantiate({ module }: CompiledPolicy, data: BundleParts["data"], ref: string): Promise<LoadedPolicy> {
  let policy: LoadedPolicy;
  try {
    policy = await loadPolicy(module, { initial: 64 });
    policy.setData(data);
  } catch (thrown) {
    throw unreadable(ref, thrown);
  }
  const entrypoints: unknown = policy.entrypoints;
  if (isObject(entrypoints) && ENTRYPOINT in entrypoints) return policy;
  throw new LandfallError("BUNDLE_NO_ENTRYPOINT", { ref, entrypoint: ENTRYPOINT });
}

/** The runtime answers a list with one `{result}`, or an empty list where the rule is undefined. */
function answer(policy: LoadedPolicy, input: PolicyInput, entrypoint: string): unknown {
  let results: unknown;
  try {
    results = policy.evaluate(input, entrypoint);
  } catch (thrown) {
    // It throws strings and plain objects.
    throw new LandfallError("POL_EVALUATION", { detail: messageOf(thrown) }, thrown);
  }
  const [first] = Array.isArray(results) ? (results as { result?: unknown }[]) : [];
  if (first === undefined)
    throw new LandfallError("POL_EVALUATION", { detail: "the entrypoint is undefined for this object" });
  return first.result;
}

function checked(result: unknown): PolicyResult {
  const missing = missingPart(result);
  if (missing !== null) throw new LandfallError("POL_RESULT", { detail: missing });
  return result as PolicyResult;
}

function evaluator(policy: LoadedPolicy, data: BundleParts["data"]): LoadedBundle["evaluate"] {
  const names = answerNames(data);
  const entrypoints: unknown = policy.entrypoints;
  if (names === null || !isObject(entrypoints) || !(COMPACT in entrypoints)) {
    return (input) => checked(answer(policy, input, ENTRYPOINT));
  }
  return (input) => checked(expandAnswer(answer(policy, input, COMPACT), names));
}

function probe(policy: LoadedPolicy, ref: string): void {
  let wrong: string | null;
  try {
    wrong = checkResult(answer(policy, PROBE, ENTRYPOINT));
  } catch (thrown) {
    throw new LandfallError("BUNDLE_PROBE", { ref, detail: messageOf(thrown) }, thrown);
  }
  if (wrong !== null) throw new LandfallError("BUNDLE_PROBE", { ref, detail: wrong });
}

/** What is there already, so that it is not made a second time. */
export interface Known {
  /** The parts of this tarball. */
  parts?: BundleParts;
  /** Of whatever bundle; used where the policies are the same. */
  compiled?: CompiledPolicy | null;
}

/**
 * Makes a bundle of the bytes of a tarball: compiled module, data, and a probe that it answers.
 * Throws BUNDLE_UNREADABLE, BUNDLE_NO_ENTRYPOINT, BUNDLE_DATA, POL_SETTINGS, BUNDLE_PROBE.
 */
export async function loadBundle(bytes: Uint8Array, ref: string, known: Known = {}): Promise<LoadedBundle> {
  const { wasm, data, revision } = known.parts ?? readBundle(bytes, ref);
  checkSettings(data, ref);
  const catalog = catalogView(data, ref);
  const compiled = await compile(wasm, known.compiled ?? null, ref);
  const policy = await instantiate(compiled, data, ref);
  probe(policy, ref);
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  const texts = await readTexts(data);
  return { ref, digest, revision, compiled, catalog, texts, evaluate: evaluator(policy, data) };
}
