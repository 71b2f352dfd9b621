// Compiles validators and serializers of schemas at their first use, once per process: compiling those of every route
// takes a third of a start, and most routes of a process are never called.
import AjvCompiler from '@fastify/ajv-compiler';
import SerializerCompiler from '@fastify/fast-json-stringify-compiler';
import type { FastifyInstance, FastifySchema, FastifySchemaCompiler } from 'fastify';

type Ajv = Parameters<NonNullable<NonNullable<Parameters<ReturnType<typeof AjvCompiler>>[1]>['onCreate']>>[0];
type CompileValidator = ReturnType<ReturnType<typeof AjvCompiler>>;
type Validate = ReturnType<CompileValidator>;
type Serialize = (data: unknown) => string;

/** `verbose`: error texts need the schema and the value. Unknown fields stay, because quoted messages have many. */
const AJV_OPTIONS = { coerceTypes: 'array', removeAdditional: false, allErrors: false, verbose: true } as const;

const compileSerializer = SerializerCompiler()();
let compileValidator: CompileValidator | undefined;
/** By schema. Schemas are constants, so that every app of the process has the same. */
const validators = new WeakMap<object, Validate>();
const serializers = new WeakMap<object, Serialize>();

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The entry of `cache` for `schema`, created when missing. A schema that is not an object is not cached. */
function cached<T>(cache: WeakMap<object, T>, schema: unknown, create: () => T): T {
  const found = isObject(schema) ? cache.get(schema) : undefined;
  if (found !== undefined) return found;
  const created = create();
  if (isObject(schema)) cache.set(schema, created);
  return created;
}

/**
 * Replaces Fastify's compilers of schemas by the same ones at first use. A schema that cannot be compiled fails its
 * first request; the contract tests compile all of them.
 */
export function registerSchemaCompilers(app: FastifyInstance): void {
  const toValidator: FastifySchemaCompiler<FastifySchema> = (route) => {
    let validate: Validate | undefined;
    const lazy: ReturnType<FastifySchemaCompiler<FastifySchema>> = (data) => {
      compileValidator ??= AjvCompiler()({}, { customOptions: AJV_OPTIONS, onCreate: replaceLengthChecks });
      const compile = compileValidator;
      validate ??= cached(validators, route.schema, () => compile(route));
      const isValid = validate(data) === true;
      lazy.errors = validate.errors;
      return isValid;
    };
    return lazy;
  };
  app.setValidatorCompiler(toValidator);
  app.setSerializerCompiler(({ schema, method, url, httpStatus = '' }) => {
    let serialize: Serialize | undefined;
    return (data) => {
      serialize ??= cached(serializers, schema, () => compileSerializer({ schema, method, url, httpStatus }));
      return serialize(data);
    };
  });
}

/**
 * Replaces Ajv's length checks, which count the characters of base64 twice. The number of UTF-16 units mostly decides
 * without counting.
 */
function replaceLengthChecks(ajv: Ajv): void {
  const tests = {
    maxLength: (text: string, limit: number) =>
      text.length <= limit || (text.length <= 2 * limit && countCharacters(text) <= limit),
    minLength: (text: string, limit: number) =>
      text.length >= 2 * limit || (text.length >= limit && countCharacters(text) >= limit),
  };
  for (const [keyword, test] of Object.entries(tests)) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      keyword,
      type: 'string',
      schemaType: 'number',
      before: 'pattern',
      compile(limit: number) {
        const error = { keyword, params: { limit }, message: `must be within a ${keyword} of ${limit}` };
        return function check(text: string): boolean {
          const isFine = test(text, limit);
          // Ajv reads errors from this property and adds path and value.
          Object.assign(check, { errors: isFine ? [] : [{ ...error }] });
          return isFine;
        };
      },
    });
  }
}

/** Number of characters; a surrogate pair is one. */
function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at++) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) count -= 1;
  }
  return count;
}
