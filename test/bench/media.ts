// Pictures of 200 kB as URL, as base64 and in a form: compares the gateway over HTTP with plain Baileys. Plain Baileys
// gets the same picture (by the same URL, as base64 text, or as a file in memory) and makes the same thumbnail
// (plain-baileys.ts). Both upload to the platform over TLS.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { compareSenders } from './compare-senders.ts';
import { atLeast, type BenchResult } from './goals.ts';
import { startLinked } from './linked.ts';
import { forkChild } from './processes.ts';
import type { Picture } from './protocol.ts';
import { createGatewaySender, createHttpSender, createPlainSender, type SendRequest, type ToRequest } from './send.ts';
import { printTable } from './statistics.ts';

const ROUNDS = 3;
const COUNT = 160;
const CONCURRENCY = 8;
const BYTES = 200_000;
const targets = Array.from({ length: 16 }, (_, n) => `1556150${n + 1001}`);

/** Creates a JPEG of 1600 × 1200 pixels with the highest quality at which it has at most BYTES. */
async function createPicture(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const raw = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#808080', noise } })
    .png()
    .toBuffer();
  const scene = await sharp(raw).resize(1600, 1200, { kernel: 'cubic' }).png().toBuffer();
  for (let quality = 95; quality > 5; quality--) {
    const picture = await sharp(scene).jpeg({ quality }).toBuffer();
    if (picture.length <= BYTES) return picture;
  }
  throw new Error('no quality makes the picture small enough');
}

/** Serves the picture under the URL that it returns. */
async function servePicture(picture: Buffer) {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': picture.length }).end(picture);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/picture.jpg`, stop: () => server.close() };
}

/**
 * Returns a function that makes the requests of `requestOf` once per picture and recipient, so that the client uses
 * little CPU time during the measurement.
 */
function createToRequest(requestOf: (picture: Picture, target: string) => SendRequest): ToRequest {
  const requests = new Map<string, SendRequest>();
  return ({ picture }, target) => {
    if (!picture) throw new Error('no picture');
    const key = `${picture.as} ${target}`;
    const request = requests.get(key) ?? requestOf(picture, target);
    requests.set(key, request);
    return request;
  };
}

function gatewayRequestOf({ as, url, base64 }: Picture, number: string): SendRequest {
  const operation = 'sendMedia';
  if (as !== 'form') {
    const mediaMessage = { mediatype: 'image', media: as === 'url' ? url : base64 };
    return { operation, type: 'application/json', body: Buffer.from(JSON.stringify({ number, mediaMessage })) };
  }
  const boundary = 'bench-boundary-0123456789';
  const part = (header: string, value: string | Buffer) => [
    `--${boundary}\r\ncontent-disposition: form-data; ${header}\r\n\r\n`,
    value,
    '\r\n',
  ];
  const file = 'name="file"; filename="picture.jpg"\r\ncontent-type: image/jpeg';
  const pieces = [
    ...part('name="number"', number),
    ...part('name="mediatype"', 'image'),
    ...part(file, Buffer.from(base64, 'base64')),
    `--${boundary}--\r\n`,
  ];
  const body = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  return { operation, type: `multipart/form-data; boundary=${boundary}`, body };
}

/** The request to plain Baileys behind HTTP. It has the bytes of the file instead of a form. */
function plainRequestOf({ as, url, base64 }: Picture): SendRequest {
  const operation = 'picture';
  if (as === 'form') return { operation, type: 'image/jpeg', body: Buffer.from(base64, 'base64') };
  return { operation, type: 'application/json', body: JSON.stringify(as === 'url' ? { url } : { base64 }) };
}

/** Measures pictures in three forms, 8 at a time. The CPU time of the gateway contains its image process. */
export async function benchMedia(): Promise<BenchResult> {
  const picture = await createPicture();
  const pictureServer = await servePicture(picture);
  const platform = await forkChild('./platform.ts');
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const tlsEnv = { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
  writeFileSync(tlsEnv.NODE_EXTRA_CA_CERTS, await platform.ask<string>({ do: 'ca' }));
  const settings = { ...tlsEnv, EGRESS_ALLOW: '127.0.0.0/8' };
  const gateway = createGatewaySender(
    await startLinked(platform, ['15560000051'], undefined, '', settings),
    createToRequest(gatewayRequestOf),
  );
  const plain = await createPlainSender(platform, '15560000052', {}, tlsEnv);
  const httpSender = await createHttpSender(platform, '15560000053', createToRequest(plainRequestOf), tlsEnv);
  const senders = [plain, gateway, httpSender];
  const rows = [];
  const goals = [];
  for (const as of ['url', 'base64', 'form'] as const) {
    const load = {
      concurrency: CONCURRENCY,
      targets,
      picture: { as, url: pictureServer.url, base64: picture.toString('base64') },
    };
    for (const sender of senders) await sender.send({ ...load, count: 64 });
    const figures = await compareSenders(senders, ROUNDS, () => ({ ...load, count: COUNT }));
    rows.push(...figures.map((figure) => ({ picture: as, ...figure })));
    goals.push(
      atLeast(`pictures by ${as}, ${CONCURRENCY} at a time: rate ÷ plain`, figures[1]?.ratio ?? Number.NaN, 0.9),
    );
  }
  printTable(
    `pictures of ${Math.round(picture.length / 1000)} kB, ${CONCURRENCY} at a time (ratios to plain Baileys)`,
    rows,
  );
  await Promise.all([gateway.stop(), plain.stop(), httpSender.stop()]);
  await platform.stop();
  pictureServer.stop();
  rmSync(folder, { recursive: true, force: true });
  return { rows, goals };
}
