import type { Problem } from "../../../src/console/contract/problem.ts";
import { currentSession, forget } from "./session.ts";

/** A request that the server refused or could not answer. `gone`: the console itself does not answer. */
export class RequestError extends Error {
  readonly problem: Omit<Problem, "kind"> & { kind: Problem["kind"] | "gone" };

  constructor(problem: RequestError["problem"]) {
    super(problem.message);
    this.name = "RequestError";
    this.problem = problem;
  }
}

export type Parameters = Readonly<Record<string, string | number | undefined>>;

function addressOf(path: string, parameters: Parameters): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length === 0 ? path : `${path}?${query.toString()}`;
}

const GONE = {
  kind: "gone",
  code: "",
  againSeconds: null,
  message: "The console does not answer.",
  remedy: "It may have been stopped. Start landfall console again, and open the address that it prints.",
} as const;

async function failed(answer: Response, session: string | null): Promise<RequestError> {
  const problem = (await answer.json().catch(() => GONE)) as Problem;
  if (problem.kind === "session") forget(session);
  return new RequestError(problem);
}

async function request(
  address: string,
  { headers, ...init }: RequestInit & { signal: AbortSignal },
): Promise<Response> {
  const session = currentSession();
  const own = session === null ? {} : { authorization: `Bearer ${session}` };
  const answer = await fetch(address, { ...init, headers: { ...headers, ...own } }).catch((thrown: unknown) => {
    if (init.signal.aborted) throw thrown;
    throw new RequestError(GONE);
  });
  if (answer.ok) return answer;
  throw await failed(answer, session);
}

/** Sends a request of the API with the session. Throws RequestError. */
export const open = (path: string, parameters: Parameters, signal: AbortSignal): Promise<Response> =>
  request(addressOf(path, parameters), { signal });

/** Posts JSON to the API, and reads the answer. Throws RequestError. */
export async function send<T>(path: string, body: object, signal: AbortSignal): Promise<T> {
  const headers = { "content-type": "application/json" };
  return (await (await request(path, { method: "POST", headers, body: JSON.stringify(body), signal })).json()) as T;
}

/** Reads an answer of the API. Throws RequestError. */
export async function read<T>(path: string, parameters: Parameters, signal: AbortSignal): Promise<T> {
  return (await (await open(path, parameters, signal)).json()) as T;
}
