import { createServer } from "node:net";
import { LandfallError } from "../../errors.ts";

/** Below the range of ephemeral ports, so that no outgoing connection takes one of them. */
const [LOWEST, HIGHEST] = [20_000, 32_000];
const ATTEMPTS = 200;

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => {
      resolve(false);
    });
    server.listen(port, "127.0.0.1", () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}

/** `count` different ports of the loopback address that nothing listens on. Errors: LOCAL_NO_PORT. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  for (let attempt = 0; attempt < ATTEMPTS && found.size < count; attempt += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  if (found.size < count) throw new LandfallError("LOCAL_NO_PORT", { lowest: LOWEST, highest: HIGHEST });
  return [...found];
}
