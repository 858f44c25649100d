// The package brings no types; only what bench/load.ts uses.
declare module "autocannon" {
  interface Options {
    url: string;
    connections: number;
    /** In seconds, unless `amount` limits the requests. */
    duration?: number;
    amount?: number;
    method: "POST";
    headers: Record<string, string>;
    requests: { body: string }[];
    tlsOptions: { cert?: string; key?: string };
  }
  interface Result {
    non2xx: number;
    errors: number;
    timeouts: number;
  }
  interface Instance extends PromiseLike<Result> {
    on(
      event: "response",
      listener: (client: unknown, status: number, bytes: number, milliseconds: number) => void,
    ): this;
  }
  export default function autocannon(options: Options): Instance;
}
