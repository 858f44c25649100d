import type { ReactElement, ReactNode } from "react";
import { RequestError } from "../api/request.ts";
import { isPassing } from "../api/retry.ts";
import { Icon } from "./icon.tsx";

const TITLES: Readonly<Record<RequestError["problem"]["kind"], string>> = {
  session: "This tab is not signed in",
  forbidden: "You are not allowed to see this",
  credentials: "The cluster does not accept your credentials",
  away: "The API server does not answer",
  busy: "The cluster is busy",
  absent: "Nothing has this name",
  request: "This address is not valid",
  command: "The command failed",
  failed: "Something went wrong",
  gone: "The console does not answer",
};

const problemIn = (thrown: unknown): RequestError["problem"] =>
  thrown instanceof RequestError
    ? thrown.problem
    : {
        ...{ kind: "failed", code: "", remedy: "", againSeconds: null },
        message: thrown instanceof Error ? thrown.message : String(thrown),
      };

/** Messages of the server are parts of sentences. */
const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;

/** A problem and its remedy, in place of the content of a page. */
export function ProblemView({ problem: thrown, children }: { problem: unknown; children?: ReactNode }): ReactElement {
  const { kind, code, message, remedy } = problemIn(thrown);
  return (
    <section className="notice" role={isPassing(kind) ? "status" : "alert"} data-problem={kind}>
      <h2>
        <Icon name="failing" />
        {TITLES[kind]}
      </h2>
      <p>{sentence(message)}</p>
      {remedy === "" ? null : <p>{sentence(remedy)}</p>}
      {isPassing(kind) ? <p className="quiet">This page tries again every few seconds.</p> : null}
      {code === "" ? null : <p className="quiet">{code}</p>}
      {children}
    </section>
  );
}

/** A place that stays empty until its content is there, so that nothing moves. */
export const Loading = ({ what, lines = 6 }: { what: string; lines?: number }): ReactElement => (
  <div className="loading" role="status">
    <span className="hidden">Loading {what}</span>
    {Array.from({ length: lines }, (_, at) => (
      <div key={at} className="loading-line" />
    ))}
  </div>
);

/** The content of a page without objects, with the next thing to do. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }): ReactElement => (
  <section className="notice">
    <h2>{title}</h2>
    {children}
  </section>
);
