import { readFile } from "node:fs/promises";
import type { Server } from "node:http";
import { Server as TlsServer } from "node:tls";
import type { Logger } from "pino";
import { lineOf } from "../../errors.ts";
import type { ConsoleFlags } from "../../flags/console-options.ts";
import type { Certificate } from "../users/serve-users.ts";

type Files = Pick<ConsoleFlags, "tlsCert" | "tlsKey">;

/** A kubelet writes a renewed Secret into a Pod's volume within about a minute. */
const LOOK_MS = 60_000;

/** The certificate of the flags; null without one. */
export async function readCertificate({ tlsCert, tlsKey }: Files): Promise<Certificate | null> {
  if (tlsCert === undefined || tlsKey === undefined) return null;
  const [cert, key] = await Promise.all([readFile(tlsCert), readFile(tlsKey)]);
  return { cert, key };
}

/** Uses a renewed certificate for new connections. Returns a function that ends it. */
export function followCertificate(files: Files, server: Server, log: Pick<Logger, "warn">): () => void {
  if (!(server instanceof TlsServer)) return () => undefined;
  const timer = setInterval(() => {
    readCertificate(files)
      .then((found) => {
        if (found !== null) server.setSecureContext(found);
      })
      .catch((thrown: unknown) => {
        log.warn({ error: lineOf(thrown) }, "the renewed certificate cannot be used");
      });
  }, LOOK_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}
