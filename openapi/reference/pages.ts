// The generated pages in docs/reference, .env.example, and a script of the manager page. This file imports code of src/
// that needs the generated schemas, so generate.ts loads it only after it has written or compared the schemas.
import type { Spec } from '../typescript/spec.ts';
import { toErrorsPage } from './errors.ts';
import { toEventPages } from './events.ts';
import { toEventNamesScript } from './manager-page.ts';
import { toOperationsPage } from './operations.ts';
import { toEnvExample, toSettingsPage } from './settings.ts';

/** The texts of the generated pages, of .env.example and of a script of the manager page, by path in the repository. */
export function referencePages(spec: Spec): Map<string, string> {
  const events = [...toEventPages(spec)].map(([name, text]): [string, string] => [`docs/reference/${name}`, text]);
  return new Map([
    ...events,
    ['.env.example', toEnvExample()],
    ['docs/reference/errors.md', toErrorsPage()],
    ['docs/reference/operations.md', toOperationsPage(spec)],
    ['docs/reference/settings.md', toSettingsPage()],
    ['packages/manager/src/event-names.js', toEventNamesScript()],
  ]);
}
