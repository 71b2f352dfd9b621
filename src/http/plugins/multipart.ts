// Forms with a file (multipart/form-data): the fields become the body, and the file becomes an upload whose address the
// operation reads like a URL. Operations without files refuse such forms before reading them. The rest of a refused
// form is discarded. Decision D-072.
import type { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';
import { GatewayError } from '../../errors.ts';
import { isObject } from '../../lib/json-object.ts';
import type { Media } from '../../whatsapp/media/media.ts';
import { type Body, setAt, valueAt } from '../dialects/rewrite.ts';
import type { BodyBudget } from './body-budget.ts';
import { assertReadable, bodyTooLarge, parseJsonField } from './body-parsers.ts';
import { toBody } from './form-fields.ts';

export interface Form {
  body: Body;
  /**
   * Writes the address of the uploaded file into a body in the schema form. The address replaces a source in the body
   * (URL or base64). The name of the file is only written if the body has no file name. Throws INVALID_REQUEST for a
   * status of the type `text`.
   */
  addFile(body: Body): void;
}

/**
 * The operations with a file, by operationId. `sourcePath` is the path of the body field for the file's source (URL,
 * base64 or upload address), and `namePath` is the path of the body field for the file's name. `parts` are the accepted
 * names of the form part with the file.
 */
const FILE_FIELDS: Record<string, { sourcePath: string; namePath?: string; parts: readonly string[] }> = {
  sendPlatformAudio: { sourcePath: 'audioMessage.audio', parts: ['file', 'audio'] },
  sendWhatsAppAudio: { sourcePath: 'audioMessage.audio', parts: ['file', 'audio'] },
  sendMedia: { sourcePath: 'mediaMessage.media', namePath: 'mediaMessage.fileName', parts: ['file', 'media'] },
  sendStatus: { sourcePath: 'statusMessage.content', parts: ['file', 'content'] },
  sendPtv: { sourcePath: 'ptvMessage.video', parts: ['file', 'video'] },
  sendSticker: { sourcePath: 'stickerMessage.image', parts: ['file', 'sticker', 'image'] },
  updateGroupPicture: { sourcePath: 'image', parts: ['file', 'image'] },
  updateProfilePicture: { sourcePath: 'picture', parts: ['file', 'picture'] },
};

/** Fields whose text is parsed if it looks like JSON. Many clients send objects in forms as JSON. */
const JSON_FIELDS = new Set([
  ...['options', 'quoted', 'mentions', 'mentioned', 'statusJidList', 'image'],
  ...['audioMessage', 'stickerMessage', 'mediaMessage', 'ptvMessage', 'statusMessage'],
]);

const MAX_FIELDS = 100;
/** Maximum number of characters of a field name. */
const MAX_NAME_LENGTH = 100;
/** Maximum number of headers per part. */
const MAX_PART_HEADERS = 20;

type Uploads = Pick<Media['requestFiles'], 'store' | 'remove'>;
type FormLimits = Pick<Config, 'bodyLimit' | 'jsonLimit' | 'mediaLimit'>;

/**
 * Reads the form of a request; undefined for other content types. Rejects with INVALID_REQUEST, BODY_TOO_LARGE,
 * REQUEST_INCOMPLETE, OVERLOADED or INTERNAL.
 */
export type ReadForm = (request: FastifyRequest, reply: FastifyReply) => Promise<Form | undefined>;

/**
 * Registers the form parser, and resolves with the function that reads forms. `budget` limits the total size of all
 * request bodies in progress.
 */
export async function registerMultipart(
  app: FastifyInstance,
  { limits, uploads, budget }: { limits: FormLimits; uploads: Uploads; budget: BodyBudget },
): Promise<ReadForm> {
  // The upload store limits the size of files. bodyLimit applies to all fields together.
  await app.register(multipart, {
    throwFileSizeLimit: false,
    limits: {
      fields: MAX_FIELDS,
      // One part more than the fields and the file: a second file is refused below, with a clearer error text.
      parts: MAX_FIELDS + 2,
      fieldSize: limits.bodyLimit,
      fileSize: Number.POSITIVE_INFINITY,
      headerPairs: MAX_PART_HEADERS,
    },
  });
  return async (request, reply) => {
    if (!request.isMultipart()) return undefined;
    const fileField = FILE_FIELDS[request.routeOptions.schema?.operationId ?? ''];
    if (!fileField) throw invalidForm('This operation takes no file. Send its fields as application/json.');
    if (Number(request.headers['content-length']) > limits.bodyLimit + limits.mediaLimit)
      throw new GatewayError(
        'BODY_TOO_LARGE',
        `The form is larger than ${limits.bodyLimit + limits.mediaLimit} bytes (the settings BODY_LIMIT and MEDIA_LIMIT together).`,
      );
    assertReadable(request);
    const refusal = budget.reserve(request);
    if (refusal) throw refusal;
    const count = (chunk: Buffer) => {
      const overloaded = budget.count(request, chunk);
      // The form parser stops at an error of the request, and rejects with this error.
      if (overloaded) request.raw.off('data', count).emit('error', overloaded);
    };
    request.raw.on('data', count);
    let fileAddress: string | undefined;
    let fileName: string | undefined;
    reply.raw.once('close', () => {
      if (fileAddress !== undefined) void uploads.remove(fileAddress);
    });
    const fields = new FormFields(limits);
    try {
      for await (const part of request.parts({ isPartAFile })) {
        if (part.type === 'field') fields.add(part.fieldname, String(part.value), part.valueTruncated);
        else if (part.filename === undefined && isJsonType(part.mimetype))
          await fields.addJson(part.fieldname, part.file);
        else if (!fileField.parts.includes(part.fieldname))
          throw invalidForm('The file is in an unknown part. Name the part "file".');
        else if (fileAddress !== undefined)
          throw invalidForm('The form has several files. This operation takes one file.');
        else {
          fileName = part.filename;
          fileAddress = await uploads.store(part.file);
        }
      }
      // If the caller hung up while the last bytes were written, the `close` event came before the file had an address.
      if (reply.raw.destroyed && fileAddress !== undefined) await uploads.remove(fileAddress);
    } catch (error) {
      // Discards the rest of the form, which would otherwise precede the next request on the connection.
      request.raw.unpipe();
      request.raw.resume();
      throw toFormError(error);
    } finally {
      request.raw.off('data', count);
    }
    return {
      body: fields.body,
      addFile(body) {
        if (fileAddress === undefined) return;
        // In a text status, `content` is the text: the address of the file would replace the text.
        if (valueAt(body, 'statusMessage.type') === 'text')
          throw invalidForm('A status of the type "text" takes no file. Send the text as "content".');
        setAt(body, fileField.sourcePath, fileAddress);
        const { namePath } = fileField;
        if (namePath && fileName && valueAt(body, namePath) === undefined) setAt(body, namePath, fileName);
      },
    };
  };
}

const isJsonType = (type = ''): boolean => type.startsWith('application/json');

/**
 * Whether the form parser provides a part as a stream, like a file. FormFields reads JSON fields from such a stream.
 * The form parser itself would parse the JSON before the limits are checked, and would not report whether a field is
 * too large or not valid JSON.
 */
const isPartAFile = (_name?: string, type?: string, fileName?: string): boolean =>
  fileName !== undefined || type === 'application/octet-stream' || isJsonType(type);

/** The fields of a form in their order, and the limits that apply to them. */
class FormFields {
  readonly #values: [name: string, value: unknown][] = [];
  readonly #limits: FormLimits;
  /** Characters that the remaining fields can still have. */
  #remaining: number;

  constructor(limits: FormLimits) {
    this.#limits = limits;
    this.#remaining = limits.bodyLimit;
  }

  /** Adds a field with text. Throws INVALID_REQUEST or BODY_TOO_LARGE. */
  add(name: string, text: string, isTruncated: boolean): void {
    this.#countName(name);
    this.#countText(text);
    if (isTruncated) throw this.#tooLarge();
    this.#push(name, text);
  }

  /** Reads a field with JSON, and adds it. Rejects with INVALID_REQUEST, BODY_TOO_LARGE or the error of the stream. */
  async addJson(name: string, stream: Readable): Promise<void> {
    this.#countName(name);
    let text = '';
    for await (const chunk of stream.setEncoding('utf8')) {
      this.#countText(chunk);
      text += chunk;
    }
    if (text !== '') this.#push(name, parseJsonPart(text, this.#limits));
  }

  #countName(name: string): void {
    if (name.length > MAX_NAME_LENGTH)
      throw invalidForm(`The form has a field with a name longer than ${MAX_NAME_LENGTH} characters.`);
    this.#remaining -= name.length;
  }

  #countText({ length }: string): void {
    this.#remaining -= length;
    if (this.#remaining < 0) throw this.#tooLarge();
  }

  #tooLarge(): GatewayError {
    return bodyTooLarge({ bytes: this.#limits.bodyLimit, setting: 'BODY_LIMIT' });
  }

  #push(name: string, value: unknown): void {
    // An empty field counts as missing.
    if (value === '') return;
    this.#values.push([name, typeof value === 'string' ? parseIfJson(name, value, this.#limits) : value]);
  }

  get body(): Body {
    return toBody(this.#values);
  }
}

/** The parsed value of a part with the Content-Type application/json. */
function parseJsonPart(text: string, limits: FormLimits): unknown {
  try {
    return parseJsonField(text, limits);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw notJsonError();
  }
}

/** The parsed value of a field in JSON_FIELDS that looks like JSON; other values unchanged. */
function parseIfJson(name: string, value: string, limits: FormLimits): unknown {
  if (!JSON_FIELDS.has(name) || !/^\s*[[{]/.test(value)) return value;
  try {
    const json = parseJsonField(value, limits);
    return isObject(json) || Array.isArray(json) ? json : value;
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw invalidForm(`${name} is not valid JSON.`);
  }
}

export const invalidForm = (message: string, cause?: unknown) =>
  new GatewayError('INVALID_REQUEST', [[message]], { cause });

const notJsonError = () => invalidForm('A part of the form with the Content-Type application/json is not valid JSON.');

/** The GatewayError for an error of the multipart parser. */
export function toFormError(error: unknown): unknown {
  if (error instanceof GatewayError) return error;
  switch (error instanceof Error && Reflect.get(error, 'code')) {
    case 'FST_PARTS_LIMIT':
    case 'FST_FIELDS_LIMIT':
      return invalidForm(`The form has more than ${MAX_FIELDS} fields.`);
    case 'FST_INVALID_JSON_FIELD_ERROR':
      return notJsonError();
    case 'FST_PROTO_VIOLATION':
      return invalidForm('The form has a field with a reserved name.');
    default:
      return invalidForm('The form is not valid multipart/form-data, or it ends too early.', error);
  }
}
