// The MIME types of documents. Phones choose a document's icon and app by its type.
import { Mime } from 'mime';
import otherTypes from 'mime/types/other.js';
import standardTypes from 'mime/types/standard.js';

const OCTET_STREAM = 'application/octet-stream';

const types = new Mime(standardTypes, otherTypes);
// For these two extensions, `mime` has older names, which were used before IANA registered the types.
const REPLACE_EXISTING = true;
types.define({ 'text/vcard': ['vcf'], 'audio/flac': ['flac'] }, REPLACE_EXISTING);

/** Returns the MIME type for the extension of a file name, or `application/octet-stream` for an unknown extension. */
export function mimeTypeOfFileName(fileName: string): string {
  const extension = /\.[^.]+$/.exec(fileName)?.[0];
  return (extension && types.getType(extension)) || OCTET_STREAM;
}
