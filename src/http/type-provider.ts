// Derives the types of requests and replies from the schemas of their routes, for Fastify.
import type { FastifyPluginAsync, FastifyPluginOptions, FastifyTypeProvider, RawServerDefault } from 'fastify';
import type { ValueOf } from '../lib/json-schema.ts';

/**
 * For each body, query or reply of a route, Fastify sets the inherited member `schema` to the type of its schema, and
 * then reads the type of a request value from `validator` and the type of a reply from `serializer`.
 */
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
