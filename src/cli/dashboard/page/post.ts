/** What became of a deed, for a person. */
export interface Done {
  readonly ok: boolean;
  readonly text: string;
}

/** Has the server do something. Never rejects. */
export async function post(deed: string, body: Readonly<Record<string, unknown>>): Promise<Done> {
  try {
    const answer = await fetch(deed, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-svcfs-dashboard': '1' },
      body: JSON.stringify(body),
    });
    const isJson = answer.headers.get('content-type') === 'application/json';
    const told = (isJson ? await answer.json() : { failed: (await answer.text()).trim() }) as {
      readonly said?: string;
      readonly failed?: string;
    };
    return { ok: answer.ok, text: told.said ?? told.failed ?? `status ${answer.status}` };
  } catch {
    return { ok: false, text: 'The dashboard does not answer: svcfs dashboard has ended.' };
  }
}
