// The fields, parameters and headers of the contract with their places, for tests of descriptions and examples.
import { operations, type Parameter, resolve, type Schema, spec } from '../support/openapi-document.ts';

export interface Field {
  /** For example `SendTextBody.textMessage.text` or `message/sendText?wait`. */
  place: string;
  name: string;
  description: string | undefined;
  examples: unknown[] | undefined;
  schema: Schema;
}

/** The anonymous schemas directly inside a schema. */
function unnamedParts({ items, anyOf = [], allOf = [], additionalProperties }: Schema): Schema[] {
  return [
    ...(items ? [items] : []),
    ...anyOf,
    ...allOf,
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ];
}

/** Every property below a schema, except those behind a reference. The target of a reference is a component. */
function fieldsOf(schema: Schema, place: string): Field[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const description = property.description ?? resolve(property).description;
    const field = { place: `${place}.${name}`, name, description, examples: property.examples, schema: property };
    return [field, ...fieldsOf(property, field.place)];
  });
  return [...own, ...unnamedParts(schema).flatMap((part) => fieldsOf(part, place))];
}

function toField(place: string, { name, description, example, schema }: Omit<Parameter, 'in'>): Field {
  return { place, name, description, examples: example === undefined ? schema.examples : [example], schema };
}

const inlineParameters = operations.flatMap(({ path, operation }) =>
  (operation.parameters ?? [])
    .filter(({ $ref }) => !$ref)
    .map((parameter) => toField(`${path}?${parameter.name}`, parameter)),
);
const parameters = Object.entries(spec.components.parameters).map(([name, parameter]) => toField(name, parameter));
const headers = Object.entries(spec.components.headers).map(([name, header]) => toField(name, { ...header, name }));
const inlineBodies = operations.flatMap(({ path, operation }) =>
  Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) => (schema ? fieldsOf(schema, path) : [])),
);
const components = Object.entries(spec.components.schemas).flatMap(([name, schema]) => fieldsOf(schema, name));

/** Every property of a schema or of a body, every parameter and every header. */
export const fields: Field[] = [...components, ...inlineBodies, ...inlineParameters, ...parameters, ...headers];

/** True for a schema of texts or numbers without `enum` and `const` that is not an uploaded file. */
export function isOpenScalar({ type, enum: values, const: only, format }: Schema): boolean {
  const types = [type].flat();
  return (
    !values &&
    only === undefined &&
    format !== 'binary' &&
    ['string', 'integer', 'number'].some((scalar) => types.includes(scalar))
  );
}
