// Decodes a web page and reads its metadata for a link preview: the title, the description and the URL of the image.
import { Parser } from 'htmlparser2';

/** Maximum nesting of elements. The parser's work grows quadratically with the nesting, and a `<head>` is flat. */
const MAX_DEPTH = 100;

/** Number of bytes at the start of a page in which the HTML standard searches `<meta charset>`. */
const MAX_PRESCAN_BYTES = 1024;
const CHARSET = /charset\s*=\s*["']?([^\s"'/>;]+)/i;

/**
 * Decodes a page by the charset in its Content-Type or in its head. Without a charset, or with an unknown one, the page
 * is read as UTF-8.
 */
export function decodePage(page: Buffer, contentType: string): string {
  const tags = page.toString('latin1', 0, MAX_PRESCAN_BYTES).split('<');
  const metaTags = tags.filter((tag) => /^meta\s/i.test(tag)).join('<');
  const [, charsetOfType] = CHARSET.exec(contentType) ?? [];
  const [, charsetOfHead] = CHARSET.exec(metaTags) ?? [];
  try {
    const decoder = new TextDecoder(charsetOfType ?? charsetOfHead);
    // The search reads single bytes, so it finds no charset in a real UTF-16 page. A page in whose head it finds UTF-16
    // has another encoding, and the HTML standard reads this page as UTF-8.
    const isMislabeled = charsetOfType === undefined && decoder.encoding.startsWith('utf-16');
    return isMislabeled ? page.toString() : decoder.decode(page);
  } catch {
    return page.toString();
  }
}

/** Reads the Open Graph metadata in the head of a page. Falls back to `<title>` and the meta description. */
export function readHead(html: string): { title?: string; description?: string; image?: string } {
  const metadata = new Map<string, string>();
  let inTitle = false;
  let depth = 0;
  let title = '';
  const parser = new Parser({
    onopentag(name, { property, name: nameAttribute, content }) {
      if (name === 'title') inTitle = true;
      const metaName = (property ?? nameAttribute)?.toLowerCase();
      const text = content?.trim();
      if (name === 'meta' && metaName && text && !metadata.has(metaName)) metadata.set(metaName, text);
      depth += 1;
      // reset() makes the parser ignore the rest of the page.
      if (name === 'body' || depth > MAX_DEPTH) parser.reset();
    },
    ontext(text) {
      if (inTitle) title += text;
    },
    onclosetag(name) {
      depth -= 1;
      if (name === 'title') inTitle = false;
    },
  });
  parser.end(html);
  return {
    title: metadata.get('og:title') ?? (title.trim() || undefined),
    description: metadata.get('og:description') ?? metadata.get('description'),
    image: metadata.get('og:image') ?? metadata.get('og:image:url'),
  };
}
