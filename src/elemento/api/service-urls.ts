import type { ServiceName } from "./inferred.ts";
import { SERVICES } from "./inferred.ts";

const urlOf = (base: string, { port, prefix }: { port: number; prefix: string }): string => {
  const url = new URL(base);
  // One address with a port is one door to all services, told apart by their paths; a bare host has a port for each.
  if (url.port === "") url.port = String(port);
  return `${url.origin}${url.pathname.replace(/\/$/, "")}${prefix}`;
};

/** Addresses of the services: below `http://HOST` each on its own port, below `http://HOST:PORT/path` all behind that one. */
export const serviceUrls = (base: string): Record<ServiceName, string> => ({
  authentication: urlOf(base, SERVICES.authentication),
  compute: urlOf(base, SERVICES.compute),
  storage: urlOf(base, SERVICES.storage),
  network: urlOf(base, SERVICES.network),
  clusters: urlOf(base, SERVICES.clusters),
});
