/** What the control socket carries: one JSON object a line. */
export interface ControlRequest {
  readonly request: 'unmount';
}

/** Any number of `waiting`, then one of the others. */
export type ControlAnswer =
  | { readonly answer: 'waiting'; readonly pending: readonly string[] }
  | { readonly answer: 'unmounted' }
  | { readonly answer: 'busy' }
  | { readonly answer: 'failed'; readonly message: string };
