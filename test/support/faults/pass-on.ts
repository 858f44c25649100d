// Runs inside a network namespace: passes connections to a port of its loopback address on to the same port of another address.
import { connect, createServer } from "node:net";
import { joinSockets } from "../processes/join-sockets.ts";

const [host = "", port = ""] = process.argv.slice(2);
createServer((socket) => joinSockets(socket, connect(Number(port), host))).listen(Number(port), "127.0.0.1");
