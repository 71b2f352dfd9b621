// Message content: random content from the definitions of the library, and recorded messages with changed parts.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { proto } from '@whiskeysockets/baileys';
import protobuf from 'protobufjs';
import type { Random } from '../support/random.ts';
import { corrupt } from './bytes.ts';
import { recordedContents } from './corpus.ts';
import { blob, jid, messageId, type Names, realNumber, text, wholeNumber } from './values.ts';

const require = createRequire(import.meta.url);
const definitions = readFileSync(require.resolve('@whiskeysockets/baileys/WAProto/WAProto.proto'), 'utf8');
const { root } = protobuf.parse(definitions, { keepCase: true });
root.resolveAll();

const MESSAGE = root.lookupType('proto.Message');
const KEY = root.lookupType('proto.MessageKey');
const CONTEXT = root.lookupType('proto.ContextInfo');

/** Maximum depth of nested fields. Deeper fields have no nested fields. */
const DEPTH = 7;

type Fields = Record<string, unknown>;

/** Share of messages that are not valid protobuf. A client requests each of them five times, which takes seconds. */
const UNREADABLE = 0.002;

/** Creates the bytes of a message. `isReadable`: whether a client can decode them. */
export function createContent(random: Random, names: Names): { bytes: Buffer; isReadable: boolean } {
  const shouldBeReadable = !random.chance(UNREADABLE);
  for (let tries = 0; tries < 50; tries++) {
    const bytes = shouldBeReadable ? createBytes(random, names) : corrupt(random, createBytes(random, names));
    if (isReadable(bytes) === shouldBeReadable) return { bytes, isReadable: shouldBeReadable };
  }
  return { bytes: Buffer.alloc(0), isReadable: true };
}

function isReadable(bytes: Buffer): boolean {
  try {
    proto.Message.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function createBytes(random: Random, names: Names): Buffer {
  const kind = random.int(20);
  if (kind === 0) return random.bytes(random.int(60));
  if (kind === 1) return createNestedMessage(random, names);
  const bytes = kind < 8 ? createMutatedMessage(random, names) : encode(MESSAGE, createMessage(random, names, 0));
  return random.chance(0.12) ? corrupt(random, bytes) : bytes;
}

/** Creates a message with many levels of nested messages. */
function createNestedMessage(random: Random, names: Names): Buffer {
  let bytes = encode(MESSAGE, createMessage(random, names, DEPTH));
  const wrapper = random.pick([
    'ephemeralMessage',
    'viewOnceMessage',
    'editedMessage',
    'documentWithCaptionMessage',
    'quoted',
    'edit',
  ]);
  const levels = random.chance(0.1) ? 2_000 : random.int(60);
  const [outer, inner] =
    wrapper === 'edit'
      ? fieldNumbersOf('protocolMessage', 'editedMessage')
      : wrapper === 'quoted'
        ? fieldNumbersOf('extendedTextMessage', 'contextInfo', 'quotedMessage')
        : fieldNumbersOf(wrapper, 'message');
  for (let level = 0; level < levels; level++) {
    bytes = lengthDelimited(inner[0] ?? 1, bytes);
    if (inner[1] !== undefined) bytes = lengthDelimited(inner[1], bytes);
    bytes = lengthDelimited(outer, bytes);
  }
  return bytes;
}

/**
 * Field numbers of a path of fields from a message: the first number, and the others from the innermost to the
 * outermost.
 */
function fieldNumbersOf(first: string, ...others: string[]): [number, number[]] {
  let type = MESSAGE;
  const numbers = [first, ...others].map((name) => {
    const field = type.fields[name];
    if (!field) throw new Error(`no field ${name} in ${type.fullName}`);
    if (field.resolvedType instanceof protobuf.Type) type = field.resolvedType;
    return field.id;
  });
  return [numbers[0] ?? 0, numbers.slice(1).reverse()];
}

function lengthDelimited(field: number, bytes: Buffer): Buffer {
  const writer = protobuf.Writer.create();
  return Buffer.from(
    writer
      .uint32((field << 3) | 2)
      .bytes(bytes)
      .finish(),
  );
}

/** Creates a message with one kind of content, sometimes two, and sometimes with a messageContextInfo. */
function createMessage(random: Random, names: Names, depth: number): Fields {
  const fields: Fields = {};
  for (let count = 1 + (random.chance(0.1) ? 1 : 0); count > 0; count--) {
    const field = random.pick(MESSAGE.fieldsArray);
    fields[field.name] = createValue(random, names, field, depth + 1);
  }
  const contextInfo = MESSAGE.fields.messageContextInfo;
  if (contextInfo && random.chance(0.3)) fields.messageContextInfo = createValue(random, names, contextInfo, depth + 1);
  return fields;
}

function createFields(random: Random, names: Names, type: protobuf.Type, depth: number): Fields {
  if (type === MESSAGE) return createMessage(random, names, depth);
  if (type === KEY && random.chance(0.7)) return createKey(random, names);
  const share = type === CONTEXT ? 0.15 : depth > 3 ? 0.25 : 0.5;
  const included = type.fieldsArray.filter(() => random.chance(share));
  return Object.fromEntries(included.map((field) => [field.name, createValue(random, names, field, depth + 1)]));
}

function createKey(random: Random, names: Names): Fields {
  const fields: Fields = {
    remoteJID: jid(random, names),
    remoteJid: jid(random, names),
    fromMe: random.chance(0.5),
    id: messageId(random),
    participant: jid(random, names),
  };
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name in KEY.fields && random.chance(0.85)));
}

