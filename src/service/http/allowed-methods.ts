import type { App } from './fastify-types.ts';

/** Remembers every route, to tell an address that does not exist from one that does not know the method. */
export class AllowedMethods {
  readonly #routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];

  /** Call before routes are registered. */
  watch(app: App): void {
    app.addHook('onRoute', ({ url, method }) => {
      this.#routes.push({ pattern: patternOf(url), methods: [method].flat() });
    });
  }

  of(path: string): string[] {
    const matching = this.#routes.filter(({ pattern }) => pattern.test(path));
    return [...new Set(matching.flatMap(({ methods }) => methods))];
  }
}

function patternOf(url: string): RegExp {
  const source = url
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/:[A-Za-z_]+/g, '[^/]+')
    .replaceAll('*', '.*');
  return new RegExp(`^${source.replace(/\/$/, '')}/?$`);
}
