import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createEgress } from '../../../src/egress/http-client.ts';
import { fetchPage } from '../../../src/egress/page-fetcher.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { ImageResult } from '../../../src/whatsapp/media/image-operations.ts';
import { createPreviewFetcher, type FetchedPage, firstUrl } from '../../../src/whatsapp/media/link-preview.ts';
import { readHead } from '../../../src/whatsapp/media/page-head.ts';
import { mediaOverloadedError } from '../../../src/whatsapp/media/work-limit.ts';
import { decoderForTests } from '../../support/images.ts';
import { serve } from '../../support/site.ts';
import { waitFor } from '../../support/wait-for.ts';

const images = decoderForTests();

const page = (head: string): FetchedPage => ({
  status: 200,
  type: 'text/html; charset=utf-8',
  body: Buffer.from(`<!doctype html><html><head>${head}</head><body><title>not this</title></body></html>`),
  isOversize: false,
});

function createPreview(answers: Record<string, FetchedPage | undefined>) {
  const requestedUrls: string[] = [];
  const preview = createPreviewFetcher({
    clock: systemClock,
    images,
    async fetchPage(url) {
      requestedUrls.push(url);
      const answer = answers[url];
      if (!answer) throw new Error('unreachable');
      return answer;
    },
  });
  return { preview: (text: string) => preview(text, 'a'), requestedUrls };
}

describe('firstUrl', () => {
  it.each([
    ['see https://example.com/a?b=c.', 'https://example.com/a?b=c'],
    ['(HTTP://Example.com)', 'HTTP://Example.com'],
    ['no address, only example.com', undefined],
    ['two: https://a.example https://b.example', 'https://a.example'],
    ['https://', undefined],
    ['https://en.wikipedia.org/wiki/Mercury_(planet)', 'https://en.wikipedia.org/wiki/Mercury_(planet)'],
    ['(see https://example.com/a_(b).)', 'https://example.com/a_(b)'],
    ['[https://example.com/a?b[0]=c]!', 'https://example.com/a?b[0]=c'],
    ['{https://example.com/{id}}', 'https://example.com/{id}'],
  ])('firstUrl() finds the URL of a text: %s', (text, address) => {
    expect(firstUrl(text)).toBe(address);
  });
});

describe('hostile texts and pages', () => {
  /** In ms. Linear work takes far less on a busy machine. Earlier code took 50 s and 13 s on an idle machine. */
  const BOUND = 5_000;
  const timeOf = (work: () => void) => {
    const start = performance.now();
    work();
    return performance.now() - start;
  };

  it('firstUrl() does not block the event loop for punctuation inside a URL', () => {
    for (const punctuation of [')', ']', '.', '!?'])
      expect(timeOf(() => firstUrl(`https://example.com/${punctuation.repeat(300_000)}a`))).toBeLessThan(BOUND);
  });

  it('firstUrl() ignores a URL that is longer than the URLs that browsers send', () => {
    expect(firstUrl(`https://example.com/${'a'.repeat(2_000)}`)).toBeDefined();
    expect(firstUrl(`https://example.com/${'a'.repeat(2_100)}`)).toBeUndefined();
  });

  it('readHead() does not block the event loop for nested elements', () => {
    const nested = `${'<table><tr><td>'.repeat(60_000)}${'</tr>'.repeat(20_000)}`;
    expect(timeOf(() => readHead(`<title>Home</title>${nested}`))).toBeLessThan(BOUND);
    expect(readHead(`<title>Home</title>${nested}`).title).toBe('Home');
  });

  it('readHead() reads the title after many sibling elements', () => {
    const styles = '<link rel="stylesheet" href="a.css"><script>1</script>'.repeat(500);
    expect(readHead(`<head>${styles}<title>Home</title></head>`).title).toBe('Home');
  });
});

