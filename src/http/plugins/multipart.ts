// Forms with a file (multipart/form-data): the fields become the body, the file an upload that the operation reads like
// any other source. Refuses forms on operations without files before reading them, and discards the rest of a refused
// form.
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/load.ts';
import { GatewayError } from '../../errors.ts';
import type { Media } from '../../whatsapp/media/media.ts';
import { type Body, isObject, setAt, valueAt } from '../dialects/rewrite.ts';
import { bodyTooLarge, parseJsonField } from './body-parsers.ts';
import { toBody } from './form-fields.ts';

export interface Form {
  body: Body;
  /**
   * Writes the address of the uploaded file into a body in the v1 form. It replaces another source; its name does not
   * replace another name.
   */
  addFile(body: Body): void;
}

/**
 * By operationId: the path of the source and of the file name in the body, and the accepted names of the part with the
 * file.
 */
const FILE_FIELDS: Record<string, { place: string; name?: string; parts: readonly string[] }> = {
  sendPlatformAudio: { place: 'audioMessage.audio', parts: ['file', 'audio'] },
  sendWhatsAppAudio: { place: 'audioMessage.audio', parts: ['file', 'audio'] },
  sendMedia: { place: 'mediaMessage.media', name: 'mediaMessage.fileName', parts: ['file', 'media'] },
  sendStatus: { place: 'statusMessage.content', parts: ['file', 'content'] },
  sendPtv: { place: 'ptvMessage.video', parts: ['file', 'video'] },
  sendSticker: { place: 'stickerMessage.image', parts: ['file', 'sticker', 'image'] },
  updateGroupPicture: { place: 'image', parts: ['file', 'image'] },
  updateProfilePicture: { place: 'picture', parts: ['file', 'picture'] },
};

/** Fields whose text is parsed when it looks like JSON, since a form can express objects in no other way. */
const JSON_FIELDS = new Set(
  'options quoted mentions mentioned audioMessage stickerMessage mediaMessage ptvMessage statusMessage statusJidList image'.split(
    ' ',
  ),
);

const MAX_FIELDS = 100;
const MAX_NAME = 100;
/** Maximum number of headers per part. */
const MAX_PART_HEADERS = 20;

type Uploads = Pick<Media['uploads'], 'store' | 'remove'>;
type Limits = Pick<Config, 'bodyLimit' | 'jsonLimit' | 'mediaLimit'>;

/**
 * Reads the form of a request; undefined for another content type. Rejects with INVALID_REQUEST, BODY_TOO_LARGE or
 * INTERNAL.
 */
export type ReadForm = (request: FastifyRequest, reply: FastifyReply) => Promise<Form | undefined>;

export async function registerMultipart(app: FastifyInstance, limits: Limits, uploads: Uploads): Promise<ReadForm> {
  // The upload store limits files, and bodyLimit applies to all fields together.
  await app.register(multipart, {
    throwFileSizeLimit: false,
    limits: {
      fields: MAX_FIELDS,
      parts: MAX_FIELDS + 2,
      fieldSize: limits.bodyLimit,
      fileSize: Number.POSITIVE_INFINITY,
      headerPairs: MAX_PART_HEADERS,
    },
  });
  return async (request, reply) => {
    if (!request.isMultipart()) return undefined;
    const taker = FILE_FIELDS[request.routeOptions.schema?.operationId ?? ''];
    if (!taker) throw invalid('This operation takes no file: send its fields as application/json');
    if (Number(request.headers['content-length']) > limits.bodyLimit + limits.mediaLimit)
      throw new GatewayError(
        'BODY_TOO_LARGE',
        `The form is larger than ${limits.bodyLimit + limits.mediaLimit} bytes (BODY_LIMIT and MEDIA_LIMIT together)`,
      );
    let file: string | undefined;
    let fileName: string | undefined;
    reply.raw.once('close', () => file !== undefined && void uploads.remove(file));
    const fields = new Fields(limits);
    try {
      for await (const part of request.parts()) {
        if (part.type === 'field')
          fields.add(part.fieldname, part.value, part.fieldnameTruncated || part.valueTruncated);
        else if (!taker.parts.includes(part.fieldname)) throw invalid('The file must be in the part named "file"');
        else if (file !== undefined) throw invalid('This operation takes one file');
        else {
          fileName = part.filename;
          file = await uploads.store(part.file);
        }
      }
      // The caller may have hung up while the last bytes were written.
      if (reply.raw.destroyed && file !== undefined) await uploads.remove(file);
    } catch (error) {
      // Unread bytes would precede the next request of the connection.
      request.raw.unpipe();
      request.raw.resume();
      throw toGatewayError(error);
    }
    return {
      body: fields.body,
      addFile(body) {
        if (file === undefined) return;
        setAt(body, taker.place, file);
        if (taker.name && fileName && valueAt(body, taker.name) === undefined) setAt(body, taker.name, fileName);
      },
    };
  };
}

/** The fields of a form in order. */
class Fields {
  readonly #values: [name: string, value: unknown][] = [];
  readonly #limits: Limits;
  #left: number;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#left = limits.bodyLimit;
  }

  add(name: string, value: unknown, truncated: boolean): void {
    if (name.length > MAX_NAME) throw invalid(`The form has a field with a name longer than ${MAX_NAME} characters`);
    this.#left -= name.length + (typeof value === 'string' ? value.length : 0);
    if (truncated || this.#left < 0) throw bodyTooLarge({ bytes: this.#limits.bodyLimit, setting: 'BODY_LIMIT' });
    // An empty field counts as missing.
    if (value !== '') this.#values.push([name, parsed(name, value, this.#limits)]);
  }

  get body(): Body {
    return toBody(this.#values);
  }
}

function parsed(name: string, value: unknown, limits: Limits): unknown {
  if (!JSON_FIELDS.has(name) || typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    const json = parseJsonField(value, limits);
    return isObject(json) || Array.isArray(json) ? json : value;
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw invalid(`${name} is not valid JSON`);
  }
}

const invalid = (problem: string, cause?: unknown) => new GatewayError('INVALID_REQUEST', [[problem]], { cause });

/** The GatewayError for an error of the parser. */
function toGatewayError(error: unknown): unknown {
  if (error instanceof GatewayError) return error;
  switch (error instanceof Error && Reflect.get(error, 'code')) {
    case 'FST_PARTS_LIMIT':
    case 'FST_FIELDS_LIMIT':
      return invalid(`The form has more than ${MAX_FIELDS} fields`);
    case 'FST_PROTO_VIOLATION':
      return invalid('The form has a field with a reserved name');
    default:
      return invalid('The form is not valid multipart/form-data, or ends too early', error);
  }
}
