// Reads the body of a request to instance/import as a stream, because this body is larger than others. The body is
// JSON, or a form that contains the session bundle (a linked session as one JSON object) as a file.
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { GatewayError } from '../../errors.ts';
import { bodyTooLarge, type SizeLimit } from '../plugins/body-parsers.ts';
import { invalidForm, toFormError } from '../plugins/multipart.ts';

type FormFields = Record<string, string>;
type Receive = (chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) => Promise<void>;

/**
 * Limits of the form parser, sizes in bytes. The longest field is the passphrase of at most 1024 characters. `parts`
 * allows all fields and two files, so that a second file gets its own error text. limitSize() limits the file.
 */
const FORM_LIMITS = { fields: 100, parts: 102, fieldSize: 8192, fileSize: Number.POSITIVE_INFINITY };

/** Throws BODY_TOO_LARGE when the declared size of the body is above the limit. */
export function assertBodySize({ headers }: FastifyRequest, limit: SizeLimit): void {
  if (Number(headers['content-length']) > limit.bytes) throw bodyTooLarge(limit);
}

/**
 * Passes the JSON body, or the file of the form, to `receive`. Resolves with the text fields of a form, and with
 * undefined for a JSON body. Rejects with INVALID_REQUEST and BODY_TOO_LARGE. The rest of a refused body is discarded.
 */
export async function receiveUpload(
  request: FastifyRequest,
  limit: SizeLimit,
  receive: Receive,
): Promise<FormFields | undefined> {
  try {
    if (request.isMultipart()) return await receiveForm(request, limit, receive);
    const { body } = request;
    // A JSON body is a stream. A body of another content type is parsed already, or absent.
    await receive(body instanceof Readable ? limitSize(body, limit) : [Buffer.from(JSON.stringify(body ?? {}))]);
    return undefined;
  } catch (error) {
    request.raw.unpipe();
    request.raw.resume();
    throw error;
  }
}

async function receiveForm(request: FastifyRequest, limit: SizeLimit, receive: Receive): Promise<FormFields> {
  // On a destroyed stream, the form parser would wait forever for the end of the body.
  if (request.raw.destroyed) throw incompleteBody();
  const fields: FormFields = {};
  let hasFile = false;
  try {
    for await (const part of request.parts({ limits: FORM_LIMITS })) {
      if (part.type === 'field') fields[part.fieldname] = String(part.value);
      else if (part.fieldname !== 'file') throw invalidForm('The file is in an unknown part. Name the part "file".');
      else if (hasFile) throw invalidForm('The form has several files. This operation takes one file.');
      else {
        hasFile = true;
        await receive(limitSize(part.file, limit));
      }
    }
  } catch (error) {
    throw toFormError(error);
  }
  if (!hasFile) throw invalidForm('The form has no file. Put the session bundle into the part "file".');
  return fields;
}

/** The chunks of the stream. Throws BODY_TOO_LARGE above the limit, and INVALID_REQUEST when the stream fails. */
async function* limitSize(stream: Readable, limit: SizeLimit): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    // The stream stays open after an error, so that the response can be sent.
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > limit.bytes) throw bodyTooLarge(limit);
      yield chunk;
    }
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause;
    throw incompleteBody(cause);
  }
}

const incompleteBody = (cause?: unknown) =>
  new GatewayError('INVALID_REQUEST', [['The body did not arrive completely.']], { cause });
