// Setup of the project `unit`: a unit test starts no program and no thread. One that does belongs to test/integration.
import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import threads from "node:worker_threads";

const PROGRAMS = ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"] as const;

/** A function, or a class, that only says that a unit test must not call it. */
function refuse(call: string): (what: unknown) => never {
  return function (what) {
    throw new TypeError(`a unit test must not call ${call} (${String(what)}): move the test to test/integration`);
  };
}

for (const name of PROGRAMS) Object.assign(childProcess, { [name]: refuse(name) });
Object.assign(threads, { Worker: refuse("new Worker") });
syncBuiltinESMExports();
