// xmlns `w:mex`: GraphQL queries in JSON, which clients name by the id of a document. Several files answer them; a
// query that none of them knows gets a GraphQL error.
import { element } from '../lib/binary-node.ts';
import { type IqHandler, requestOf } from './router.ts';

/** Creates a handler that asks the handlers one after another. */
export function createMex(handlers: readonly IqHandler[]): IqHandler {
  return (companion, iq, connection) => {
    for (const handler of handlers) {
      const answer = handler(companion, iq, connection);
      if (answer) return answer;
    }
    if (requestOf(iq)?.tag !== 'query') return undefined;
    const extensions = { error_code: 404, is_retryable: false, severity: 'CRITICAL' };
    const result = { data: null, errors: [{ message: 'unknown query', extensions }] };
    return { content: [element('result', {}, JSON.stringify(result))], isPartial: true };
  };
}
