// Derives the types of requests and replies from the schemas of their routes, for Fastify.
import type { FastifyPluginAsync, FastifyPluginOptions, FastifyTypeProvider, RawServerDefault } from 'fastify';
import type { ValueOf } from '../lib/json-schema.ts';

/** Fastify puts the type of the schema of a body, a query, a reply and so on into `schema`. */
export interface SchemaTypeProvider extends FastifyTypeProvider {
  readonly validator: ValueOf<this['schema']>;
  readonly serializer: ValueOf<this['schema']>;
}

/** A Fastify plugin whose routes have types from their schemas. */
export type RoutePlugin<Options extends FastifyPluginOptions = Record<never, never>> = FastifyPluginAsync<
  Options,
  RawServerDefault,
  SchemaTypeProvider
>;
