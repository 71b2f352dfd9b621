// Generates docs/reference/errors.md: all error codes by topic.
import { ERRORS } from '../../src/errors.ts';
import { ERROR_HELP, RETRIES } from './error-help.ts';
import { toReasonsSection } from './error-reasons.ts';
import { code, contents, generatedFrom, page, paragraph, table } from './markdown.ts';

const INTRODUCTION = `All values of \`code\` in the body of an error. Codes are stable: a version adds codes, and does not
  rename them. Wordings of \`message\` may change, except for the [texts that old clients
  compare](../guides/migrate-errors.md#preserved-texts). The guide [Errors](../guides/errors.md) explains the body and the
  forms of \`message\`.`;

const STATUS_NOTE = `A few operations answer a code with 400 or 404 instead of its status, where clients of Evolution API expect
  that: [errors compared with Evolution API](../guides/migrate-errors.md#statuses). The contract names the statuses of
  each operation.`;

const REASONS_TITLE = 'Reasons of the status ERROR';

/** The text of errors.md. */
export function toErrorsPage(): string {
  const sections = ERROR_HELP.flatMap(({ title, errors }) => {
    const rows = Object.entries(errors).map(([errorCode, { meaning, retry, advice }]) => {
      const { status } = ERRORS[errorCode as keyof typeof ERRORS];
      return [code(errorCode), String(status), retry, meaning, advice];
    });
    return [`## ${title}`, table(['code', 'status', 'retry', 'meaning', 'what to do'], rows)];
  });
  return page([
    generatedFrom(
      'src/errors.ts, src/whatsapp/send-error-reasons.ts, openapi/reference/error-help.ts and error-reasons.ts',
    ),
    '# Error codes',
    paragraph(INTRODUCTION),
    'The column **retry** says whether a repetition is safe and useful:',
    Object.entries(RETRIES)
      .map(([name, text]) => paragraph(`- **${name}**: ${text}`, '  '))
      .join('\n'),
    paragraph(STATUS_NOTE),
    contents([...ERROR_HELP.map(({ title }) => title), REASONS_TITLE]),
    ...sections,
    ...toReasonsSection(REASONS_TITLE),
  ]);
}
