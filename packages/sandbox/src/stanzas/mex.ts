// Answers stored GraphQL queries (xmlns `w:mex`): a client sends the id of a query instead of its text. A query that no
// handler knows gets a GraphQL error.
import { element } from '../lib/binary-node.ts';
import { type IqHandler, requestOf } from './router.ts';

/** Creates a handler that calls `handlers` in order until one of them answers. */
export function createMexHandler(handlers: readonly IqHandler[]): IqHandler {
  return (companion, iq, connection) => {
    for (const handler of handlers) {
      const answer = handler(companion, iq, connection);
      if (answer) return answer;
    }
    if (requestOf(iq)?.tag !== 'query') return undefined;
    const extensions = { error_code: 404, is_retryable: false, severity: 'CRITICAL' };
    const result = { data: null, errors: [{ message: 'unknown query', extensions }] };
    // `isPartial`: the router also records the query as unanswered, so that a test fails.
    return { content: [element('result', {}, JSON.stringify(result))], isPartial: true };
  };
}
