// Builds the response headers for a file of a message. The sender chooses the name and the MIME type of the file, so
// they are made safe: a browser must not execute the file. No I/O. Decision D-063.
import { trimBoth } from '../../lib/trim.ts';
import type { AttachedFile } from './attached-file.ts';

export interface FileHeaders {
  /** Content-Type. */
  type: string;
  /** Content-Disposition (RFC 6266). */
  disposition: string;
}

const OCTET_STREAM = 'application/octet-stream';
/** Matches type/subtype and parameters that are tokens or simple quoted strings (RFC 9110 §8.3.1). */
const MIME_TYPE =
  /^([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)((?:\s*;\s*[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[\w!#$%&'*+.^`|~ ,-]*"))*)$/;
/** Maximum length of a type with its parameters, characters. */
const MAX_TYPE_LENGTH = 120;
/** Maximum length of a file name, code points. */
const MAX_NAME_LENGTH = 120;
/** Number of code points that are kept at the start and at the end of a longer name. */
const KEPT_START_LENGTH = 90;
const KEPT_END_LENGTH = 20;
/** Types that browsers render as documents, execute or unpack. The types of SVG, XHTML and feeds end in +xml. */
const ACTIVE_TYPES = /html|script|flash|shockwave|\+xml$|\/xml|\/css$|\/x-x509|\/hta$/;
/** Families in which every type counts as active. */
const ACTIVE_FAMILIES = /^(?:multipart|message|model|x-[^/]*)\//;
/** Types that a browser is allowed to show inline: images without scripts, audio and video. */
const INLINE_TYPES = /^(?:image\/(?:jpeg|png|gif|webp|avif|bmp)|(?:video|audio)\/)/;

const EXTENSIONS_BY_TYPE: Record<string, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'video/mp4': 'mp4',
  'video/3gpp': '3gp',
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'text/csv': 'csv',
};

/** Returns the sender's type if it is valid and harmless, else `application/octet-stream`. */
export function safeTypeOf(stated: string | undefined): string {
  // The text keeps one character more than allowed, so that the check below rejects a type that is too long.
  const [, type, parameters = ''] = MIME_TYPE.exec(stated?.trim().slice(0, MAX_TYPE_LENGTH + 1) ?? '') ?? [];
  const lowerCaseType = type?.toLowerCase();
  if (lowerCaseType === undefined || lowerCaseType.length + parameters.length > MAX_TYPE_LENGTH) return OCTET_STREAM;
  if (ACTIVE_TYPES.test(lowerCaseType) || ACTIVE_FAMILIES.test(lowerCaseType)) return OCTET_STREAM;
  return lowerCaseType + parameters;
}

/** Returns the headers for the file of the message `id`. */
export function fileHeadersOf(
  { mimetype: stated, fileName }: Pick<AttachedFile, 'mimetype' | 'fileName'>,
  id: string,
): FileHeaders {
  const type = safeTypeOf(stated);
  const [typeWithoutParameters = ''] = type.split(';');
  const name = fileNameOf({ mimetype: stated, fileName }, id);
  const ascii = name.replaceAll(/[^\x20-\x7e]/g, '_').replaceAll(/["\\%]/g, '_');
  const disposition = INLINE_TYPES.test(typeWithoutParameters) ? 'inline' : 'attachment';
  return { type, disposition: `${disposition}; filename="${ascii}"; filename*=UTF-8''${encodeExtValue(name)}` };
}

/** Returns the stated file name in a safe form, or else a name that consists of the message id and an extension. */
export function fileNameOf(
  { mimetype: stated, fileName }: Pick<AttachedFile, 'mimetype' | 'fileName'>,
  id: string,
): string {
  const [typeWithoutParameters = ''] = safeTypeOf(stated).split(';');
  return (
    (fileName && sanitizeName(fileName)) || `${sanitizeName(id)}.${EXTENSIONS_BY_TYPE[typeWithoutParameters] ?? 'bin'}`
  );
}

/** Characters that are removed from both ends of a name: dots, and what String.trim() removes. */
const TRIMMED_CHARACTERS =
  '.\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/** Number of UTF-16 code units at each end of a long name that are processed. */
const MAX_END_LENGTH = 1_000;

/**
 * Removes directories and surrounding dots and whitespace. Replaces control characters, characters that reverse the
 * text direction, and characters that file systems forbid. Shortens long names in the middle.
 */
function sanitizeName(stated: string): string {
  const base = stated.slice(Math.max(stated.lastIndexOf('/'), stated.lastIndexOf('\\')) + 1);
  // A name can have megabytes. Its middle is removed before the slow steps, because the last step removes it anyway.
  const ends = base.length > 2 * MAX_END_LENGTH ? base.slice(0, MAX_END_LENGTH) + base.slice(-MAX_END_LENGTH) : base;
  const replaced = ends.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"|?*]/gu, '_');
  const safe = trimBoth(replaced, TRIMMED_CHARACTERS);
  const codePoints = [...safe];
  if (codePoints.length <= MAX_NAME_LENGTH) return safe;
  // The end is kept because it contains the extension.
  return codePoints.slice(0, KEPT_START_LENGTH).join('') + codePoints.slice(-KEPT_END_LENGTH).join('');
}

/** Encodes a value for `filename*` (RFC 8187), in which some characters that encodeURIComponent keeps are forbidden. */
const encodeExtValue = (name: string) =>
  encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
