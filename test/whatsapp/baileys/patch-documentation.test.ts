import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { headingAnchor } from '../../support/docs.ts';
import { sourcesOf } from '../../support/source-code.ts';

const readme = readFileSync(new URL('../../../src/whatsapp/baileys/README.md', import.meta.url), 'utf8');
/** Below src. */
const FOLDER = 'whatsapp/baileys/patches/';
const INSTALLER = 'install.ts';
const patches = sourcesOf('src/whatsapp/baileys/patches').filter(({ path }) => path !== INSTALLER);

/** Why a patch has no report: it does not patch a bug, or the pull request describes the bug. */
const NO_REPORT =
  /^– \((?:design|performance|design, performance|missing option|passkeys are not supported|pull request #\d+)\)$/;

describe('patches of Baileys', () => {
  it.each(
    patches.map(({ path, text }) => [path, text]),
  )('the patch %s has the header lines Why, Upstream, Applies to and Remove when', (_, text) => {
    const header = /^\/\/ \S.*\n((?:\/\/.*\n)+)/.exec(text)?.[1] ?? '';
    const fields = [...header.matchAll(/^\/\/ ([A-Z][a-z ]+): \S/gm)].map(([, field]) => field);
    expect(fields).toEqual(['Why', 'Upstream', 'Applies to', 'Remove when']);
  });

  it('the README of src/whatsapp/baileys lists exactly the patches', () => {
    const rows = [...readme.matchAll(/^\| \[`([\w-]+\.ts)`\]\(patches\/\1\) \|/gm)].map(([, file]) => file);
    expect(rows).toEqual(patches.map(({ path }) => path));
  });

  it('install.ts applies each patch, except those that the inbound buffer contains', () => {
    const sources = new Map(sourcesOf('src').map(({ path, imports }) => [path, imports.map(({ target }) => target)]));
    /** The patches that a file imports, itself or through other patches. */
    const patchesOf = (path: string, found = new Set<string>()): Set<string> => {
      for (const target of sources.get(path) ?? []) {
        if (!target.startsWith(FOLDER) || found.has(target)) continue;
        found.add(target);
        patchesOf(target, found);
      }
      return found;
    };
    const installed = patchesOf(`${FOLDER}${INSTALLER}`);
    const others = patches.map(({ path }) => path).filter((path) => !installed.has(`${FOLDER}${path}`));
    // The header of install.ts names them, too.
    expect(others).toEqual(['decryption-hook.ts', 'device-sent-context.ts', 'message-order.ts', 'sender-key-chats.ts']);
    const ofInboundBuffer = patchesOf('whatsapp/inbound/inbound-buffer.ts');
    expect(others.filter((path) => !ofInboundBuffer.has(`${FOLDER}${path}`))).toEqual([]);
  });

  it('the README of src/whatsapp/baileys links a report for each patch of a bug', () => {
    const rows = [...readme.matchAll(/^\| \[`([\w-]+\.ts)`\].* \| (.+) \|$/gm)].map(([, file, report = '']) => ({
      file,
      report,
    }));
    expect(rows).toHaveLength(patches.length);
    expect(rows.filter(({ report }) => !report.startsWith('[report](') && !NO_REPORT.test(report))).toEqual([]);
  });

  it.each(
    globSync('docs/internals/upstream*.md'),
  )('%s has exactly the sections that the README of src/whatsapp/baileys links', (page) => {
    const headings = [...readFileSync(page, 'utf8').matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
      headingAnchor(title),
    );
    const links = [...readme.matchAll(/(docs\/internals\/[\w-]+\.md)#([\w-]+)/g)].flatMap(([, linkedPage, anchor]) =>
      linkedPage === page ? [anchor] : [],
    );
    expect(links.filter((anchor) => anchor !== undefined && !headings.includes(anchor))).toEqual([]);
    expect(headings.filter((heading) => !links.includes(heading))).toEqual([]);
  });
});
