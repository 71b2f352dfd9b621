import { describe, expect, it } from 'vitest';
import { fileHeadersOf, safeTypeOf } from '../../../src/whatsapp/media/file-headers.ts';

const octets = 'application/octet-stream';

describe('Content-Type', () => {
  it.each([
    'image/jpeg',
    'audio/ogg; codecs=opus',
    'video/mp4',
    'application/pdf',
    'text/plain;charset=utf-8',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ])('safeTypeOf keeps the type of the message: %s', (said) => expect(safeTypeOf(said)).toBe(said));

  it.each([
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/xml',
    'application/rss+xml',
    'application/javascript',
    'text/ecmascript',
    'text/css',
    'multipart/mixed',
    'message/rfc822',
    'application/x-shockwave-flash',
  ])('safeTypeOf replaces types that browsers execute: %s', (said) => expect(safeTypeOf(said)).toBe(octets));

  it.each([
    undefined,
    '',
    'image',
    'image/',
    'image/jpeg\r\nset-cookie: a=b',
    'image/jpeg, text/html',
    'ímage/jpeg',
    `a/${'b'.repeat(200)}`,
    'image/jpeg; x',
  ])('safeTypeOf replaces an invalid type: %j', (said) => expect(safeTypeOf(said)).toBe(octets));
});

describe('a hostile file name', () => {
  /** Milliseconds: far more than linear work takes on a busy machine, far less than the 51 s that this took on an idle one. */
  const BOUND = 5_000;

  it.each([
    ['spaces', ' '],
    ['dots', '.'],
    ['spaces of other languages', '\u3000'],
    ['slashes', '/'],
    ['quotes', '"'],
  ])('fileHeadersOf does not block the event loop with a name of 300,000 %s', (_, mark) => {
    const start = performance.now();
    const { disposition } = fileHeadersOf({ mimetype: 'image/jpeg', fileName: `a${mark.repeat(300_000)}b` }, '3EB0AB');
    expect(performance.now() - start).toBeLessThan(BOUND);
    expect(disposition.length).toBeLessThan(2_000);
  });

  it('fileHeadersOf does not block the event loop with a long type', () => {
    const start = performance.now();
    expect(safeTypeOf(`image/jpeg${'; a=b'.repeat(100_000)}`)).toBe(octets);
    expect(safeTypeOf(`${' '.repeat(300_000)}x`)).toBe(octets);
    expect(performance.now() - start).toBeLessThan(BOUND);
  });
});

describe('Content-Disposition', () => {
  const dispositionOf = (mimetype: string, fileName?: string) =>
    fileHeadersOf({ mimetype, fileName }, '3EB0AB').disposition;

  it('Content-Disposition is inline for pictures, videos and sounds, and attachment otherwise', () => {
    for (const type of ['image/png', 'video/mp4', 'audio/ogg; codecs=opus'])
      expect(dispositionOf(type), type).toMatch(/^inline;/);
    for (const type of ['application/pdf', 'text/plain', 'image/svg+xml', 'image/tiff', 'text/html', 'x'])
      expect(dispositionOf(type), type).toMatch(/^attachment;/);
  });

  it('Content-Disposition uses the message id for a file without a name', () => {
    expect(dispositionOf('image/jpeg')).toBe(`inline; filename="3EB0AB.jpg"; filename*=UTF-8''3EB0AB.jpg`);
    expect(dispositionOf('a/b')).toContain('filename="3EB0AB.bin"');
  });

  it('Content-Disposition supports names in every language', () => {
    expect(dispositionOf('application/pdf', 'Übersicht 1 (neu).pdf')).toBe(
      `attachment; filename="_bersicht 1 (neu).pdf"; filename*=UTF-8''%C3%9Cbersicht%201%20%28neu%29.pdf`,
    );
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Windows\\a.exe', 'a.exe'],
    ['a"; filename=b.html', 'a_; filename=b.html'],
    ['a\r\nset-cookie: x.pdf', 'a__set-cookie_ x.pdf'],
    ['evil\u202Efdp.exe', 'evil_fdp.exe'],
    ['.htaccess', 'htaccess'],
    ['half\ud800', 'half\ufffd'],
  ])('Content-Disposition removes unsafe characters: %j', (said, name) => {
    const value = dispositionOf('application/pdf', said);
    expect(value).toMatch(/^[\x20-\x7e]*$/);
    expect(decodeURIComponent(value.split("''")[1] ?? '')).toBe(name);
  });

  it('Content-Disposition limits the length and keeps the end of the name', () => {
    const value = decodeURIComponent(dispositionOf('application/pdf', `${'ä'.repeat(500)}.pdf`).split("''")[1] ?? '');
    expect([...value]).toHaveLength(110);
    expect(value).toMatch(/\.pdf$/);
  });
});
