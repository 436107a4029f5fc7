import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { Dialect } from '../../contract/dialect.ts';
import type { Caller } from './caller.ts';
import type { FieldSelector } from './field-selector.ts';
import type { RequestView } from './request-view.ts';

/** The application that routes register with: schemas of the contract give the types of requests and answers. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every call that needs a token. */
    caller: Caller;
    /** In whose words it was asked, and is answered. */
    dialect: Dialect;
    view: RequestView;
    selector: FieldSelector;
    /** The answer, before fields are selected. */
    answer: unknown;
    /** When it came, in the audit log's time. */
    arrivedMs: number;
    /** The answer is an error object. */
    failed: boolean;
  }

  interface FastifyContextConfig {
    /** The call needs no token and is not counted. */
    open?: boolean;
    /** The call is answered although the rate limit of its token is used up. */
    evenPastLimit?: boolean;
    /** The answer is a collection; the fields of its items when the caller names none. */
    listFields?: readonly string[];
    /** The answer is a list of bulk entries. */
    bulk?: boolean;
  }
}
