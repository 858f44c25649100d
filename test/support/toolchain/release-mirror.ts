import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { certificateOf } from "../services/certificate-of.ts";

export type Answer = Buffer | string | ((request: IncomingMessage, response: ServerResponse) => void);

export interface ReleaseMirror {
  /** `https://127.0.0.1:PORT`. */
  url: string;
  /** PEM. */
  ca: string;
  /** What is served, by path; anything else is answered with status 404. */
  files: Map<string, Answer>;
  /** The paths that were asked for, in order. */
  asked: string[];
  close: () => Promise<void>;
}

/** A server with TLS on the loopback address, in place of the hosts of the projects. */
export async function startMirror(): Promise<ReleaseMirror> {
  const hour = 3600_000;
  const { certificate, key } = await certificateOf(new Date(Date.now() - hour), new Date(Date.now() + hour));
  const files = new Map<string, Answer>();
  const asked: string[] = [];
  const server: Server = createServer({ cert: certificate, key }, (request, response) => {
    const path = request.url ?? "";
    asked.push(`${request.method ?? ""} ${path}`);
    const answer = files.get(path);
    if (typeof answer === "function") {
      answer(request, response);
      return;
    }
    response.writeHead(answer === undefined ? 404 : 200);
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    ...{ ca: certificate, files, asked },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
}
