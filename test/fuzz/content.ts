// Message content: made from the definitions of the library, and made of recorded messages by changing parts of them.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { proto } from '@whiskeysockets/baileys';
import protobuf from 'protobufjs';
import { spoil } from './bytes.ts';
import { recordedContents } from './corpus.ts';
import type { Random } from './random.ts';
import { blob, jid, messageId, type Names, real, text, whole } from './values.ts';

const require = createRequire(import.meta.url);
const definitions = readFileSync(require.resolve('@whiskeysockets/baileys/WAProto/WAProto.proto'), 'utf8');
const { root } = protobuf.parse(definitions, { keepCase: true });
root.resolveAll();

const MESSAGE = root.lookupType('proto.Message');
const KEY = root.lookupType('proto.MessageKey');
const CONTEXT = root.lookupType('proto.ContextInfo');

/** Messages inside messages; beyond this they hold only simple fields. */
const DEPTH = 7;

type Fields = Record<string, unknown>;

/** Share of messages that are no protobuf: a client asks for each five times, which takes seconds. */
const UNREADABLE = 0.002;

/** The bytes of a message, and whether a reader can decode them. */
export function content(random: Random, names: Names): { bytes: Buffer; isReadable: boolean } {
  const wanted = !random.chance(UNREADABLE);
  for (let tries = 0; tries < 50; tries++) {
    const bytes = wanted ? anything(random, names) : spoil(random, anything(random, names));
    if (isReadable(bytes) === wanted) return { bytes, isReadable: wanted };
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

function anything(random: Random, names: Names): Buffer {
  const kind = random.int(20);
  if (kind === 0) return random.bytes(random.int(60));
  if (kind === 1) return nested(random, names);
  const bytes = kind < 8 ? mutated(random, names) : encode(MESSAGE, message(random, names, 0));
  return random.chance(0.12) ? spoil(random, bytes) : bytes;
}

/** A message inside a message, many times over. */
function nested(random: Random, names: Names): Buffer {
  let bytes = encode(MESSAGE, message(random, names, DEPTH));
  const wrapper = random.pick([
    'ephemeralMessage',
    'viewOnceMessage',
    'editedMessage',
    'documentWithCaptionMessage',
    'quoted',
    'edit',
  ]);
  const turns = random.chance(0.1) ? 2_000 : random.int(60);
  const [outer, inner] =
    wrapper === 'edit'
      ? path('protocolMessage', 'editedMessage')
      : wrapper === 'quoted'
        ? path('extendedTextMessage', 'contextInfo', 'quotedMessage')
        : path(wrapper, 'message');
  for (let turn = 0; turn < turns; turn++) {
    bytes = lengthDelimited(inner[0] ?? 1, bytes);
    if (inner[1] !== undefined) bytes = lengthDelimited(inner[1], bytes);
    bytes = lengthDelimited(outer, bytes);
  }
  return bytes;
}

/** Field numbers of a path of fields from a message: the first, and the others from the innermost. */
function path(first: string, ...others: string[]): [number, number[]] {
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

/** One kind of content, at times two, at times with what accompanies any. */
function message(random: Random, names: Names, depth: number): Fields {
  const fields: Fields = {};
  for (let count = 1 + (random.chance(0.1) ? 1 : 0); count > 0; count--) {
    const field = random.pick(MESSAGE.fieldsArray);
    fields[field.name] = value(random, names, field, depth + 1);
  }
  const info = MESSAGE.fields.messageContextInfo;
  if (info && random.chance(0.3)) fields.messageContextInfo = value(random, names, info, depth + 1);
  return fields;
}

function object(random: Random, names: Names, type: protobuf.Type, depth: number): Fields {
  if (type === MESSAGE) return message(random, names, depth);
  if (type === KEY && random.chance(0.7)) return key(random, names);
  const share = type === CONTEXT ? 0.15 : depth > 3 ? 0.25 : 0.5;
  const chosen = type.fieldsArray.filter(() => random.chance(share));
  return Object.fromEntries(chosen.map((field) => [field.name, value(random, names, field, depth + 1)]));
}

function key(random: Random, names: Names): Fields {
  const all: Fields = {
    remoteJID: jid(random, names),
    remoteJid: jid(random, names),
    fromMe: random.chance(0.5),
    id: messageId(random),
    participant: jid(random, names),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => name in KEY.fields && random.chance(0.85)));
}

function value(random: Random, names: Names, field: protobuf.Field, depth: number): unknown {
  if (!field.repeated) return single(random, names, field, depth);
  const count = random.chance(0.01) ? 300 : random.few(4);
  return Array.from({ length: count }, () => single(random, names, field, depth));
}

function single(random: Random, names: Names, { type, resolvedType, name }: protobuf.Field, depth: number): unknown {
  if (resolvedType instanceof protobuf.Enum)
    return random.chance(0.85) ? random.pick(Object.values(resolvedType.values)) : whole(random);
  if (resolvedType instanceof protobuf.Type) return depth > DEPTH ? {} : object(random, names, resolvedType, depth);
  switch (type) {
    case 'string':
      return /jid|participant/i.test(name) && random.chance(0.7) ? jid(random, names) : text(random, names);
    case 'bytes':
      return blob(random);
    case 'bool':
      return random.chance(0.5);
    case 'float':
    case 'double':
      return real(random);
    case 'int64':
    case 'uint64':
    case 'sint64':
    case 'fixed64':
    case 'sfixed64':
      return {
        low: whole(random) | 0,
        high: random.chance(0.5) ? 0 : whole(random) | 0,
        unsigned: type.startsWith('u'),
      };
    default:
      return whole(random);
  }
}

const encode = (type: protobuf.Type, fields: Fields): Buffer => Buffer.from(type.encode(fields).finish());

/** A recorded message with some of its fields gone, changed or added. */
function mutated(random: Random, names: Names): Buffer {
  const recorded = MESSAGE.toObject(MESSAGE.decode(random.pick(recordedContents())), { longs: undefined });
  for (let changes = 1 + random.few(3); changes > 0; changes--) changeOne(random, names, MESSAGE, recorded);
  return encode(MESSAGE, recorded);
}

function changeOne(random: Random, names: Names, type: protobuf.Type, fields: Fields): void {
  if (type.fieldsArray.length === 0) return;
  const present = type.fieldsArray.filter(({ name }) => name in fields);
  const field = present.length > 0 && random.chance(0.85) ? random.pick(present) : random.pick(type.fieldsArray);
  const inner = field.repeated ? undefined : field.resolvedType;
  const child = fields[field.name];
  if (inner instanceof protobuf.Type && isFields(child) && random.chance(0.7)) changeOne(random, names, inner, child);
  else if (random.chance(0.4)) delete fields[field.name];
  else fields[field.name] = value(random, names, field, 3);
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);
