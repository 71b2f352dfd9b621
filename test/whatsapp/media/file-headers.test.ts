import { describe, expect, it } from 'vitest';
import { fileHeadersOf, safeTypeOf } from '../../../src/whatsapp/media/file-headers.ts';

const octetStream = 'application/octet-stream';

describe('safeTypeOf', () => {
  it.each([
    'image/jpeg',
    'audio/ogg; codecs=opus',
    'video/mp4',
    'application/pdf',
    'text/plain;charset=utf-8',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ])('safeTypeOf() keeps the type of the message: %s', (input) => expect(safeTypeOf(input)).toBe(input));

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
  ])('safeTypeOf() replaces a type that browsers execute: %s', (input) => expect(safeTypeOf(input)).toBe(octetStream));

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
  ])('safeTypeOf() replaces an invalid type: %j', (input) => expect(safeTypeOf(input)).toBe(octetStream));
});

describe('hostile file names and types', () => {
  /** In ms. Linear work takes far less on a busy machine. Earlier code took 51 s on an idle machine. */
  const MAX_DURATION = 5_000;

  it.each([
    ['spaces', ' '],
    ['dots', '.'],
    ['spaces of other languages', '\u3000'],
    ['slashes', '/'],
    ['quotes', '"'],
  ])('fileHeadersOf() does not block the event loop for a name with 300,000 %s', (_, character) => {
    const start = performance.now();
    const { disposition } = fileHeadersOf(
      { mimetype: 'image/jpeg', fileName: `a${character.repeat(300_000)}b` },
      '3EB0AB',
    );
    expect(performance.now() - start).toBeLessThan(MAX_DURATION);
    expect(disposition.length).toBeLessThan(2_000);
  });

  it('safeTypeOf() does not block the event loop for a long type', () => {
    const start = performance.now();
    expect(safeTypeOf(`image/jpeg${'; a=b'.repeat(100_000)}`)).toBe(octetStream);
    expect(safeTypeOf(`${' '.repeat(300_000)}x`)).toBe(octetStream);
    expect(performance.now() - start).toBeLessThan(MAX_DURATION);
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

  it('Content-Disposition encodes a file name with non-ASCII characters', () => {
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
  ])('Content-Disposition contains no unsafe characters of a file name: %j', (input, name) => {
    const value = dispositionOf('application/pdf', input);
    expect(value).toMatch(/^[\x20-\x7e]*$/);
    expect(decodeURIComponent(value.split("''")[1] ?? '')).toBe(name);
  });

  it('Content-Disposition limits the length of a file name and keeps its end', () => {
    const value = decodeURIComponent(dispositionOf('application/pdf', `${'ä'.repeat(500)}.pdf`).split("''")[1] ?? '');
    expect([...value]).toHaveLength(110);
    expect(value).toMatch(/\.pdf$/);
  });
});
