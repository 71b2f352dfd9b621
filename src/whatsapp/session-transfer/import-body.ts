// Reads the body of an import: its fields, and the bundle in it, decrypted and checked. Runs in the conversion thread
// (thread.ts).
import { isObject } from '../../lib/json-object.ts';
import { JsonShape, type ShapeLimits } from '../../lib/json-shape.ts';
import type { SessionBundle } from '../../session-bundle/bundle.ts';
import { BundleError, PassphraseError } from '../../session-bundle/bundle-error.ts';
import { decryptBundle, isEncrypted } from '../../session-bundle/envelope.ts';
import { parseBundle } from '../../session-bundle/parse.ts';
import type { FailureCode, ImportBody } from './thread-messages.ts';

/** The error of a request that the thread refuses. Its message is one sentence for the caller, without secrets. */
export class TransferFailure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.code = code;
  }
}

interface ImportRequest {
  bundle: SessionBundle;
  instanceName: string | undefined;
  /** The API key for the new instance; undefined keeps the API key in the bundle. */
  token: string | undefined;
}

/** Limits of the JSON. A session has about 50 values for each contact. Some programs escape each slash of base64. */
const SHAPE_LIMITS: ShapeLimits = { values: 6_000_000, depth: 64, escapes: 4_000_000 };
const SHAPE_MESSAGES: Readonly<Record<keyof ShapeLimits, string>> = {
  values: `The body has more than ${SHAPE_LIMITS.values} values.`,
  depth: `The body is nested deeper than ${SHAPE_LIMITS.depth} levels.`,
  escapes: `The body has more than ${SHAPE_LIMITS.escapes} escaped characters.`,
};
/** Maximum lengths of the text fields, characters, as in openapi/openapi.yaml. */
const MAX_LENGTHS = { passphrase: 1024, instanceName: 100, token: 255 };

/** Reads and checks the body. Throws TransferFailure. */
export async function readImportBody(body: ImportBody): Promise<ImportRequest> {
  const json = parse(body.text);
  // In a form, the bundle is a file. A JSON body contains the bundle in the field `bundle`.
  const fields = body.formFields ? { ...body.formFields, bundle: json } : json;
  if (!isObject(fields)) throw invalidRequest('The body must be a JSON object.');
  const { bundle } = fields;
  if (!isObject(bundle)) throw invalidRequest('bundle must be the session bundle as a JSON object.');
  const passphrase = textIn(fields, 'passphrase');
  const [instanceName, token] = [textIn(fields, 'instanceName'), textIn(fields, 'token')];
  const allowUnencrypted = booleanIn(fields, 'allowUnencrypted');
  return { bundle: await openBundle(bundle, passphrase, allowUnencrypted), instanceName, token };
}

async function openBundle(bundle: object, passphrase: string | undefined, allowUnencrypted: boolean) {
  try {
    if (!isEncrypted(bundle)) {
      if (!allowUnencrypted)
        throw invalidRequest('The bundle is not encrypted. Set allowUnencrypted to true to import it.');
      return parseBundle(bundle);
    }
    if (passphrase === undefined)
      throw new TransferFailure('SESSION_BUNDLE_PASSPHRASE', 'The bundle is encrypted. Send its passphrase.');
    return parseBundle(await decryptBundle(bundle, passphrase));
  } catch (error) {
    throw error instanceof BundleError ? toFailure(error) : error;
  }
}

/** The failure for an error of the bundle. */
export const toFailure = (error: BundleError): TransferFailure =>
  new TransferFailure(
    error instanceof PassphraseError ? 'SESSION_BUNDLE_PASSPHRASE' : 'SESSION_BUNDLE_INVALID',
    error.message,
  );

const invalidRequest = (message: string) => new TransferFailure('INVALID_REQUEST', message);

function parse(bytes: Uint8Array): unknown {
  const exceededLimit = new JsonShape(SHAPE_LIMITS).add(bytes);
  if (exceededLimit) throw invalidRequest(SHAPE_MESSAGES[exceededLimit]);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    // The message of JSON.parse() is left out, because it contains a part of the text.
    throw new TransferFailure('MALFORMED_JSON', 'The body is not valid JSON.');
  }
}

/**
 * The text in a field; undefined when it is absent, null or empty. Throws TransferFailure with the texts of the schema
 * validation, which checks the bodies of other operations.
 */
function textIn(fields: Record<string, unknown>, name: keyof typeof MAX_LENGTHS): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw invalidRequest(`${name} is not of a type(s) string`);
  if (value.length > MAX_LENGTHS[name])
    throw invalidRequest(`${name} does not meet maximum length of ${MAX_LENGTHS[name]}`);
  if (value.includes('\0')) throw invalidRequest(`${name} contains a NUL character. Remove it.`);
  if (!value.isWellFormed())
    throw invalidRequest(`${name} contains a lone surrogate (half of a character). Remove it.`);
  return value;
}

/** The boolean in a field, which is text in a form; false when it is absent. */
function booleanIn(fields: Record<string, unknown>, name: string): boolean {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return false;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw invalidRequest(`${name} is not of a type(s) boolean`);
}
