// Sends a text with a button that opens a list of choices. Decision D-110.
import type { Message } from '../../events/events.ts';
import { toInteractiveMessage } from '../content/interactive.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import type { Session } from '../session.ts';

interface Row {
  title: string;
  description?: string;
  rowId: string;
}

export interface ListMessageInput {
  number: string;
  listMessage: {
    title: string;
    description?: string;
    /** Text of the button that opens the list. */
    buttonText: string;
    footerText?: string;
    sections: { title: string; rows: Row[] }[];
  };
  options?: SendOptions;
}

/**
 * Resolves with the sent message. send() makes equal row ids unique (content/list-rows.ts). Throws the errors of
 * send().
 */
export async function sendList(session: Session, { number, listMessage, options }: ListMessageInput): Promise<Message> {
  const { title, description, buttonText, footerText: footer, sections } = listMessage;
  // A native flow is the only form of a list that phones show (content/interactive.ts).
  const toFlowRows = (rows: readonly Row[]) =>
    rows.map((row) => ({ header: '', title: row.title, description: row.description ?? '', id: row.rowId }));
  const flowSections = sections.map((section) => ({ title: section.title, rows: toFlowRows(section.rows) }));
  const buttons = [{ name: 'single_select', params: { title: buttonText, sections: flowSections } }];
  // With a description, the title is the header of the message. Without one, the title is the text.
  const texts = description ? { title, text: description } : { text: title };
  return send(session, {
    number,
    options,
    kind: 'interactiveMessage',
    presence: 'composing',
    content: (contextInfo) => toInteractiveMessage({ ...texts, footer, buttons }, contextInfo),
  });
}
