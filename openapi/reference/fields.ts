// Converts the schemas of the contract to tables of fields for the reference pages.
import type { Schema, Spec } from '../typescript/spec.ts';
import { anchorOf, code } from './markdown.ts';

export interface Field {
  /** The path in the object, such as `quota.total`, `participants[].id` or `presences.*.lid`. */
  path: string;
  /** The type as Markdown. */
  type: string;
  isRequired: boolean;
  description: string;
}

/** Names of components that have a table of their own on the page. Their fields are not repeated where they are used. */
export type Shared = ReadonlySet<string>;

/** Maximum depth of the objects in objects that a table shows. */
const MAX_DEPTH = 3;

const componentOf = (schema: Schema) => schema.$ref?.split('/').at(-1);

/** The schema behind a `$ref`, with `allOf` merged into one object. */
export function resolveSchema(spec: Spec, schema: Schema): Schema {
  const name = componentOf(schema);
  const target = name === undefined ? schema : spec.components.schemas[name];
  if (!target) throw new Error(`unknown schema ${name}`);
  if (!target.allOf) return name === undefined ? target : resolveSchema(spec, target);
  const parts = target.allOf.map((part) => resolveSchema(spec, part));
  return {
    type: 'object',
    description: target.description ?? parts[0]?.description,
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  };
}

/** The type of a value, as Markdown. */
export function typeOf(spec: Spec, schema: Schema, shared: Shared): string {
  const name = componentOf(schema);
  if (name !== undefined && shared.has(name)) return `[${name}](#${anchorOf(name)})`;
  const { type, enum: values, const: constant, items, format } = resolveSchema(spec, schema);
  if (constant !== undefined) return code(String(constant));
  if (values) return values.map((value) => code(String(value))).join(', ');
  if (type === 'array') return `list of ${typeOf(spec, items ?? {}, shared)}`;
  if (format === 'date-time') return 'ISO 8601 time';
  return Array.isArray(type) ? type.join(' or ') : (type ?? 'any');
}

/** The objects in a value, with the step of the path that leads to them. */
function innerObjects(spec: Spec, schema: Schema, shared: Shared): { step: string; object: Schema }[] {
  if (shared.has(componentOf(schema) ?? '')) return [];
  const { properties, items, additionalProperties } = resolveSchema(spec, schema);
  if (properties) return [{ step: '', object: schema }];
  if (items) return innerObjects(spec, items, shared).map(({ step, object }) => ({ step: `[]${step}`, object }));
  if (typeof additionalProperties !== 'object') return [];
  return innerObjects(spec, additionalProperties, shared).map(({ step, object }) => ({ step: `.*${step}`, object }));
}

/** The description of a field, without the marks of fields that other gateways do not have. */
function descriptionOf(spec: Spec, schema: Schema): string {
  const description = String(schema.description ?? resolveSchema(spec, schema).description ?? '');
  return description.replace(/ \((?:superset of the interface|extension)\)/, '');
}

/**
 * The fields of an object in an event, and of the objects in it. `prefix` is put in front of the paths. Leaves out fields
 * that only responses have.
 */
export function fieldsOf(spec: Spec, schema: Schema, shared: Shared, prefix = '', depth = 1): Field[] {
  const { properties = {}, required = [] } = resolveSchema(spec, schema);
  return Object.entries(properties).flatMap(([name, property]) => {
    if (property['x-response-only']) return [];
    const path = `${prefix}${name}`;
    const description = descriptionOf(spec, property);
    const type = typeOf(spec, property, shared);
    const inner = depth === MAX_DEPTH ? [] : innerObjects(spec, property, shared);
    return [
      { path, type, isRequired: required.includes(name), description },
      ...inner.flatMap(({ step, object }) => fieldsOf(spec, object, shared, `${path}${step}.`, depth + 1)),
    ];
  });
}

/** The names of the components that a schema uses, at any depth. The parts of `allOf` are merged and not named. */
export function componentsIn(spec: Spec, schema: Schema, found = new Set<string>()): ReadonlySet<string> {
  const name = componentOf(schema);
  if (name !== undefined && found.has(name)) return found;
  const resolved = resolveSchema(spec, schema);
  // Scalars, such as enumerations, are shown where they are used.
  if (name !== undefined && resolved.properties) found.add(name);
  const { properties = {}, items, additionalProperties, anyOf = [] } = resolved;
  const inner = [
    ...Object.values(properties),
    ...anyOf,
    ...(items ? [items] : []),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ];
  for (const innerSchema of inner) componentsIn(spec, innerSchema, found);
  return found;
}
