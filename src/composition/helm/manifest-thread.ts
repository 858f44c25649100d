// The entry of a thread that parses a long manifest.
import { parentPort, workerData } from "node:worker_threads";
import { readManifest } from "./read-manifest.ts";

parentPort?.postMessage(readManifest(String(workerData)));
