// The entry of a thread that asks a compiled module for its entrypoints, which runs code of the module.
import { parentPort, workerData } from "node:worker_threads";
import { isObject } from "../../model/json.ts";
import { moduleProblem } from "./check-module.ts";
import { openRuntime } from "./open-runtime.ts";

const LIMITS = { memoryMiB: 64, answerBytes: 1024 * 1024 };

const wasm = workerData as Uint8Array<ArrayBuffer>;
const module = await WebAssembly.compile(wasm);
const problem = moduleProblem(wasm, module);
if (problem !== null) throw new TypeError(problem);
const { entrypoints } = openRuntime(module, LIMITS) as { entrypoints: unknown };
parentPort?.postMessage(isObject(entrypoints) ? Object.keys(entrypoints) : []);
