// Generates docs/reference/operations.md: all operations of the contract by tag.
import type { Operation, Spec } from '../typescript/spec.ts';
import { code, contents, generatedFrom, page, paragraph, table } from './markdown.ts';

const INTRODUCTION = `All operations of the API, by topic. The contract [openapi/openapi.yaml](../../openapi/openapi.yaml)
  has their bodies, responses and examples; a running gateway shows it at \`/docs\`. [Requests](../guides/requests.md)
  explains keys and the forms of bodies, [Error codes](errors.md) lists the errors.`;

const COLUMNS = [
  ['method', 'Where two methods are listed, both do the same.'],
  ['scope', 'The scope that a key needs. `any`: each valid key. `none`: the operation needs no key.'],
  ['status', 'The status of a successful response. 501: the gateway refuses the operation and says why.'],
] as const;

interface Row {
  methods: string[];
  path: string;
  operation: Operation;
}

/** The operation that an alias stands for, such as `PUT /chat/pinChat/{instance}`; undefined for other operations. */
export function aliasTargetOf(operation: Pick<Operation, 'description'>): string | undefined {
  return /^Alias of `([A-Z]+ [^`]+)`/.exec(operation.description ?? '')?.[1];
}

/** One row per path and operation. A POST that is an alias of the PUT on its path is in the row of the PUT. */
function rowsOf(spec: Spec): Row[] {
  return Object.entries(spec.paths).flatMap(([path, item]) => {
    const { put, post } = item;
    const target = post && aliasTargetOf(post);
    const isPair = put && target && (target === `PUT ${path}` || target === aliasTargetOf(put));
    return Object.entries(item).flatMap(([method, operation]): Row[] => {
      if (isPair && method === 'post') return [];
      const methods = isPair && method === 'put' ? ['PUT', 'POST'] : [method.toUpperCase()];
      return [{ methods, path, operation }];
    });
  });
}

function toCells({ methods, path, operation }: Row): string[] {
  const status = operation['x-status'] === 'refused' ? '501' : (Object.keys(operation.responses)[0] ?? '');
  const target = aliasTargetOf(operation);
  const text = target ? `The same as ${code(target)}` : operation.summary;
  return [methods.map(code).join(' '), code(path), operation['x-scope'] ?? 'none', status, text];
}

/** The heading of a tag. */
const titleOf = (tag: string) => tag.replace(/^./, (letter) => letter.toUpperCase());

/** The text of operations.md. */
export function toOperationsPage(spec: Spec): string {
  const rows = rowsOf(spec);
  const sections = spec.tags.flatMap(({ name, description }) => {
    const own = rows.filter(({ operation }) => operation.tags[0] === name);
    const head = ['method', 'path', 'scope', 'status', 'operation'];
    return [`## ${titleOf(name)}`, paragraph(description), table(head, own.map(toCells))];
  });
  return page([
    generatedFrom('openapi/openapi.yaml'),
    '# Operations',
    paragraph(INTRODUCTION),
    COLUMNS.map(([name, text]) => paragraph(`- **${name}**: ${text}`, '  ')).join('\n'),
    contents(spec.tags.map(({ name }) => titleOf(name))),
    ...sections,
  ]);
}
