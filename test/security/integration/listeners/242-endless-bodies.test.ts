import { once } from "node:events";
import { PassThrough } from "node:stream";
import { connect } from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished } from "vitest";
import { startWebhook } from "../../../support/services/webhook-server.ts";
import { receiveBody } from "../../../../webhook/serving/receive-body.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** The memory of this process without garbage. */
function afterCollection(): NodeJS.MemoryUsage {
  collect();
  return process.memoryUsage();
}

const HEADERS = "Host: a\r\nContent-Type: application/json\r\nContent-Length: 100000000000\r\n\r\n";

describe("242: a body that does not end, of a peer without credentials", () => {
  it.each(["POST /nope", "POST /%6dutate", "PUT /mutate", "POST /mutate/x"])("is not read at %s", async (what) => {
    const webhook = await startWebhook(null);
    onTestFinished(() => webhook.close());
    const { port } = new URL(webhook.url);
    const to = { host: "127.0.0.1", port: Number(port), localAddress: "127.0.0.2", rejectUnauthorized: false };
    const socket = connect(to);
    onTestFinished(() => void socket.destroy());
    let answer = "";
    socket.on("error", () => undefined).on("data", (bytes: Buffer) => (answer += bytes.toString()));
    await once(socket, "secureConnect");
    socket.write(`${what} HTTP/1.1\r\n${HEADERS}${"a\n\n".repeat(1000)}`);
    await once(socket, "close");
    expect(answer).toMatch(/^HTTP\/1\.1 40[34] /);
    expect(answer).toMatch(/^connection: close/im);
  });

  it("takes about as much memory as it has bytes, in whatever pieces it comes", async () => {
    const body = new PassThrough();
    const received = receiveBody(body);
    const { heapUsed: before, arrayBuffers } = afterCollection();
    for (let piece = 0; piece < 400_000; piece++) if (!body.write("a\n\n")) await once(body, "drain");
    const after = afterCollection();
    const taken = after.heapUsed - before + after.arrayBuffers - arrayBuffers;
    body.end();
    expect((await received).text).toBe("a\n\n".repeat(400_000));
    // It has 1.2 MB. As texts the pieces take 14 MB, without garbage.
    expect(taken).toBeLessThan(6_000_000);
  });

  it("is cut at its beginning where it is too long", async () => {
    const body = new PassThrough();
    const received = receiveBody(body);
    for (let piece = 0; piece < 9; piece++) if (!body.write("ü".repeat(512 * 1024))) await once(body, "drain");
    body.end();
    expect(await received).toEqual({ text: "ü".repeat(4096), whole: false });
  });
});
