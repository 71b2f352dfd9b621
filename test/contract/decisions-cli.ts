// npm run decisions: updates the index in docs/decisions/README.md and the links to decisions in all pages.
import { readFileSync, writeFileSync } from 'node:fs';
import { DECISIONS, INDEX, withLinks, withTable } from '../support/decisions.ts';
import { LINKED_PAGES } from '../support/docs.ts';

for (const page of LINKED_PAGES) {
  const before = readFileSync(page, 'utf8');
  const after = withLinks(page, page === INDEX ? withTable(before) : before);
  if (after === before) continue;
  writeFileSync(page, after);
  console.log(`${page} updated`);
}
console.log(`${DECISIONS.length} decisions`);