describe('pages that never answer', () => {
  it('link previews of pages that never answer delay only their own instance', async () => {
    const answers: (() => void)[] = [];
    const preview = createPreviewFetcher({
      clock: systemClock,
      images,
      fetchPage: (url) =>
        url.includes('slow')
          ? new Promise((resolve) => answers.push(() => resolve(page('<title>Slow</title>'))))
          : Promise.resolve(page('<title>Home</title>')),
    });
    const flood = Array.from({ length: 8 + 32 }, (_, n) => preview(`https://example.com/slow/${n}`, 'a'));
    expect(await preview('https://example.com/slow/x', 'a')).toBeUndefined();
    expect(await preview('https://example.com/', 'b')).toMatchObject({ title: 'Home' });
    expect(answers, 'concurrent requests of one instance').toHaveLength(8);
    const all = Promise.all(flood);
    let isDone = false;
    void all.then(() => {
      isDone = true;
    });
    while (!isDone) {
      for (const answer of answers.splice(0)) answer();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await all).map((found) => found?.title)).toEqual(flood.map(() => 'Slow'));
    const laterResult = preview('https://example.com/slow/x', 'b');
    await waitFor(() => expect(answers).toHaveLength(1));
    for (const answer of answers.splice(0)) answer();
    expect(await laterResult, 'a page that was not fetched before').toMatchObject({ title: 'Slow' });
  });

  it('a link preview that waits in the queue of one instance does not delay the same URL for another instance', async () => {
    const preview = createPreviewFetcher({
      clock: systemClock,
      images,
      fetchPage: (url) =>
        url.includes('slow') ? new Promise(() => undefined) : Promise.resolve(page('<title>Home</title>')),
    });
    for (let n = 0; n < 8; n++) void preview(`https://example.com/slow/${n}`, 'a');
    const waiting = preview('https://example.com/', 'a');
    expect(await preview('https://example.com/', 'b')).toMatchObject({ title: 'Home' });
    expect(await waiting, 'a page that the other instance has fetched').toMatchObject({ title: 'Home' });
  });
});

describe('slow previews', () => {
  it('a link preview is omitted after ten seconds, and later messages with the URL get it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const decoding = Promise.withResolvers<ImageResult>();
    const preview = createPreviewFetcher({
      clock: systemClock,
      images: { ...images, run: () => decoding.promise },
      fetchPage: async () => page('<title>Slow</title><meta property="og:image" content="/pic.png">'),
    });
    const url = 'https://example.com/';
    const first = preview(url, 'a');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await first).toBeUndefined();
    const next = preview(url, 'a');
    decoding.resolve({ outcome: 'done', bytes: Buffer.from('picture'), width: 1, height: 1, isAnimated: false });
    expect(await next).toEqual({ matchedText: url, title: 'Slow', jpegThumbnail: Buffer.from('picture') });
  });
});

