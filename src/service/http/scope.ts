import type { App } from './fastify-types.ts';

/** A Fastify plugin of its own: parsers, hooks and handlers that `register` adds hold for its routes alone. */
export function scope(
  register: (app: App) => void,
): (app: App, options: object, done: (error?: Error) => void) => void {
  return (app, _options, done) => {
    register(app);
    done();
  };
}
