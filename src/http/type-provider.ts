// Derives the types of requests and replies from the schemas of their routes, for Fastify.
import type { FastifyPluginAsync, FastifyPluginOptions, FastifyTypeProvider, RawServerDefault } from 'fastify';
import type { ValueOf } from '../lib/json-schema.ts';

/**
 * Fastify sets `schema` to the type of a schema, for example of a body or a reply. It reads the type of a request value
 * from `validator`, and the type of a reply from `serializer`.
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
