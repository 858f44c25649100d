import { Agent, request } from "undici";
import type { Container } from "./pod-spec.ts";

export interface ProbeInput {
  host: string;
  /** Ports of this machine by the names of the container's. */
  ports: Readonly<Record<string, number>>;
}

// A kubelet verifies no certificate either.
const insecure = new Agent({ connect: { rejectUnauthorized: false } });

/** Whether the container's readiness probe succeeds now; never without one. */
export async function isReady({ readinessProbe }: Container, { host, ports }: ProbeInput): Promise<boolean> {
  if (readinessProbe === undefined) return false;
  const { path, port, scheme = "HTTP" } = readinessProbe.httpGet;
  try {
    const url = `${scheme.toLowerCase()}://${host}:${String(ports[port])}${path}`;
    const { statusCode, body } = await request(url, { dispatcher: insecure });
    await body.dump();
    return statusCode >= 200 && statusCode < 400;
  } catch {
    return false;
  }
}
