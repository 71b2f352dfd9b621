// Validators compiled with the first request that needs them: compiling those of every route takes a fifth of a start.
import AjvCompiler from '@fastify/ajv-compiler';
import type { FastifyInstance, FastifySchema, FastifySchemaCompiler } from 'fastify';

/** `verbose`: the words about an error need the schema and the value. Unknown fields stay: quoted messages have many. */
const customOptions = { coerceTypes: 'array', removeAdditional: false, allErrors: false, verbose: true } as const;

/** Fastify's own compiler, put off. A schema that cannot be compiled fails its first request; the contract tests compile all of them. */
export function registerCompiler(app: FastifyInstance): void {
  const compile = AjvCompiler()({}, { customOptions });
  const compiler: FastifySchemaCompiler<FastifySchema> = (route) => {
    let validate: ReturnType<typeof compile> | undefined;
    const lazy: ReturnType<FastifySchemaCompiler<FastifySchema>> = (data) => {
      validate ??= compile(route);
      const isValid = validate(data) === true;
      lazy.errors = validate.errors;
      return isValid;
    };
    return lazy;
  };
  app.setValidatorCompiler(compiler);
}
