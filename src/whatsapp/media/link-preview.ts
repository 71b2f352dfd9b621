// Builds link previews: title, description and thumbnail of the first URL in a text. A page that cannot be read in time
// has no preview. This is not an error. Decision D-048.

import { LRUCache } from 'lru-cache';
import { hasCode } from '../../errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { settleWithin } from '../../lib/deadline.ts';
import { createFairLimiter, QueueFullError } from '../../lib/fair-limiter.ts';
import type { FetchPreview, LinkPreview } from '../session.ts';
import type { ImageDecoder } from './image-decoder.ts';

/** The response to the request for a page, or for its image. */
export interface FetchedPage {
  status: number;
  /** Content-Type. */
  type: string;
  body: Buffer;
  /** True when the answer was larger than `maxBytes`. `body` is then a short text that says so. */
  isOversize: boolean;
  /** The URL that returned the answer. Absent when no redirect was followed. */
  redirectedTo?: string;
}

/**
 * Sends a GET for a page or an image with the gateway's HTTP client, which refuses internal addresses. Rejects when the
 * request fails or is refused.
 */
export type FetchPage = (url: string, limits: { timeout: number; maxBytes: number }) => Promise<FetchedPage>;

/** Maximum URL length, as in common browsers and servers. */
const MAX_URL_LENGTH = 2048;
/** Timeout of the request for the page, and of the request for its image. */
const TIMEOUT_MS = 3_000;
/**
 * Maximum wait of a message for its preview. It covers the two requests, the decoding of the image, and the waits for
 * free slots. The wait also delays the following messages of the chat.
 */
const MAX_WAIT_MS = 10_000;
/** Maximum size of a page. Pages of large sites have hundreds of kB of scripts before their metadata. */
const MAX_PAGE_BYTES = 1024 * 1024;
const MAX_IMAGE_BYTES = 4 * 1024 * 1024;
/** Maximum length of the title and of the description, UTF-16 code units. Longer texts are cut. */
const MAX_TITLE_LENGTH = 300;
const MAX_DESCRIPTION_LENGTH = 1000;
/**
 * Maximum size of a thumbnail. Larger ones are left out, because the thumbnail is a part of the message, which is
 * stored, posted to webhooks, and encrypted for every device.
 */
const MAX_THUMBNAIL_BYTES = 50_000;
/** Maximum number of cached previews, and maximum size of all of them. */
const MAX_CACHED = 256;
const MAX_CACHED_BYTES = 4 * 1024 * 1024;
/** Time for which a preview stays in the cache. */
const CACHE_TTL_MS = 300_000;

/**
 * Limits of concurrent fetches. The owner of a fetch is the instance that sends the message. One instance never uses
 * all slots. When the queue of an instance is full, further URLs get no preview.
 */
const PAGE_LIMITS = { slots: 16, perOwner: 8, waitingPerOwner: 32 };

export interface PreviewDeps {
  fetchPage: FetchPage;
  images: ImageDecoder;
  clock: Clock;
}

type Preview = Omit<LinkPreview, 'matchedText'>;

/** The cache entry of a URL. The request for the page may still be waiting for a free slot. */
interface CachedPreview {
  /** Bytes. At least 1, also before the preview is known. */
  size: number;
  /** Whether the request for the page has started. */
  isStarted: boolean;
  /** Resolves with the preview, or with undefined when the page has none. */
  result: PromiseWithResolvers<Preview | undefined>;
  /** The results of waitInQueue() by instance. All messages of one instance with the URL share one wait. */
  waits: Map<string, Promise<Preview | undefined>>;
}

/**
 * Creates the function that builds previews. It caches results, including failures, for five minutes by URL. A URL that
 * several instances wait for is fetched once, when the first of them has a free slot. The function returns undefined
 * after MAX_WAIT_MS; a preview that is complete later is cached.
 */
