// Sends queries of the namespace `w:mex`: a number names the query, and its variables and its answer are JSON.
import { isObject } from '../lib/json-object.ts';
import { childOf } from './baileys/stanza.ts';
import { QueryRefusal, queryWhatsApp } from './query.ts';
import type { Session } from './session.ts';

export interface MexQuery {
  /** The number that names the query, in digits. */
  id: string;
  variables: object;
  /** True when the query changes data at WhatsApp, false when it only reads. */
  isChange: boolean;
}

/**
 * Sends a query and returns `data` of the answer; undefined when the answer is not JSON. Throws the errors of
 * queryWhatsApp(). When the answer lists errors, throws a QueryRefusal with the first of these errors.
 */
export async function queryMex(
  session: Session,
  { id, variables, isChange }: MexQuery,
): Promise<Record<string, unknown> | undefined> {
  const content = Buffer.from(JSON.stringify({ variables }));
  const node = {
    tag: 'iq',
    attrs: { type: 'get', to: 's.whatsapp.net', xmlns: 'w:mex' },
    content: [{ tag: 'query', attrs: { query_id: id }, content }],
  };
  const answer = await queryWhatsApp(session, node, { isChange });
  const { content: result } = childOf(answer, 'result') ?? {};
  const json = parseJson(result instanceof Uint8Array ? Buffer.from(result).toString() : String(result));
  if (json === undefined) return undefined;
  const { data, errors } = toObject(json);
  const [failure] = Array.isArray(errors) ? errors : [];
  if (failure === undefined) return toObject(data);
  const { message, extensions } = toObject(failure);
  const code = Number(toObject(extensions).error_code);
  throw new QueryRefusal(code, typeof message === 'string' ? message : 'refused', undefined);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a JSON object as a record, or an empty record for any other value. */
export const toObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});
