// Validators compiled with the first request that needs them: compiling those of every route takes a fifth of a start.
import AjvCompiler from '@fastify/ajv-compiler';
import type { FastifyInstance, FastifySchema, FastifySchemaCompiler } from 'fastify';

type Ajv = Parameters<NonNullable<NonNullable<Parameters<ReturnType<typeof AjvCompiler>>[1]>['onCreate']>>[0];

/** `verbose`: the words about an error need the schema and the value. Unknown fields stay: quoted messages have many. */
const customOptions = { coerceTypes: 'array', removeAdditional: false, allErrors: false, verbose: true } as const;

/** Fastify's own compiler, put off. A schema that cannot be compiled fails its first request; the contract tests compile all of them. */
export function registerCompiler(app: FastifyInstance): void {
  const compile = AjvCompiler()({}, { customOptions, onCreate: measureByUnits });
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

/** Ajv counts the characters of every string, twice, which takes long for base64. The number of UTF-16 units mostly settles the question. */
function measureByUnits(ajv: Ajv): void {
  const tests = {
    maxLength: (text: string, limit: number) =>
      text.length <= limit || (text.length <= 2 * limit && charactersOf(text) <= limit),
    minLength: (text: string, limit: number) =>
      text.length >= 2 * limit || (text.length >= limit && charactersOf(text) >= limit),
  };
  for (const [keyword, test] of Object.entries(tests)) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      ...{ keyword, type: 'string', schemaType: 'number', before: 'pattern' },
      compile(limit: number) {
        const error = { keyword, params: { limit }, message: `must be within a ${keyword} of ${limit}` };
        return function check(text: string): boolean {
          const isFine = test(text, limit);
          // Where Ajv looks for what is wrong; it adds the place and the value.
          Object.assign(check, { errors: isFine ? [] : [{ ...error }] });
          return isFine;
        };
      },
    });
  }
}

/** A pair of surrogates is one character. */
function charactersOf(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at++) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) count -= 1;
  }
  return count;
}
