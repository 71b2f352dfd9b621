// Reads the messages, fields and enum values of a protobuf schema.
import protobuf from 'protobufjs';
import type { Surface } from './surface.ts';

/**
 * Returns the schema as names with their declarations: `Message`, `Message.text` (`optional string = 1`), `Kind.IMAGE`
 * (`0`). Throws Error for a text that is not a schema.
 */
export function readSchema(text: string): Surface {
  const { root } = protobuf.parse(text, { keepCase: true });
  const surface = new Map<string, string>();
  addNested(surface, root, '');
  return surface;
}

function addNested(surface: Map<string, string>, parent: protobuf.NamespaceBase, prefix: string): void {
  for (const nested of parent.nestedArray) {
    const name = `${prefix}${nested.name}`;
    if (nested instanceof protobuf.Type) {
      surface.set(name, 'message');
      for (const field of nested.fieldsArray) surface.set(`${name}.${field.name}`, describeField(field));
      addNested(surface, nested, `${name}.`);
    } else if (nested instanceof protobuf.Enum) {
      surface.set(name, 'enum');
      for (const [value, number] of Object.entries(nested.values)) surface.set(`${name}.${value}`, String(number));
    } else if (nested instanceof protobuf.Namespace) {
      // The package, whose name is not part of the API.
      addNested(surface, nested, prefix);
    }
  }
}

function describeField(field: protobuf.Field): string {
  const type = field instanceof protobuf.MapField ? `map<${field.keyType}, ${field.type}>` : field.type;
  return `${field.repeated ? 'repeated ' : ''}${type} = ${field.id}`;
}
