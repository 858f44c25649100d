import { LandfallError, messageOf } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import type { PolicyInput } from "../../model/policy.ts";
import { sha256 } from "../../model/sha256.ts";
import { checkModule } from "./check-module.ts";
import { type Run, unlimited } from "./limit-time.ts";
import type { CompiledPolicy } from "../loaded-bundle.ts";
import { type ModuleLimits, openRuntime, type Runtime } from "./open-runtime.ts";

/** A compiled module with its data. */
export interface OpenModule {
  compiled: CompiledPolicy;
  has(entrypoint: string): boolean;
  /**
   * Evaluates the rule for the input. `read` takes what the module answers, within the same limit of time. `known`: what was read of earlier answers;
   * nothing is kept if it is omitted. Throws POL_EVALUATION.
   */
  ask<T>(input: PolicyInput, entrypoint: string, read: (answer: unknown) => T, known?: KnownAnswers<T>): T;
}

const unreadable = (ref: string, thrown: unknown): LandfallError =>
  new LandfallError("BUNDLE_UNREADABLE", { ref, detail: messageOf(thrown) }, thrown);

/** Compiles the module; reuses `known` if its bytes are the same, including V8's optimisations. */
async function compile(wasm: Buffer, known: CompiledPolicy | null, ref: string): Promise<CompiledPolicy> {
  const hash = sha256(wasm);
  if (known?.hash === hash) return known;
  let module: WebAssembly.Module;
  try {
    module = await WebAssembly.compile(new Uint8Array(wasm));
  } catch (thrown) {
    throw unreadable(ref, thrown);
  }
  checkModule(wasm, module, ref);
  return { hash, module };
}

function instantiate({ module }: CompiledPolicy, { data, ref, limits }: Opened): Runtime {
  try {
    const policy = openRuntime(module, limits);
    policy.setData(data);
    return policy;
  } catch (thrown) {
    throw unreadable(ref, thrown);
  }
}

/** The results of reading earlier answers, by their text. */
export interface KnownAnswers<T> {
  get(text: string): T | undefined;
  set(text: string, read: T): void;
}

/** The text of the answer. */
function answer(policy: Runtime, input: PolicyInput, entrypoint: string): string {
  try {
    return policy.evaluate(input, entrypoint);
  } catch (thrown) {
    // The runtime throws strings and plain objects.
    throw new LandfallError("POL_EVALUATION", { detail: messageOf(thrown) }, thrown);
  }
}

/** The result in an answer. */
function resultOf(text: string): unknown {
  let results: unknown;
  try {
    results = JSON.parse(text);
  } catch (thrown) {
    throw new LandfallError("POL_EVALUATION", { detail: messageOf(thrown) }, thrown);
  }
  const [first] = Array.isArray(results) ? (results as { result?: unknown }[]) : [];
  if (first === undefined)
    throw new LandfallError("POL_EVALUATION", { detail: "the entrypoint is undefined for this object" });
  return first.result;
}

function readAnswer<T>(text: string, read: (answer: unknown) => T, known: KnownAnswers<T> | undefined): T {
  const earlier = known?.get(text);
  if (earlier !== undefined) return earlier;
  const result = read(resultOf(text));
  known?.set(text, result);
  return result;
}

interface Opened {
  wasm: Buffer;
  data: object;
  ref: string;
  /** Runs the module; without a limit if omitted. */
  run?: Run | undefined;
  /** More ends an evaluation with POL_EVALUATION. */
  limits: ModuleLimits;
}

/**
 * Opens a module with `entrypoint`. It runs already while it is opened: `during` runs all of that. Throws BUNDLE_UNREADABLE,
 * BUNDLE_NO_ENTRYPOINT.
 */
export async function openModule(
  opened: Opened,
  entrypoint: string,
  { known = null, during = (work) => work() }: { known?: CompiledPolicy | null; during?: <T>(work: () => T) => T } = {},
): Promise<OpenModule> {
  const { wasm, ref, run = unlimited } = opened;
  const compiled = await compile(wasm, known, ref);
  const policy = during(() => run(ref, () => instantiate(compiled, opened)));
  const entrypoints: unknown = policy.entrypoints;
  const has = (name: string): boolean => isObject(entrypoints) && name in entrypoints;
  if (!has(entrypoint)) throw new LandfallError("BUNDLE_NO_ENTRYPOINT", { ref, entrypoint });
  return {
    compiled,
    has,
    ask: (input, name, read, kept) => run(ref, () => readAnswer(answer(policy, input, name), read, kept)),
  };
}
