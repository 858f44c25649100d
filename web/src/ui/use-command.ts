import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { send } from "../api/request.ts";

export interface RunningCommand<Body, Result> {
  run: (body: Body) => void;
  /** Ends the command. */
  cancel: () => void;
  isRunning: boolean;
  /** When it began, ms since 1970; null if it does not run. */
  since: number | null;
  result: Result | undefined;
  problem: Error | null;
}

const wasCancelled = (thrown: unknown): boolean => thrown instanceof DOMException && thrown.name === "AbortError";

/** A command of the server that takes a while. It ends if it is cancelled, and when the page is left. `onResult` gets each result. */
export function useCommand<Body extends object, Result>(
  path: string,
  onResult?: (result: Result, body: Body) => void,
): RunningCommand<Body, Result> {
  const abort = useRef<AbortController | null>(null);
  const cancel = (): void => abort.current?.abort();
  useEffect(() => () => abort.current?.abort(), []);
  const { mutate, isPending, data, error, submittedAt } = useMutation({
    mutationFn: (body: Body) => {
      abort.current = new AbortController();
      return send<Result>(path, body, abort.current.signal);
    },
    onSuccess: (result, body) => onResult?.(result, body),
  });
  return {
    ...{ run: mutate, cancel, isRunning: isPending, since: isPending ? submittedAt : null, result: data },
    problem: wasCancelled(error) ? null : error,
  };
}
