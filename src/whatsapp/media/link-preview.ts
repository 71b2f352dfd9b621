// Builds link previews: title, description and thumbnail of the first URL in a text. A page that cannot be read in time
// has no preview. This is not an error. Decision D-048.

import { LRUCache } from 'lru-cache';
import { hasCode } from '../../errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { settleWithin } from '../../lib/deadline.ts';
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
/** Timeout of the request for the page, and of that for its image, ms. */
const TIMEOUT = 3_000;
/**
 * Maximum wait of a message for its preview, ms: both requests, the decoder, and the time in their queues. The message
 * delays the following messages of its chat.
 */
const MAX_WAIT = 10_000;
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

type Preview = Omit<LinkPreview, 'matchedText'>;

/** The preview of a URL, which may still wait for a free slot. */
interface CachedPreview {
  expiresAt: number;
  isStarted: boolean;
  found: PromiseWithResolvers<Preview | undefined>;
  /** The results of waitInQueue() by instance, so that an instance waits once for all its messages with the URL. */
  waits: Map<string, Promise<Preview | undefined>>;
}

/**
 * Creates the function that builds previews. It caches results, including failures, for five minutes by URL. A URL that
 * several instances wait for is fetched once, when the first of them has a free slot. The function returns undefined
 * after MAX_WAIT; a preview that is complete later is cached.
 */
export function createPreviewFetcher(deps: PreviewDeps): FetchPreview {
  const { clock } = deps;
  const limiter = createFairLimiter(PAGE_LIMITS);
  const cache = new LRUCache<string, CachedPreview>({ max: MAX_CACHED });
  const entryOf = (url: string): CachedPreview => {
    const cached = cache.get(url);
    if (cached && cached.expiresAt >= clock.now()) return cached;
    const expiresAt = clock.now() + CACHE_TTL;
    const entry: CachedPreview = { expiresAt, isStarted: false, found: Promise.withResolvers(), waits: new Map() };
    cache.set(url, entry);
    return entry;
  };
  const fetchInto = async (entry: CachedPreview, url: string, owner: string) => {
    if (entry.isStarted) return;
    entry.isStarted = true;
    const forget = () => {
      if (cache.peek(url) === entry) cache.delete(url);
    };
    entry.found.resolve(await fetchPreview(url, owner, { ...deps, onOverload: forget }).catch(() => undefined));
  };
  /**
   * Resolves when the preview is fetched, for whichever instance has its turn first, or with undefined when the queue of
   * the instance is full.
   */
  const waitInQueue = (entry: CachedPreview, url: string, owner: string): Promise<Preview | undefined> => {
    const turn = limiter
      .run(owner, () => fetchInto(entry, url, owner))
      .then(
        () => entry.found.promise,
        (error: unknown) => {
          // Nothing was fetched, so the next message of the instance with this URL tries it.
          if (error instanceof QueueFullError) entry.waits.delete(owner);
          return undefined;
        },
      );
    return Promise.race([entry.found.promise, turn]);
  };
  return async (text, owner) => {
    const matchedText = firstUrl(text);
    if (!matchedText) return undefined;
    const entry = entryOf(matchedText);
    let wait = entry.isStarted ? entry.found.promise : entry.waits.get(owner);
    if (!wait) {
      wait = waitInQueue(entry, matchedText, owner);
      entry.waits.set(owner, wait);
    }
    const found = await settleWithin(wait, MAX_WAIT);
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

/** `onOverload` is called when the preview has no picture because too many images are waiting. */
async function fetchPreview(
  url: string,
  owner: string,
  deps: PreviewDeps & { onOverload: () => void },
): Promise<Preview | undefined> {
  const { fetchPage, onOverload } = deps;
  const page = await fetchPage(url, { timeout: TIMEOUT, maxBytes: MAX_PAGE_BYTES });
  if (page.status !== 200 || page.isOversize || !/html/i.test(page.type)) return undefined;
  // Loaded at the first page: most processes never send a link.
  const { decodePage, readHead } = await import('./page-head.ts');
  const { title, description, image } = readHead(decodePage(page.body, page.type));
  if (!title) return undefined;
  const onThumbnailError = (error: unknown) => {
    if (hasCode(error, 'OVERLOADED')) onOverload();
    return undefined;
  };
  const imageUrl = image && URL.parse(image, page.redirectedTo ?? url)?.href;
  const jpegThumbnail = imageUrl && (await fetchThumbnail(imageUrl, owner, deps).catch(onThumbnailError));
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
