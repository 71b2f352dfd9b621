// Writes a schema of the contract as TypeScript source: the JSON Schema that Fastify gets, and the type of its values.
// Unknown keywords throw, so that nothing in the contract is dropped silently.
import type { Schema } from './spec.ts';

/** The keywords that limit a value. */
const CONSTRAINTS = [
  ...['minLength', 'maxLength', 'pattern', 'format', 'minimum', 'maximum'],
  ...['minItems', 'maxItems', 'maxProperties'],
];
const KNOWN_KEYWORDS = new Set([
  ...CONSTRAINTS,
  ...['$ref', 'type', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'items', 'anyOf', 'allOf'],
  ...['description', 'examples'],
]);
/** The TypeScript types of the scalar schema types. */
const SCALARS: Readonly<Record<string, string>> = {
  ...{ string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' },
};
/** Maximum number of characters of a list on one line. The rest of the line of 120 is for indentation and names. */
const MAX_LIST_LENGTH = 90;

export const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
export const toPropertyName = (name: string) => (/^[A-Za-z_$][\w$]*$|^[1-9]\d*$/.test(name) ? name : quote(name));
const indent = (text: string) => `  ${text.replaceAll('\n', '\n  ')}`;

/** A string, number, boolean or list as TypeScript source. */
export function toLiteral(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  return Array.isArray(value) ? toList('[', value.map(toLiteral), ']') : String(value);
}

/** Items between brackets: on one line if they fit, otherwise one per line. */
export function toList(open: string, items: string[], close: string, separator = ','): string {
  const space = open.endsWith('{') && items.length > 0 ? ' ' : '';
  const flat = `${open}${space}${items.join(`${separator} `)}${space}${close}`;
  if (flat.length <= MAX_LIST_LENGTH && !flat.includes('\n')) return flat;
  return `${open}\n${items.map((item) => `${indent(item)}${separator}\n`).join('')}${close}`;
}

/** A union type: on one line if it fits, otherwise one member per line. */
function toUnion(types: string[]): string {
  const flat = types.join(' | ');
  return flat.length <= MAX_LIST_LENGTH ? flat : types.join('\n  | ');
}

/** The name of the component that a `$ref` refers to. */
function toComponentName(ref: string): string {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(ref)?.[1];
  if (!name) throw new Error(`unsupported reference ${ref}`);
  return name;
}

/** The schema of all values of an object that declares no properties; undefined for other objects. */
function valuesOf({ properties, additionalProperties }: Schema): Schema | undefined {
  if (properties || !additionalProperties) return undefined;
  return additionalProperties === true ? {} : additionalProperties;
}

/**
 * A schema as the source of a JSON Schema. A component is the name of its constant, which is added to `used`. Throws
 * for a keyword that the generator does not know.
 */
export function toSource(schema: Schema, used: Set<string>): string {
  const unknownKeyword = Object.keys(schema).find((key) => !key.startsWith('x-') && !KNOWN_KEYWORDS.has(key));
  if (unknownKeyword)
    throw new Error(`unsupported keyword "${unknownKeyword}" in ${JSON.stringify(schema).slice(0, 200)}`);
  if (schema.$ref) {
    const name = toComponentName(schema.$ref);
    used.add(name);
    return name;
  }
  const limits = CONSTRAINTS.filter((key) => schema[key] !== undefined);
  const constraints = limits.map((key) => `${key}: ${toLiteral(schema[key])}`);
  return toList('{', [...toKeywords(schema, used), ...constraints], '}');
}

/** The keywords of a schema that are no constraints, as members of an object literal. */
function toKeywords(schema: Schema, used: Set<string>): string[] {
  const nested = (inner: Schema) => toSource(inner, used);
  if (schema.anyOf) return [`anyOf: ${toList('[', schema.anyOf.map(nested), ']')}`];
  // The contract combines only objects.
  if (schema.allOf) return ["type: 'object'", `allOf: ${toList('[', schema.allOf.map(nested), ']')}`];
  if (schema.const !== undefined) return [`type: ${quote(typeof schema.const)}`, `const: ${toLiteral(schema.const)}`];
  if (schema.type === undefined) return [];
  const type = `type: ${toLiteral(schema.type)}`;
  if (schema.enum) return [type, `enum: ${toLiteral(schema.enum)}`];
  if (schema.type === 'array') return [type, `items: ${nested(schema.items ?? {})}`];
  return schema.type === 'object' ? [type, ...toObjectKeywords(schema, used)] : [type];
}

function toObjectKeywords(schema: Schema, used: Set<string>): string[] {
  const { properties = {}, required = [] } = schema;
  const values = valuesOf(schema);
  if (values) return [`patternProperties: { '^(.*)$': ${toSource(values, used)} }`];
  const undeclared = required.find((name) => !properties[name]);
  if (undeclared) throw new Error(`required property "${undeclared}" is not declared`);
  const members = Object.entries(properties).map(
    ([name, inner]) => `${toPropertyName(name)}: ${toSource(inner, used)}`,
  );
  const requiredInOrder = Object.keys(properties).filter((name) => required.includes(name));
  return [
    `properties: ${toList('{', members, '}')}`,
    ...(requiredInOrder.length > 0 ? [`required: ${toLiteral(requiredInOrder)}`] : []),
    ...(schema.additionalProperties === true ? ['additionalProperties: true'] : []),
  ];
}

/** The TypeScript type of the values of a schema, without the constraints. Throws for a type that is not supported. */
export function toType(schema: Schema): string {
  if (schema.$ref) return toComponentName(schema.$ref);
  if (schema.anyOf) return toUnion(schema.anyOf.map(toType));
  if (schema.allOf) return schema.allOf.map(toOperand).join(' & ');
  if (schema.const !== undefined) return toLiteral(schema.const);
  if (schema.enum) return toUnion(schema.enum.map(toLiteral));
  if (schema.type === undefined) return 'unknown';
  if (schema.type === 'array') return `${toOperand(schema.items ?? {})}[]`;
  if (schema.type === 'object') return toObjectType(schema);
  return [schema.type].flat().map(toScalarType).join(' | ');
}

/** The type of a schema as an operand of `&` or `[]`. */
function toOperand(schema: Schema): string {
  const isCompound = schema.anyOf ?? schema.allOf ?? schema.enum ?? Array.isArray(schema.type);
  return isCompound ? `(${toType(schema)})` : toType(schema);
}

function toObjectType(schema: Schema): string {
  const { properties = {}, required = [] } = schema;
  const values = valuesOf(schema);
  if (values) return `Record<string, ${toType(values)}>`;
  const members = Object.entries(properties).map(
    ([name, inner]) => `${toPropertyName(name)}${required.includes(name) ? '' : '?'}: ${toType(inner)}`,
  );
  return toList('{', members, '}', ';');
}

function toScalarType(type: string): string {
  const scalar = SCALARS[type];
  if (!scalar) throw new Error(`unsupported type ${type}`);
  return scalar;
}

/** A schema as an expression of type `Schema<…>`, which src/lib/json-schema.ts declares. Parameters as in toSource. */
export function toExpression(schema: Schema, used: Set<string>): string {
  const source = toSource(schema, used);
  return schema.$ref ? source : `schema<${toType(schema)}>(${source})`;
}