export function createPreviewFetcher(deps: PreviewDeps): FetchPreview {
  const { clock } = deps;
  const limiter = createFairLimiter(PAGE_LIMITS);
  const cache = new LRUCache<string, CachedPreview>({
    max: MAX_CACHED,
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ size }) => size,
    ttl: CACHE_TTL_MS,
    ttlAutopurge: true,
    perf: clock,
  });
  const entryOf = (url: string): CachedPreview => {
    const cached = cache.get(url);
    if (cached) return cached;
    const entry: CachedPreview = { size: 1, isStarted: false, result: Promise.withResolvers(), waits: new Map() };
    cache.set(copyText(url), entry);
    return entry;
  };
  /** Fetches the preview of `entry` and resolves `entry.result`, unless another instance has started to fetch it. */
  const fetchInto = async (entry: CachedPreview, url: string, owner: string) => {
    if (entry.isStarted) return;
    entry.isStarted = true;
    const removeEntry = () => cache.peek(url) === entry && cache.delete(url);
    const preview = await fetchPreview(url, owner, { ...deps, onOverload: removeEntry }).catch(() => undefined);
    entry.result.resolve(preview);
    entry.size = sizeOf(preview);
    // Added again, because the cache reads the size of an entry only when it is added. An entry that onOverload() has
    // removed stays removed.
    if (removeEntry()) cache.set(copyText(url), entry);
  };
  /**
   * Waits for a free slot of the instance `owner`, and then fetches the preview. Another instance may get a slot first
   * and fetch it. Resolves with the preview as soon as either has fetched it. Resolves with undefined when the page has
   * no preview, or when the queue of `owner` is full.
   */
  const waitInQueue = (entry: CachedPreview, url: string, owner: string): Promise<Preview | undefined> => {
    const turn = limiter
      .run(owner, () => fetchInto(entry, url, owner))
      .then(
        () => entry.result.promise,
        (error: unknown) => {
          // The queue was full and nothing was fetched, so the next message of the instance with this URL tries again.
          if (error instanceof QueueFullError) entry.waits.delete(owner);
          return undefined;
        },
      );
    return Promise.race([entry.result.promise, turn]);
  };
  return async (text, owner) => {
    const matchedText = firstUrl(text);
    if (!matchedText) return undefined;
    const entry = entryOf(matchedText);
    let wait = entry.isStarted ? entry.result.promise : entry.waits.get(owner);
    if (!wait) {
      wait = waitInQueue(entry, matchedText, owner);
      entry.waits.set(owner, wait);
    }
    const preview = await settleWithin(wait, MAX_WAIT_MS);
    return preview && { matchedText, ...preview };
  };
}

/** Returns the first http(s) URL of a text, without surrounding punctuation. */
export function firstUrl(text: string): string | undefined {
  const found = /https?:\/\/[^\s<>"']+/i.exec(text)?.[0];
  if (!found || found.length > MAX_URL_LENGTH) return undefined;
  const address = withoutPunctuation(found);
  return URL.canParse(address) ? address : undefined;
}

/** The opening bracket of each closing one. */
const OPENING_BRACKETS = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);

/**
 * Returns `url` without the punctuation at its end. A closing bracket counts as punctuation unless its opening bracket
 * is in the URL too. The time is linear in the length of `url`.
 */
function withoutPunctuation(url: string): string {
  /** Number of opening brackets that are not closed yet, by bracket. */
  const unclosed = new Map([...OPENING_BRACKETS.values()].map((bracket) => [bracket, 0]));
  /** Length of the URL up to the last character that is not punctuation. */
  let end = 0;
  for (let index = 0; index < url.length; index += 1) {
    const character = url.charAt(index);
    const opening = OPENING_BRACKETS.get(character);
    const openCount = unclosed.get(opening ?? character);
    const isPunctuation = opening ? openCount === 0 : '.,;:!?'.includes(character);
    if (isPunctuation) continue;
    if (openCount !== undefined) unclosed.set(opening ?? character, openCount + (opening ? -1 : 1));
    end = index + 1;
  }
  return url.slice(0, end);
}

/**
 * Fetches the page and its image. Calls `onOverload` when the preview has no picture because too many images are
 * waiting. The caller must not cache such a preview.
 */
async function fetchPreview(
  url: string,
  owner: string,
  deps: PreviewDeps & { onOverload: () => void },
): Promise<Preview | undefined> {
  const { fetchPage, onOverload } = deps;
  const page = await fetchPage(url, { timeout: TIMEOUT_MS, maxBytes: MAX_PAGE_BYTES });
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
    title: cut(title, MAX_TITLE_LENGTH),
    ...(description ? { description: cut(description, MAX_DESCRIPTION_LENGTH) } : {}),
    ...(jpegThumbnail ? { jpegThumbnail } : {}),
  };
}

/** Cuts a text to `length` UTF-16 code units, or to one less when that would cut a surrogate pair in half. */
const cut = (text: string, length: number): string => copyText(text.slice(0, length).replace(/[\uD800-\uDBFF]$/, ''));

/** Copies a text that was cut from a longer one. Without the copy, V8 keeps the longer text in memory. */
const copyText = (text: string): string => Buffer.from(text).toString();

/** Returns the size of a preview in memory, bytes, at least 1. */
const sizeOf = ({ title = '', description = '', jpegThumbnail }: Partial<Preview> = {}): number =>
  1 + 2 * (title.length + description.length) + (jpegThumbnail?.length ?? 0);

async function fetchThumbnail(
  url: string,
  owner: string,
  { fetchPage, images }: Pick<PreviewDeps, 'fetchPage' | 'images'>,
): Promise<Buffer | undefined> {
  const picture = await fetchPage(url, { timeout: TIMEOUT_MS, maxBytes: MAX_IMAGE_BYTES });
  if (picture.status !== 200 || picture.isOversize) return undefined;
  const result = await images.run(owner, 'preview', picture.body);
  const thumbnail = result.outcome === 'done' ? result.bytes : undefined;
  return thumbnail && thumbnail.length <= MAX_THUMBNAIL_BYTES ? Buffer.from(thumbnail) : undefined;
}
