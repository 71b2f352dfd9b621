// Generates openapi/types.ts: the contract as TypeScript types for programs that call the gateway or receive its
// webhooks. The types have the form of openapi-typescript (`paths`, `webhooks`, `components`). That package is not
// used, because it needs the JavaScript API of TypeScript 5 (this project has 7) and installs 40 MB. Decision D-140.
import type { Body, Operation, Parameter, Schema, Spec } from './spec.ts';

const toPropertyName = (name: string) => (/^[A-Za-z_$][\w$]*$|^[1-9]\d*$/.test(name) ? name : JSON.stringify(name));
const toComment = (text: unknown) =>
  text ? `/** ${String(text).replaceAll(/\s+/g, ' ').replaceAll('*/', '*\\/').trim()} */\n` : '';
/** The type in parentheses if it is a union or an intersection. */
const parenthesize = (type: string) => (/ [|&] /.test(type) ? `(${type})` : type);
const toReference = (ref: string) => {
  const [, , kind = '', name = ''] = ref.split('/');
  return `components['${kind}']['${name}']`;
};

/** One member of a generated object type. `isOptional` is false by default. */
type Member = [name: string, type: string, isOptional?: boolean, description?: unknown];

/** An object type with one member per line. */
function toObjectType(members: Member[]): string {
  if (members.length === 0) return 'Record<string, never>';
  const lines = members.map(
    ([name, type, isOptional, description]) =>
      `${toComment(description)}${toPropertyName(name)}${isOptional ? '?' : ''}: ${type};`,
  );
  return `{\n${lines.join('\n').replaceAll(/^/gm, '  ')}\n}`;
}

/** The type of an object schema. `additionalProperties` is true, or the schema of the properties that are not listed. */
function objectType({ properties, required = [], additionalProperties }: Schema): string {
  const hasOthers = additionalProperties !== undefined && additionalProperties !== false;
  const others = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
  if (!properties) return hasOthers ? `{ [name: string]: ${others} }` : 'Record<string, never>';
  const declared = toObjectType(
    Object.entries(properties).map(([name, inner]) => [
      name,
      typeOf(inner),
      !required.includes(name),
      inner.description,
    ]),
  );
  return hasOthers ? `${declared} & { [name: string]: ${others} }` : declared;
}

/** The type of the values that a schema describes, without the constraints of the schema. */
function typeOf(schema: Schema): string {
  if (schema.$ref) return toReference(schema.$ref);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.allOf) return schema.allOf.map((inner) => parenthesize(typeOf(inner))).join(' & ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  if (schema.type === undefined) return 'unknown';
  if (schema.type === 'array') return `${parenthesize(typeOf(schema.items ?? {}))}[]`;
  if (schema.type === 'object') return objectType(schema);
  if (schema.format === 'binary') return 'Blob';
  return schema.type === 'integer' ? 'number' : schema.type;
}

function contentType({ content = {} }: Body): string {
  return toObjectType(Object.entries(content).map(([type, { schema }]) => [type, typeOf(schema ?? {})]));
}

function responseType(response: Body): string {
  if (response.$ref) return toReference(response.$ref);
  return toObjectType([
    ['headers', '{ [name: string]: unknown }'],
    ['content', response.content ? contentType(response) : 'never', !response.content],
  ]);
}

function parametersType(spec: Spec, parameters: Parameter[]): string {
  const all = parameters.map(
    (parameter) =>
      (parameter.$ref ? spec.components.parameters?.[parameter.$ref.split('/')[3] ?? ''] : parameter) as Parameter,
  );
  return toObjectType(
    ['query', 'header', 'path', 'cookie'].map((location) => {
      const parametersHere = all.filter((parameter) => parameter.in === location);
      if (parametersHere.length === 0) return [location, 'never', true];
      const type = toObjectType(
        parametersHere.map(({ name, schema, required, description }) => [name, typeOf(schema), !required, description]),
      );
      return [location, type, !parametersHere.some(({ required }) => required)];
    }),
  );
}

function operationType(spec: Spec, { parameters = [], requestBody, responses }: Operation): string {
  const body = requestBody && toObjectType([['content', contentType(requestBody)]]);
  return toObjectType([
    ['parameters', parametersType(spec, parameters)],
    ['requestBody', body ?? 'never', !requestBody?.required],
    ['responses', toObjectType(Object.entries(responses).map(([status, reply]) => [status, responseType(reply)]))],
  ]);
}

/** The text of types.ts. It does not check the contract: generate() refuses unsupported contracts before. */
export function toCallerTypes(spec: Spec): string {
  const pathType = (item: Record<string, Operation>) =>
    toObjectType(
      Object.entries(item).map(([method, operation]) => [
        method,
        operationType(spec, operation),
        false,
        operation.summary,
      ]),
    );
  const { schemas, responses = {} } = spec.components;
  const schemaTypes = Object.entries(schemas).map(
    ([name, schema]): Member => [name, typeOf(schema), false, schema.description],
  );
  const responseTypes = Object.entries(responses).map(([name, body]): Member => [name, responseType(body as Body)]);
  const membersByInterface: Record<string, Member[]> = {
    paths: Object.entries(spec.paths).map(([path, item]) => [path, pathType(item)]),
    webhooks: Object.entries(spec.webhooks).map(([event, item]) => [event, pathType({ ...item })]),
    components: [
      ['schemas', toObjectType(schemaTypes)],
      ['responses', toObjectType(responseTypes)],
    ],
  };
  const header =
    '// Generated from openapi/openapi.yaml by `npm run generate`: do not edit. For programs that use the gateway.\n';
  const interfaces = Object.entries(membersByInterface).map(
    ([name, members]) => `export interface ${name} ${toObjectType(members)}\n`,
  );
  return [header, ...interfaces].join('\n');
}