function createValue(random: Random, names: Names, field: protobuf.Field, depth: number): unknown {
  if (!field.repeated) return createSingleValue(random, names, field, depth);
  const count = random.chance(0.01) ? 300 : random.few(4);
  return Array.from({ length: count }, () => createSingleValue(random, names, field, depth));
}

function createSingleValue(
  random: Random,
  names: Names,
  { type, resolvedType, name }: protobuf.Field,
  depth: number,
): unknown {
  if (resolvedType instanceof protobuf.Enum)
    return random.chance(0.85) ? random.pick(Object.values(resolvedType.values)) : wholeNumber(random);
  if (resolvedType instanceof protobuf.Type)
    return depth > DEPTH ? {} : createFields(random, names, resolvedType, depth);
  switch (type) {
    case 'string':
      return /jid|participant/i.test(name) && random.chance(0.7) ? jid(random, names) : text(random, names);
    case 'bytes':
      return blob(random);
    case 'bool':
      return random.chance(0.5);
    case 'float':
    case 'double':
      return realNumber(random);
    case 'int64':
    case 'uint64':
    case 'sint64':
    case 'fixed64':
    case 'sfixed64':
      return {
        low: wholeNumber(random) | 0,
        high: random.chance(0.5) ? 0 : wholeNumber(random) | 0,
        unsigned: type.startsWith('u'),
      };
    default:
      return wholeNumber(random);
  }
}

const encode = (type: protobuf.Type, fields: Fields): Buffer => Buffer.from(type.encode(fields).finish());

/** Creates a message from a recorded one with some removed, changed or added fields. */
function createMutatedMessage(random: Random, names: Names): Buffer {
  const recorded = MESSAGE.toObject(MESSAGE.decode(random.pick(recordedContents())), { longs: undefined });
  for (let changes = 1 + random.few(3); changes > 0; changes--) changeField(random, names, MESSAGE, recorded);
  return encode(MESSAGE, recorded);
}

function changeField(random: Random, names: Names, type: protobuf.Type, fields: Fields): void {
  if (type.fieldsArray.length === 0) return;
  const present = type.fieldsArray.filter(({ name }) => name in fields);
  const field = present.length > 0 && random.chance(0.85) ? random.pick(present) : random.pick(type.fieldsArray);
  const inner = field.repeated ? undefined : field.resolvedType;
  const child = fields[field.name];
  if (inner instanceof protobuf.Type && isFields(child) && random.chance(0.7)) changeField(random, names, inner, child);
  else if (random.chance(0.4)) delete fields[field.name];
  else fields[field.name] = createValue(random, names, field, 3);
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);
