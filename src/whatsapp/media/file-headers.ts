// Response headers for a file whose name and MIME type its sender chose, such that a browser does not execute it. No
// I/O.
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
const MAX_LENGTH = 120;
/** Types that browsers render as documents, execute or unpack. SVG, XHTML and feeds end in +xml. */
const ACTIVE_TYPES = /html|script|flash|shockwave|\+xml$|\/xml|\/css$|\/x-x509|\/hta$/;
const ACTIVE_FAMILIES = /^(?:multipart|message|model|x-[^/]*)\//;
/** Types that pages may show inline: images without scripts, audio and video. */
const INLINE_TYPES = /^(?:image\/(?:jpeg|png|gif|webp|avif|bmp)|(?:video|audio)\/)/;

const EXTENSIONS: Record<string, string> = {
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

/** Returns the stated type when it is valid and harmless, else `application/octet-stream`. */
export function safeTypeOf(stated: string | undefined): string {
  const [, type, parameters = ''] = MIME_TYPE.exec(stated?.trim().slice(0, MAX_LENGTH + 1) ?? '') ?? [];
  const plain = type?.toLowerCase();
  if (plain === undefined || plain.length + parameters.length > MAX_LENGTH) return OCTET_STREAM;
  if (ACTIVE_TYPES.test(plain) || ACTIVE_FAMILIES.test(plain)) return OCTET_STREAM;
  return plain + parameters;
}

/** Returns the headers for the file of the message `id`. */
export function fileHeadersOf(
  { mimetype: stated, fileName }: Pick<AttachedFile, 'mimetype' | 'fileName'>,
  id: string,
): FileHeaders {
  const type = safeTypeOf(stated);
  const [bare = ''] = type.split(';');
  const name = fileNameOf({ mimetype: stated, fileName }, id);
  const ascii = name.replaceAll(/[^\x20-\x7e]/g, '_').replaceAll(/["\\%]/g, '_');
  const disposition = INLINE_TYPES.test(bare) ? 'inline' : 'attachment';
  return { type, disposition: `${disposition}; filename="${ascii}"; filename*=UTF-8''${encodeExtValue(name)}` };
}

/** Returns a safe form of the stated name, or a name made from the message id. */
export function fileNameOf(
  { mimetype: stated, fileName }: Pick<AttachedFile, 'mimetype' | 'fileName'>,
  id: string,
): string {
  const [bare = ''] = safeTypeOf(stated).split(';');
  return (fileName && safeName(fileName)) || `${safeName(id)}.${EXTENSIONS[bare] ?? 'bin'}`;
}

/** Characters that String.trim() removes, and dots. */
const EDGES =
  '.\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/** UTF-16 units that are kept of each end of a long name. */
const MAX_END = 1_000;

/** Removes directories, controls, characters that file systems forbid or that reverse text, and dots at the ends. */
function safeName(stated: string): string {
  const base = stated.slice(Math.max(stated.lastIndexOf('/'), stated.lastIndexOf('\\')) + 1);
  // A name may have megabytes. Its middle would be removed anyway.
  const ends = base.length > 2 * MAX_END ? base.slice(0, MAX_END) + base.slice(-MAX_END) : base;
  const kept = trimBoth(ends.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"|?*]/gu, '_'), EDGES);
  const points = [...kept];
  // The end contains the extension.
  return points.length <= MAX_LENGTH ? kept : points.slice(0, 90).join('') + points.slice(-20).join('');
}

/** Encodes for RFC 8187, which forbids some characters that encodeURIComponent keeps. */
const encodeExtValue = (name: string) =>
  encodeURIComponent(name).replaceAll(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
