/** Whether a plain HTTP address answers 2xx. */
export async function isHttpOk(url: string): Promise<boolean> {
  const answer = await fetch(url);
  await answer.arrayBuffer();
  return answer.ok;
}
