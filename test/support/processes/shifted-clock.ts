// Loaded with `node --import` before a process of ours: shifts its wall clock by the milliseconds in the file CLOCK_SHIFT_FILE, as
// somebody who sets the clock of its machine would. Timers and performance.now() go on as they are.
import { readFileSync } from "node:fs";

const RealDate = Date;
let shiftMs = 0;

function readShift(): void {
  try {
    shiftMs = Number(readFileSync(process.env["CLOCK_SHIFT_FILE"] ?? "", "utf8")) || 0;
  } catch {
    // The file is being replaced: the shift stays.
  }
}

const shifted = new Proxy(RealDate, {
  construct: (target, args: unknown[]) =>
    args.length === 0 ? new target(target.now() + shiftMs) : new target(...(args as [string])),
  get: (target, key) => (key === "now" ? () => target.now() + shiftMs : (Reflect.get(target, key) as unknown)),
});

readShift();
setInterval(readShift, 250).unref();
globalThis.Date = shifted;
