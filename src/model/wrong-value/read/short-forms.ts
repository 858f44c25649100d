import { type Reading, type SchemaNode, surely } from "../schema-node.ts";

/** `{Key: team, Value: web}` of AWS, `{name: team, value: web}` of a container. */
export function pairOf(one: Record<string, unknown>): Record<string, unknown> {
  const by = (...names: string[]): unknown => names.map((name) => one[name]).find((value) => value !== undefined);
  const [key, value] = [by("key", "Key", "name", "Name"), by("value", "Value")];
  return typeof key === "string" && value !== undefined ? { [key]: value } : one;
}

/** A word that is an id or a name: `my-vpc` of a network is `{existing: {network: my-vpc}}`. Null for others. */
export function readWord({ "x-words": words = {} }: SchemaNode, value: unknown): Reading | null {
  const text = typeof value === "string" && /^[\w./:-]{1,300}$/.test(value) ? value : null;
  const [, path] = Object.entries(words).find(([pattern]) => new RegExp(pattern, "u").test(text ?? "")) ?? [];
  if (path === undefined || text === null) return null;
  return { value: path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), text) };
}

/** A port of a container at another one of the machine: a machine maps none. */
function mapped(port: number, inner: number, protocol: string | undefined): Reading {
  const value = { port, ...(protocol && { protocol }) };
  if (port === inner) return { value };
  const over = protocol === undefined ? "" : `, protocol: ${protocol}`;
  const advice = `write {port: ${String(port)}${over}}, on which the program itself listens: no port is mapped to ${String(inner)}`;
  return { value, advice };
}

/** `22/tcp`, `8080-8090`, and `8080:80` of docker-compose: the machine's port, then the container's. */
export function readPortText(text: string): Reading | null {
  if (/^(?:all|any|\*|0-65535)$/i.test(text.trim())) return { value: { port: 1, toPort: 65_535 } };
  const [, published, inner, over] = /^(\d{1,5}):(\d{1,5})(?:\/(tcp|udp))?$/.exec(text) ?? [];
  if (published !== undefined) return mapped(Number(published), Number(inner), over);
  const usual = text.replace(/^(tcp|udp)[/:](.{1,11})$/i, "$2/$1");
  const [, port, toPort, protocol] = /^(\d+)(?:-(\d+))?(?:\/(tcp|udp))?$/i.exec(usual) ?? [];
  if (port === undefined) return null;
  const range = toPort === undefined ? {} : { toPort: Number(toPort) };
  const transport = protocol === undefined ? {} : { protocol: protocol.toLowerCase() };
  return surely({ port: Number(port), ...range, ...transport });
}
