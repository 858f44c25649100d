// The upper limit of a server of this kind: fastify over TLS that reads an AdmissionReview and sends it back.
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { fastify } from "fastify";

const { values } = parseArgs({
  options: { port: { type: "string" }, certificate: { type: "string" }, key: { type: "string" } },
});
const { port = "0", certificate = "", key = "" } = values;
const app = fastify({
  https: { cert: await readFile(certificate, "utf8"), key: await readFile(key, "utf8"), minVersion: "TLSv1.3" },
  forceCloseConnections: true,
});
app.post("/", (request) => request.body);
app.get("/", () => "ok");
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void app.close());
await app.listen({ port: Number(port), host: "127.0.0.1" });
