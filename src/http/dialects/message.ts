// Rewrites the bodies of messages to send. In a v1 body (of clients of Evolution API 1), the content is in an object
// (the wrapper) with the name of the message type. In a v2 body (of Evolution API 2), the content is at the top level.
import { detectByWrapper } from './detect.ts';
import { type ApiDialect, type Body, type FieldAlias, type RewrittenBody, rewrite } from './rewrite.ts';

/**
 * Converts a request body to the form that the schemas describe. `defaultDialect` is the dialect of a body that fits
 * both dialects.
 */
export type Rewrite = (body: Body, defaultDialect: ApiDialect) => RewrittenBody;

/** Aliases that v2 bodies have at the top level for the members of `options`. */
const OPTION_ALIASES: readonly FieldAlias[] = [
  ['delay', 'options.delay'],
  ['presence', 'options.presence'],
  ['linkPreview', 'options.linkPreview'],
  ['quoted', 'options.quoted'],
  ['mentions', 'options.mentions'],
  ['mentionsEveryOne', 'options.mentions.everyOne'],
  ['everyOne', 'options.mentions.everyOne'],
  ['mentioned', 'options.mentions.mentioned'],
  ['mentionsAll', 'options.mentions.all'],
];
/** Aliases inside the object `options`. */
const NESTED_OPTION_ALIASES: readonly FieldAlias[] = [
  ['options.mentionsEveryOne', 'options.mentions.everyOne'],
  ['options.everyOne', 'options.mentions.everyOne'],
  ['options.mentioned', 'options.mentions.mentioned'],
  ['options.mentionsAll', 'options.mentions.all'],
];

/**
 * The rewrite for one type of message. `wrapper`: the name of the content object. `content`: the top-level aliases of
 * the members of this object. `nested`: aliases inside this object.
 */
export function createMessageRewrite(
  wrapper: string,
  content: readonly FieldAlias[],
  nested: readonly FieldAlias[] = [],
): Rewrite {
  const flat = [...content, ...OPTION_ALIASES];
  const aliases = [...flat, ...nested, ...NESTED_OPTION_ALIASES];
  return (body, defaultDialect) => {
    const detected = detectByWrapper(body, wrapper, flat);
    const dialect = detected ?? defaultDialect;
    const rewritten = rewrite(body, dialect, aliases);
    // The validation error of an empty body names the wrapper if v1 is the default dialect.
    const isEmptyV1 = detected === undefined && dialect === 'v1' && Object.keys(body).length === 0;
    if (detected === 'v1' || isEmptyV1) return rewritten;
    // For every other body, errors name the fields by their top-level names of v2. An empty wrapper is added, so that
    // validation reports a missing field and not the missing wrapper. `callerPaths` then has the top-level name of that
    // field. No empty wrapper is added if the wrapper is itself a field, such as the list of contacts.
    const isWrapperField = content.some(([, to]) => to === wrapper);
    if (!isWrapperField) rewritten.body[wrapper] ??= {};
    for (const [from, to] of content) rewritten.callerPaths.set(to, from);
    return rewritten;
  };
}
