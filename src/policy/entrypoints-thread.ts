// The entry of a thread that asks a compiled module for its entrypoints, which runs code of the module.
import { parentPort, workerData } from "node:worker_threads";
import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { isObject } from "../model/json.ts";
import { moduleProblem } from "./check-module.ts";

/** Memory of the module in pages of 64 KiB: 4 MiB, at most 64 MiB. */
const MEMORY = { initial: 64, maximum: 1024 };

const wasm = workerData as Uint8Array<ArrayBuffer>;
const module = await WebAssembly.compile(wasm);
const problem = moduleProblem(wasm, module);
if (problem !== null) throw new TypeError(problem);
const { entrypoints } = (await loadPolicy(module, MEMORY)) as { entrypoints: unknown };
parentPort?.postMessage(isObject(entrypoints) ? Object.keys(entrypoints) : []);
