// `node test/doubles/elemento/main.ts [--port 0] [--seed N] [--faults RATE] [--set KEY=JSON …]`: emulates Elemento's
// services. Prints {"url": …} when it listens. settings.ts has every KEY; POST /_control/settings changes them at run time.
import { parseArgs } from "node:util";
import type { Settings } from "./settings.ts";
import { USUAL } from "./settings.ts";
import { startDouble } from "./start-double.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
    faults: { type: "string", default: "0" },
    set: { type: "string", multiple: true, default: [] },
  },
});

function fail(detail: string): never {
  process.stderr.write(`${detail}\n`);
  process.exit(2);
}

/** `vmMs=500` -> its setting; the value is JSON, or otherwise a text. */
function setting(text: string): Partial<Settings> {
  const at = text.indexOf("=");
  const key = text.slice(0, at);
  if (!Object.hasOwn(USUAL, key)) fail(`--set ${text}: there is no setting ${key}; settings.ts has them all`);
  const value = text.slice(at + 1);
  try {
    return { [key]: JSON.parse(value) as unknown };
  } catch {
    return { [key]: value };
  }
}

const [port, seed, faultRate] = [Number(values.port), Number(values.seed), Number(values.faults)];
if (!Number.isInteger(port) || port < 0 || port > 65_535) fail(`--port ${values.port} is no port`);
if (!Number.isInteger(seed)) fail(`--seed ${values.seed} is no whole number`);
if (!(faultRate >= 0 && faultRate <= 1)) fail(`--faults ${values.faults} is no share from 0 to 1`);
const settings = Object.assign({}, ...values.set.map(setting), { faultRate }) as Partial<Settings>;

const double = await startDouble({ port, seed, settings });
process.stdout.write(`${JSON.stringify({ url: double.url })}\n`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void double.close().then(() => process.exit(0));
  });
}
