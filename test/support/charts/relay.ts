// Runs inside a network namespace that has only a loopback interface, and passes connections on by sockets in the file system, which
// network namespaces do not separate. Arguments: folder of the sockets, ports that lead out, `--`, ports of the Pod.
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { joinSockets } from "../processes/join-sockets.ts";

const [folder = "", ...ports] = process.argv.slice(2);
const border = ports.indexOf("--");
for (const port of ports.slice(0, border)) {
  const out = join(folder, `out-${port}`);
  createServer((socket) => joinSockets(socket, connect(out))).listen(Number(port), "127.0.0.1");
}
for (const port of ports.slice(border + 1)) {
  const path = join(folder, `in-${port}`);
  // Of a container that was started before.
  rmSync(path, { force: true });
  createServer((socket) => joinSockets(socket, connect(Number(port), "127.0.0.1"))).listen(path);
}
connect(join(folder, "alive"))
  .on("error", () => process.exit(1))
  .on("close", () => process.exit(0));
