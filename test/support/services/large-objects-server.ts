import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const GROUP = "composition.krateo.io";
const API_VERSION = `${GROUP}/v0-2-0`;
const RESOURCE = { kind: "VmTemplate", name: "vmtemplates", namespaced: true, verbs: ["get", "list", "watch"] };

const labels = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`tenant.example/label-${String(at)}`, "x".repeat(63)]));

/** What a tenant can store with no right but that to create objects, about 1 MB each. */
const PARTS: readonly object[] = [
  { spec: { cpu: 1, memory: 1, global: { x: "y".repeat(1_400_000) } } },
  { spec: { cpu: 1, memory: 1, global: { x: Array.from({ length: 300_000 }, () => []) } } },
  { spec: { cpu: 1, memory: 1 }, labels: labels(14_000) },
  { spec: { cpu: 1, memory: 1 }, status: { message: "y".repeat(1_400_000) } },
  { spec: { cpu: 1, memory: 1 }, annotations: { "tenant.example/note": "y".repeat(250_000) } },
];

const NAME = "LARGE-OBJECT";

function textOf(part: object): string {
  const { labels: more = {}, annotations: notes = {}, ...rest } = part as { labels?: object; annotations?: object };
  const annotations = { "krateo.io/paused": "true", ...notes };
  const metadata = { name: NAME, namespace: "demo", uid: NAME, resourceVersion: "1", generation: 1, annotations };
  return JSON.stringify({ metadata: { ...metadata, labels: more }, ...rest });
}

/** An API server with `count` VmTemplates, and as many ConfigMaps, as large as it stores them. Each is made when it is sent. */
export async function startLargeObjects(count: number): Promise<{ url: string; stop: () => void }> {
  const texts = PARTS.map(textOf);
  async function sendList(answer: ServerResponse, query: URLSearchParams): Promise<void> {
    const [from, limit] = [Number(query.get("continue") ?? 0), Number(query.get("limit") ?? count)];
    const to = Math.min(count, from + limit);
    const metadata = { resourceVersion: "1", ...(to < count ? { continue: String(to) } : {}) };
    answer.write(
      `{"apiVersion":"${API_VERSION}","kind":"VmTemplateList","metadata":${JSON.stringify(metadata)},"items":[`,
    );
    for (let index = from; index < to && !answer.destroyed; index += 1) {
      const text = texts[index % texts.length]?.replaceAll(NAME, `large-${String(index)}`) ?? "";
      const isSent = answer.write(`${index > from ? "," : ""}${text}`);
      if (!isSent) await Promise.race([once(answer, "drain"), once(answer, "close")]);
    }
    answer.end("]}");
  }

  const server = createServer((asked, answer) => {
    const { pathname, searchParams } = new URL(asked.url ?? "/", "http://localhost");
    answer.setHeader("content-type", "application/json");
    // A watch stays open without an event.
    if (searchParams.get("watch") === "true") return void answer.write("\n");
    if (pathname === `/apis/${API_VERSION}/vmtemplates` || pathname === "/api/v1/configmaps")
      return void sendList(answer, searchParams);
    const known: Record<string, object> = {
      [`/apis/${GROUP}`]: { versions: [{ groupVersion: API_VERSION }] },
      [`/apis/${API_VERSION}`]: { resources: [RESOURCE] },
      "/api/v1": { resources: [{ ...RESOURCE, kind: "ConfigMap", name: "configmaps" }] },
    };
    const empty = { apiVersion: "v1", kind: "List", items: [], metadata: { resourceVersion: "1" } };
    return void answer.end(JSON.stringify(known[pathname] ?? empty));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
