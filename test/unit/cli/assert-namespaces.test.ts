import { expect, it } from "vitest";
import { assertNamespaces } from "../../../src/cli/assert-namespaces.ts";
import { ApiError } from "../../../src/cluster/client/api-error.ts";

/** A cluster with one namespace, in which a user may not read another. */
async function check(...names: string[]) {
  const notes: string[] = [];
  const get = <T>(path: string): Promise<T | null> => {
    if (path.endsWith("/hidden"))
      return Promise.reject(new ApiError(403, { method: "GET", path, status: 403, detail: "forbidden" }));
    return Promise.resolve(path === "/api/v1/namespaces/payments" ? ({} as T) : null);
  };
  const failure: unknown = await assertNamespaces({ note: (text) => void notes.push(text) }, { get }, names).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { failure, notes };
}

it("accepts namespaces that exist, and none", async () => {
  expect(await check("payments")).toEqual({ failure: null, notes: [] });
  expect(await check()).toEqual({ failure: null, notes: [] });
});

it("refuses a misspelt one, and names it alone", async () => {
  const { failure } = await check("payments", "paymenst");
  expect(failure).toMatchObject({
    code: "CLI_NAMESPACE",
    message: expect.stringMatching(/no namespace paymenst: nothing was changed/) as string,
  });
});

it("says of one that the user may not read that it was not checked", async () => {
  const { failure, notes } = await check("payments", "hidden");
  expect([failure, notes]).toEqual([null, [expect.stringContaining("whether hidden exists is not checked")]]);
});
