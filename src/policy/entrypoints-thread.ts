// The entry of a thread that asks a compiled module for its entrypoints, which runs code of the module.
import { parentPort, workerData } from "node:worker_threads";
import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { isObject } from "../model/json.ts";

/** Memory of the module in pages of 64 KiB: 4 MiB, at most 64 MiB. */
const MEMORY = { initial: 64, maximum: 1024 };

const { entrypoints } = (await loadPolicy(workerData as Buffer, MEMORY)) as { entrypoints: unknown };
parentPort?.postMessage(isObject(entrypoints) ? Object.keys(entrypoints) : []);
