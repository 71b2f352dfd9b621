// The generated pages in docs/reference. They import code of src/, which needs the generated schemas, so generate.ts
// loads this file only after it has written or compared those.
import type { Spec } from '../generate.ts';
import { toErrorsPage } from './errors.ts';
import { toOperationsPage } from './operations.ts';

/** The texts of the generated pages by path, relative to the repository. */
export function referencePages(spec: Spec): Map<string, string> {
  return new Map([
    ['docs/reference/errors.md', toErrorsPage()],
    ['docs/reference/operations.md', toOperationsPage(spec)],
  ]);
}
