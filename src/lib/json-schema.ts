// The types of JSON Schemas with the keywords that this program uses, and the link from a schema to the TypeScript type
// of its values. At run time, a schema is a plain object.

type TypeName = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';

// Type aliases, not interfaces: Fastify takes schemas as records, to which an interface cannot be assigned.
export type JsonSchema = Readonly<{
  type?: TypeName | readonly TypeName[];
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly JsonSchema[];
  allOf?: readonly JsonSchema[];
  properties?: Readonly<Record<string, JsonSchema>>;
  patternProperties?: Readonly<Record<string, JsonSchema>>;
  additionalProperties?: boolean;
  required?: readonly string[];
  maxProperties?: number;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  default?: unknown;
}>;

/** The name of a property that exists only in the types of schemas, and never at run time. */
declare const valueType: unique symbol;

/** A schema for values of type `T`. The compiler does not compare `T` with the keywords. */
export type Schema<T> = JsonSchema & { readonly [valueType]?: T };

/** A schema for objects of type `T`. The compiler compares the names of the properties with `T`. */
export type ObjectSchema<T> = Omit<Schema<T>, 'properties'> & {
  readonly properties: { readonly [Name in keyof T]-?: Schema<T[Name]> };
};

/** A schema that lists the allowed values. */
export type EnumSchema<T> = Omit<Schema<T>, 'enum'> & { readonly enum: readonly T[] };

/** The type of the values of a schema of type `S`; unknown when `S` is no schema. */
export type ValueOf<S> = S extends Schema<infer T> ? T : unknown;

/** Returns `json` as a schema for values of type `T`. */
export function schema<T>(json: JsonSchema): Schema<T> {
  return json;
}
