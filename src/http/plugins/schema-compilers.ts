// Compiles the validators and serializers of schemas at their first use, once per process: compiling them for all
// routes takes a third of the startup time, and most processes never use most routes.
import AjvCompiler from '@fastify/ajv-compiler';
import SerializerCompiler from '@fastify/fast-json-stringify-compiler';
import type { FastifyInstance, FastifySchema, FastifySchemaCompiler } from 'fastify';

// @fastify/ajv-compiler exports none of these types.
type Ajv = Parameters<NonNullable<NonNullable<Parameters<ReturnType<typeof AjvCompiler>>[1]>['onCreate']>>[0];
type CompileValidator = ReturnType<ReturnType<typeof AjvCompiler>>;
type Validate = ReturnType<CompileValidator>;
type Serialize = (data: unknown) => string;

/**
 * `verbose` adds the schema and the value to errors, because the error texts need them. `removeAdditional: false` keeps
 * unknown fields, because quoted messages have many of them.
 */
const AJV_OPTIONS = { coerceTypes: 'array', removeAdditional: false, allErrors: false, verbose: true } as const;

const compileSerializer = SerializerCompiler()();
let compileValidator: CompileValidator | undefined;
// The compiled functions by schema. Schemas are constants, so all apps of the process share the functions.
const validators = new WeakMap<object, Validate>();
const serializers = new WeakMap<object, Serialize>();

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The entry of `cache` for `schema`, created when missing. A schema that is not an object is not cached. */
function getOrCreate<T>(cache: WeakMap<object, T>, schema: unknown, create: () => T): T {
  const found = isObject(schema) ? cache.get(schema) : undefined;
  if (found !== undefined) return found;
  const created = create();
  if (isObject(schema)) cache.set(schema, created);
  return created;
}

/**
 * Makes Fastify compile schemas at their first use. A schema that cannot be compiled therefore fails only at a request.
 * The contract tests compile all schemas.
 */
export function registerSchemaCompilers(app: FastifyInstance): void {
  const toValidator: FastifySchemaCompiler<FastifySchema> = (route) => {
    let validate: Validate | undefined;
    const validateLazily: ReturnType<FastifySchemaCompiler<FastifySchema>> = (data) => {
      compileValidator ??= AjvCompiler()({}, { customOptions: AJV_OPTIONS, onCreate: replaceLengthChecks });
      const compile = compileValidator;
      validate ??= getOrCreate(validators, route.schema, () => compile(route));
      const isValid = validate(data) === true;
      validateLazily.errors = validate.errors;
      return isValid;
    };
    return validateLazily;
  };
  app.setValidatorCompiler(toValidator);
  app.setSerializerCompiler(({ schema, method, url, httpStatus = '' }) => {
    let serialize: Serialize | undefined;
    return (data) => {
      serialize ??= getOrCreate(serializers, schema, () => compileSerializer({ schema, method, url, httpStatus }));
      return serialize(data);
    };
  });
}

/**
 * Replaces Ajv's length checks, which count the characters of every string. `text.length` is the number of UTF-16 code
 * units, one or two per character, so most strings pass or fail without counting.
 */
function replaceLengthChecks(ajv: Ajv): void {
  const tests = {
    maxLength: (text: string, limit: number) =>
      text.length <= limit || (text.length <= 2 * limit && countCharacters(text) <= limit),
    minLength: (text: string, limit: number) =>
      text.length >= 2 * limit || (text.length >= limit && countCharacters(text) >= limit),
  };
  for (const [keyword, test] of Object.entries(tests)) {
    const bound = keyword === 'maxLength' ? 'at most' : 'at least';
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      keyword,
      type: 'string',
      schemaType: 'number',
      // Ajv reports only the first error. Without `before`, Ajv would check the length last.
      before: 'pattern',
      compile(limit: number) {
        const error = { keyword, params: { limit }, message: `must have ${bound} ${limit} characters` };
        return function check(text: string): boolean {
          const isValid = test(text, limit);
          // Ajv reads the errors from this property of the function and adds the path and the value.
          Object.assign(check, { errors: isValid ? [] : [{ ...error }] });
          return isValid;
        };
      },
    });
  }
}

// UTF-16 has the high surrogates U+D800 to U+DBFF and the low surrogates U+DC00 to U+DFFF.
const isHighSurrogate = (codeUnit: number): boolean => (codeUnit & 0xfc00) === 0xd800;
const isLowSurrogate = (codeUnit: number): boolean => (codeUnit & 0xfc00) === 0xdc00;

/** The number of characters. A surrogate pair is one character. */
function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at++) {
    if (isLowSurrogate(text.charCodeAt(at)) && isHighSurrogate(text.charCodeAt(at - 1))) count -= 1;
  }
  return count;
}
