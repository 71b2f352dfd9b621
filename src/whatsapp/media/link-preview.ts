// Builds link previews: title, description and thumbnail of the first URL in a text. A page that cannot be read in time
// has no preview. This is not an error. Decision D-048.

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.ts';
import { createFairLimiter, QueueFullError } from '../../lib/fair-limiter.ts';
import { trimEnd } from '../../lib/trim.ts';
import type { FetchPreview, LinkPreview } from '../session.ts';
import type { ImageDecoder } from './image-decoder.ts';

export interface FetchedPage {
  status: number;
  /** Content-Type. */
  type: string;
  body: Buffer;
  /** True when the answer was larger than `maxBytes`. `body` is then empty. */
  isOversize: boolean;
  /** The URL that returned the answer. Absent when no redirect was followed. */
  redirectedTo?: string;
}

/**
 * Sends a GET with the gateway's HTTP client, which refuses internal addresses. Rejects when the request fails or is
 * refused.
 */
export type FetchPage = (url: string, limits: { timeout: number; maxBytes: number }) => Promise<FetchedPage>;

/** Maximum URL length, as in common browsers and servers. */
const MAX_URL_LENGTH = 2048;
/** Timeout of the request for the page, and of that for its image, ms. The message is sent only after both requests. */
const TIMEOUT = 3_000;
/** Maximum size of a page. Pages of large sites have hundreds of kB of scripts before their metadata. */
const MAX_PAGE_BYTES = 1024 * 1024;
const MAX_IMAGE_BYTES = 4 * 1024 * 1024;
/** Maximum length of the title and of the description, UTF-16 code units. Longer texts are cut. */
const MAX_TITLE = 300;
const MAX_DESCRIPTION = 1000;
/** Maximum number of cached previews. */
const MAX_CACHED = 256;
/** Milliseconds for which a preview stays in the cache. */
const CACHE_TTL = 300_000;

/**
 * Limits of concurrent fetches. One instance never uses all slots. When the queue of an instance is full, further URLs
 * get no preview.
 */
const PAGE_LIMITS = { slots: 16, perOwner: 8, waitingPerOwner: 32 };

export interface PreviewDeps {
  fetchPage: FetchPage;
  images: ImageDecoder;
  clock: Clock;
}

/** Creates the function that builds previews. It caches results, including failures, for five minutes by URL. */
export function createPreviewFetcher(deps: PreviewDeps): FetchPreview {
  const { clock } = deps;
  const limiter = createFairLimiter(PAGE_LIMITS);
  const cache = new LRUCache<
    string,
    { expiresAt: number; found: Promise<Omit<LinkPreview, 'matchedText'> | undefined> }
  >({
    max: MAX_CACHED,
  });
  return async (text, owner) => {
    const matchedText = firstUrl(text);
    if (!matchedText) return undefined;
    let entry = cache.get(matchedText);
    if (!entry || entry.expiresAt < clock.now()) {
      entry = {
        expiresAt: clock.now() + CACHE_TTL,
        found: limiter
          .run(owner, () => fetchPreview(matchedText, owner, deps))
          .catch((error: unknown) => {
            // Nothing was fetched, so the next message with this URL tries it.
            if (error instanceof QueueFullError) cache.delete(matchedText);
            return undefined;
          }),
      };
      cache.set(matchedText, entry);
    }
    const found = await entry.found;
    return found && { matchedText, ...found };
  };
}

/** Returns the first http(s) URL of a text, without surrounding punctuation. */
export function firstUrl(text: string): string | undefined {
  const found = /https?:\/\/[^\s<>"']+/i.exec(text)?.[0];
  if (!found || found.length > MAX_URL_LENGTH) return undefined;
  const address = trimEnd(found, '.,;:!?)]}');
  return URL.canParse(address) ? address : undefined;
}

async function fetchPreview(
  url: string,
  owner: string,
  deps: PreviewDeps,
): Promise<Omit<LinkPreview, 'matchedText'> | undefined> {
  const { fetchPage } = deps;
  const page = await fetchPage(url, { timeout: TIMEOUT, maxBytes: MAX_PAGE_BYTES });
  if (page.status !== 200 || page.isOversize || !/html/i.test(page.type)) return undefined;
  // Loaded at the first page: most processes never send a link.
  const { decodePage, readHead } = await import('./page-head.ts');
  const { title, description, image } = readHead(decodePage(page.body, page.type));
  if (!title) return undefined;
  const imageUrl = image && URL.parse(image, page.redirectedTo ?? url)?.href;
  const jpegThumbnail = imageUrl && (await fetchThumbnail(imageUrl, owner, deps).catch(() => undefined));
  return {
    title: cut(title, MAX_TITLE),
    ...(description ? { description: cut(description, MAX_DESCRIPTION) } : {}),
    ...(jpegThumbnail ? { jpegThumbnail } : {}),
  };
}

/** Cuts a text to `length` UTF-16 code units, or to one less when that would cut a surrogate pair in half. */
const cut = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');

async function fetchThumbnail(
  url: string,
  owner: string,
  { fetchPage, images }: Pick<PreviewDeps, 'fetchPage' | 'images'>,
): Promise<Buffer | undefined> {
  const picture = await fetchPage(url, { timeout: TIMEOUT, maxBytes: MAX_IMAGE_BYTES });
  if (picture.status !== 200 || picture.isOversize) return undefined;
  const result = await images.run(owner, 'preview', picture.body);
  return result.outcome === 'done' && result.bytes ? Buffer.from(result.bytes) : undefined;
}
