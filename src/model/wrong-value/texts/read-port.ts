import { type Reading, surely } from "../schema-node.ts";

/** `22/tcp`, `8080-8090`, and `8080:80` of docker-compose: the machine's port, then the container's. */
export function readPortText(text: string): Reading | null {
  if (/^(?:all|any|\*|0-65535)$/i.test(text.trim())) return { value: { port: 1, toPort: 65_535 } };
  const [, published, over] = /^(\d{1,5}):\d{1,5}(?:\/(tcp|udp))?$/.exec(text) ?? [];
  if (published !== undefined) return { value: { port: Number(published), ...(over && { protocol: over }) } };
  const usual = text.replace(/^(tcp|udp)[/:](.{1,11})$/i, "$2/$1");
  const [, port, toPort, protocol] = /^(\d+)(?:-(\d+))?(?:\/(tcp|udp))?$/i.exec(usual) ?? [];
  if (port === undefined) return null;
  const range = toPort === undefined ? {} : { toPort: Number(toPort) };
  const transport = protocol === undefined ? {} : { protocol: protocol.toLowerCase() };
  return surely({ port: Number(port), ...range, ...transport });
}
