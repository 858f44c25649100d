/** What helm may ask of the API server for one namespace: null if it may, else why not. `url` as it came, with its query. */
export function refusalOf(method: string, url: URL, namespace: string): string | null {
  const { pathname } = url;
  // An encoded separator could mean another path to the API server than it does here.
  if (/%(2f|2e|5c|25)/i.test(pathname) || pathname.includes("//")) return "the path has encoded separators";
  const named = /\/namespaces\/([^/]+)/.exec(pathname)?.[1];
  if (named !== undefined && named !== namespace) return `helm may use namespace ${namespace} only`;
  if (named === undefined && method !== "GET") return "helm may write objects of a namespace only";
  return null;
}
