// What operations need to send media, the same for every session: where bytes come from and how they get to the platform's host.
import type { Agent } from 'node:https';
import type { proto } from '@whiskeysockets/baileys';
import { createLimiter } from '../../lib/limiter.ts';
import { type Endpoint, trustOf } from '../endpoint.ts';
import type { Session } from '../session.ts';
import { fetchMedia, type Get, type SourceLimits } from './source.ts';
import { type Content, upload } from './upload.ts';

export interface MediaDeps extends SourceLimits {
  get: Get;
  endpoint: Endpoint;
}

export interface Media {
  /** As fetchMedia(); a few at once, because each is held in memory. */
  fetch(source: string): Promise<Buffer>;
  /** As upload(). */
  upload(session: Session, content: Content): Promise<proto.IMessage>;
}

/** Files held in memory at the same time. */
const AT_ONCE = 8;

export function createMedia({ endpoint, ...source }: MediaDeps): Media {
  const agent: Agent | undefined = trustOf(endpoint).fetchAgent;
  const limiter = createLimiter(AT_ONCE);
  return {
    fetch: (named) => limiter.run(() => fetchMedia(named, source)),
    upload: (session, content) => upload(session, content, agent),
  };
}