describe('link previews', () => {
  it('readHead() prefers Open Graph metadata and decodes entities', () => {
    const head = `<title>Plain</title><meta property="og:title" content="Tom &amp; Jerry"><meta name="description" content="D">`;
    expect(readHead(page(head).body.toString())).toEqual({ title: 'Tom & Jerry', description: 'D', image: undefined });
    expect(readHead(page('<title> Plain </title>').body.toString()).title).toBe('Plain');
    expect(readHead('<title>Plain</title><meta property="og:title" content=" ">').title).toBe('Plain');
  });

  it('a link preview has the title of the page and a small JPEG', async () => {
    const png = await sharp({ create: { width: 800, height: 400, channels: 4, background: '#ff000080' } })
      .png()
      .toBuffer();
    const { preview } = createPreview({
      'https://example.com/': page('<title>Home</title><meta property="og:image" content="/pic.png">'),
      'https://example.com/pic.png': { status: 200, type: 'image/png', body: png, isOversize: false },
    });
    const found = await preview('look: https://example.com/');
    expect(found).toMatchObject({ matchedText: 'https://example.com/', title: 'Home' });
    expect(await sharp(found?.jpegThumbnail).metadata()).toMatchObject({ format: 'jpeg', width: 192 });
  });

  it('a link preview of a page with a tall picture has a small JPEG', async () => {
    const size = { width: 192, height: 60_000 };
    const noise = randomBytes(size.width * size.height);
    const png = await sharp(noise, { raw: { ...size, channels: 1 } })
      .png({ compressionLevel: 0 })
      .toBuffer();
    const { preview } = createPreview({
      'https://example.com/': page('<title>Home</title><meta property="og:image" content="/pic.png">'),
      'https://example.com/pic.png': { status: 200, type: 'image/png', body: png, isOversize: false },
    });
    const thumbnail = (await preview('https://example.com/'))?.jpegThumbnail;
    const { width, height } = await sharp(thumbnail).metadata();
    expect(Math.max(width, height)).toBeLessThanOrEqual(192);
    expect(thumbnail?.length).toBeLessThan(50_000);
  });

  it('a link preview omits a thumbnail of more than 50 kB', async () => {
    const withThumbnail = (size: number) =>
      createPreviewFetcher({
        clock: systemClock,
        images: {
          ...images,
          run: async () => ({ outcome: 'done', bytes: Buffer.alloc(size), width: 1, height: 1, isAnimated: false }),
        },
        fetchPage: async () => page('<title>Home</title><meta property="og:image" content="/pic.png">'),
      });
    const url = 'https://example.com/';
    expect((await withThumbnail(50_000)(url, 'a'))?.jpegThumbnail).toHaveLength(50_000);
    expect(await withThumbnail(50_001)(url, 'a')).toEqual({ matchedText: url, title: 'Home' });
  });

  it('a link preview of a shortened URL has the picture of the page to which the URL redirects', async () => {
    const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#f00' } })
      .png()
      .toBuffer();
    const shortened = await serve(({ url }, response) => {
      if (url === '/file') response.writeHead(302, { location: '/shop/item' }).end();
      else if (url === '/shop/pic.png') response.setHeader('content-type', 'image/png').end(png);
      else if (url === '/shop/item')
        response
          .setHeader('content-type', 'text/html')
          .end('<title>Shop</title><meta property="og:image" content="pic.png">');
      else response.writeHead(404).end();
    });
    const egress = createEgress({ allow: ['127.0.0.1'], strict: false });
    onTestFinished(() => egress.close());
    const preview = createPreviewFetcher({
      clock: systemClock,
      images,
      fetchPage: (url, limits) => fetchPage(egress, url, limits),
    });
    const found = await preview(shortened, 'a');
    expect(found).toMatchObject({ matchedText: shortened, title: 'Shop' });
    expect(await sharp(found?.jpegThumbnail).metadata()).toMatchObject({ format: 'jpeg' });
  });

  it.each([
    ['its header', 'text/html; charset=ISO-8859-1', ''],
    ['its head', 'text/html', '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">'],
    ['its short head', 'text/html', '<meta charset="windows-1252">'],
  ])('a link preview decodes a page by the charset in %s', async (_, type, meta) => {
    const body = Buffer.from(`<head>${meta}<title>Promoção</title></head>`, 'latin1');
    const { preview } = createPreview({ 'https://example.com': { ...page(''), type, body } });
    expect(await preview('https://example.com')).toMatchObject({ title: 'Promoção' });
  });

  it.each([
    'utf-16',
    'unicode',
    'utf-16be',
  ])('a link preview decodes a page whose head names %s as UTF-8', async (charset) => {
    const body = Buffer.from(`<meta charset="${charset}"><title>Größe</title>`);
    const { preview } = createPreview({ 'https://a.com': { status: 200, type: 'text/html', body, isOversize: false } });
    expect(await preview('https://a.com')).toMatchObject({ title: 'Größe' });
  });

  it.each(['utf-8', 'nonsense'])('a link preview decodes a page with the charset %s as UTF-8', async (charset) => {
    const type = `text/html; charset=${charset}`;
    const { preview } = createPreview({ 'https://example.com': { ...page('<title>Promoção</title>'), type } });
    expect(await preview('https://example.com')).toMatchObject({ title: 'Promoção' });
  });

  it('a link preview truncates texts without splitting a character', async () => {
    const [title, description] = [`${'a'.repeat(299)}👍`, `${'a'.repeat(999)}👍`];
    const head = `<title>${title}</title><meta name="description" content="${description}">`;
    const { preview } = createPreview({ 'https://example.com': page(head) });
    expect(await preview('https://example.com')).toMatchObject({
      title: 'a'.repeat(299),
      description: 'a'.repeat(999),
    });
  });

  it('a link preview is undefined for an unreachable, oversized or untitled page, and for a file of another type', async () => {
    const { preview } = createPreview({
      'https://b.example': { ...page(''), type: 'application/pdf' },
      'https://c.example': { ...page('<title>T</title>'), isOversize: true },
      'https://d.example': page(''),
    });
    for (const host of ['a', 'b', 'c', 'd']) expect(await preview(`https://${host}.example`)).toBeUndefined();
  });

  it('a link preview keeps its text when only the picture is unreachable', async () => {
    const { preview } = createPreview({
      'https://example.com': page('<title>Home</title><meta property="og:image" content="https://gone.example/x.png">'),
    });
    expect(await preview('https://example.com')).toEqual({ matchedText: 'https://example.com', title: 'Home' });
  });

  it('a link preview gets its picture later when the image decoder was overloaded at first', async () => {
    const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#f00' } })
      .png()
      .toBuffer();
    let isBusy = true;
    const preview = createPreviewFetcher({
      clock: systemClock,
      images: {
        ...images,
        run: (...image) => (isBusy ? Promise.reject(mediaOverloadedError('busy')) : images.run(...image)),
      },
      fetchPage: async (url) =>
        url.endsWith('.png')
          ? { status: 200, type: 'image/png', body: png, isOversize: false }
          : page('<title>Home</title><meta property="og:image" content="/pic.png">'),
    });
    const url = 'https://example.com/';
    expect(await preview(url, 'a')).toEqual({ matchedText: url, title: 'Home' });
    isBusy = false;
    expect((await preview(url, 'a'))?.jpegThumbnail).toBeInstanceOf(Buffer);
  });

  it('a link preview is cached for five minutes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { preview, requestedUrls } = createPreview({ 'https://example.com': page('<title>Home</title>') });
    const previewAfter = async (count: number) => {
      await vi.advanceTimersByTimeAsync(count * 60_000);
      expect(await preview('https://example.com')).toMatchObject({ title: 'Home' });
      return requestedUrls.length;
    };
    expect([await previewAfter(0), await previewAfter(4), await previewAfter(2)]).toEqual([1, 1, 2]);
  });

  it('the cache of link previews holds at most 4 MiB', async () => {
    const requestedUrls: string[] = [];
    const preview = createPreviewFetcher({
      clock: systemClock,
      images: {
        ...images,
        run: async () => ({ outcome: 'done', bytes: Buffer.alloc(50_000), width: 1, height: 1, isAnimated: false }),
      },
      fetchPage: async (url) => {
        requestedUrls.push(url);
        return page('<title>Home</title><meta property="og:image" content="/pic.png">');
      },
    });
    const urls = Array.from({ length: 84 }, (_, index) => `https://example.com/${index}`);
    for (const url of [...urls, ...urls.slice(-1), ...urls.slice(0, 1)]) await preview(url, 'a');
    expect(requestedUrls.filter((url) => url === urls[83])).toHaveLength(1);
    expect(requestedUrls.filter((url) => url === urls[0])).toHaveLength(2);
  });

  it('a link preview is fetched once for concurrent messages with the same URL', async () => {
    const { preview, requestedUrls } = createPreview({ 'https://example.com': page('<title>Home</title>') });
    await Promise.all([preview('https://example.com'), preview('again https://example.com')]);
    await preview('https://example.com');
    expect(requestedUrls).toEqual(['https://example.com']);
  });
});
