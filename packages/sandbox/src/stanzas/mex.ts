// xmlns `w:mex`: stored GraphQL queries. A client sends the id of the query (its document) instead of the text. A query
// that no handler knows gets a GraphQL error.
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
    // Partial: the query is answered, and also recorded as one that the sandbox does not know.
    return { content: [element('result', {}, JSON.stringify(result))], isPartial: true };
  };
}
