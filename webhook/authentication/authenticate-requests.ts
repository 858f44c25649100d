import type { FastifyReply, FastifyRequest } from "fastify";
import { asLandfallError, LandfallError } from "../../src/errors.ts";
import type { Caller } from "../../src/model/caller.ts";
import type { Authenticator } from "./create-authenticator.ts";

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/** Who asks; known once the request's headers are there. */
const callers = new WeakMap<FastifyRequest, Caller>();

/** Lets a caller in who authenticates as the mode asks. What an unauthenticated caller has underway is limited before its body is read. */
export function enter({ open, limit, came }: Authenticator, bodyLimit: number): Hook {
  const lengthOf = ({ headers }: FastifyRequest): number => Number(headers["content-length"] ?? bodyLimit);
  function welcome(request: FastifyRequest, reply: FastifyReply, caller: Caller): void {
    if (caller.authentication === "none") reply.raw.once("close", limit.enter(caller.source, lengthOf(request)));
    callers.set(request, caller);
    came(caller);
  }
  return (request, reply, done) => {
    try {
      const caller = open(request.raw);
      if (!(caller instanceof Promise)) {
        welcome(request, reply, caller);
        done();
        return;
      }
      const entered = caller.then((one) => {
        welcome(request, reply, one);
      });
      entered.then(
        () => done(),
        (thrown: unknown) => {
          done(asLandfallError(thrown));
        },
      );
    } catch (thrown) {
      done(asLandfallError(thrown));
    }
  };
}

/** Who was let in. Throws ADM_CLIENT_CERTIFICATE for a request that was not. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new LandfallError("ADM_CLIENT_CERTIFICATE");
  return caller;
}
