// Sends a text with a list to choose from (interface §4.3).
import type { Message } from '../../events/events.ts';
import { nativeFlowNodes, toInteractiveMessage } from '../content/interactive.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import type { Session } from '../session.ts';

export interface ListInput {
  number: string;
  listMessage: {
    title: string;
    description?: string;
    /** Text of the button that opens the list. */
    buttonText: string;
    footerText?: string;
    sections: { title: string; rows: { title: string; description?: string; rowId: string }[] }[];
  };
  options?: SendOptions;
}

/**
 * Resolves with the recorded message. Throws as send(). Rows may share an id: relay() makes the ids unique
 * (content/list-rows.ts).
 */
export async function sendList(session: Session, { number, listMessage, options }: ListInput): Promise<Message> {
  const { title, description, buttonText, footerText: footer, sections } = listMessage;
  const rowsOf = (rows: ListInput['listMessage']['sections'][number]['rows']) =>
    rows.map((row) => ({ header: '', title: row.title, description: row.description ?? '', id: row.rowId }));
  const choice = sections.map((section) => ({ title: section.title, rows: rowsOf(section.rows) }));
  const buttons = [{ name: 'single_select', params: { title: buttonText, sections: choice } }];
  const texts = description ? { title, text: description } : { text: title };
  return send(session, {
    number,
    options,
    kind: 'interactiveMessage',
    presence: 'composing',
    nodes: nativeFlowNodes(buttons, Date.now()),
    content: (contextInfo) => toInteractiveMessage({ ...texts, footer, buttons }, contextInfo),
  });
}
