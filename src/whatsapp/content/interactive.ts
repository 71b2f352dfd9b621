// Builds messages with buttons or lists as native flows. A native flow is the only format of interactive messages that
// phones still show (D-110). The stanza of such a message needs additional nodes: without them, WhatsApp accepts the
// message, but phones do not show it.
import { randomBytes } from 'node:crypto';
import type { proto } from '../baileys/proto.ts';
import type { Stanza } from '../baileys/stanza.ts';

export interface NativeFlowButton {
  /** WhatsApp's name of the button type: quick_reply, cta_url, single_select, … */
  name: string;
  /** Parameters of the button type, sent as JSON. */
  params: object;
}

/** A button in the form that the content of a message contains. */
type SentButton = proto.Message.InteractiveMessage.NativeFlowMessage.INativeFlowButton;

export interface NativeFlow {
  title?: string | undefined;
  /** Picture above the text, already uploaded. */
  picture?: proto.Message.IImageMessage | undefined;
  /** Text of the body. Undefined: no body. */
  text?: string | undefined;
  footer?: string | undefined;
  buttons: readonly NativeFlowButton[];
}

/** Builds the content of a message with a native flow. A title or a picture becomes the header. */
export function toInteractiveMessage(
  { title, picture, text, footer, buttons }: NativeFlow,
  contextInfo: proto.IContextInfo | undefined,
): proto.IMessage {
  const header = { ...(title ? { title } : {}), hasMediaAttachment: picture !== undefined };
  return {
    interactiveMessage: {
      ...(title || picture ? { header: { ...header, ...(picture ? { imageMessage: picture } : {}) } } : {}),
      ...(text === undefined ? {} : { body: { text } }),
      ...(footer ? { footer: { text: footer } } : {}),
      nativeFlowMessage: {
        buttons: buttons.map(({ name, params }) => ({ name, buttonParamsJson: JSON.stringify(params) })),
        messageParamsJson: '{}',
        messageVersion: 1,
      },
      ...(contextInfo ? { contextInfo } : {}),
    },
  };
}

const node = (tag: string, attrs: Record<string, string>, content?: Stanza[]): Stanza => ({
  tag,
  attrs,
  content,
});

/**
 * Returns the node `<biz>` that the stanza of a message with these buttons needs. Payment buttons need a different
 * `<biz>`. `nowMs` is epoch ms. Phones show the message with the attribute values below (tulir/whatsmeow#1235).
 */
export function nativeFlowNodes(buttons: readonly (NativeFlowButton | SentButton)[], nowMs: number): Stanza[] {
  if (buttons[0]?.name === 'payment_info') return [node('biz', { native_flow_name: 'payment_info' })];
  const flow = node('native_flow', { v: '9', name: 'mixed' });
  const quality = { decision_id: randomBytes(20).toString('hex'), source_type: 'third_party' };
  return [
    node('biz', { actual_actors: '2', host_storage: '2', privacy_mode_ts: String(Math.floor(nowMs / 1000)) }, [
      node('interactive', { type: 'native_flow', v: '1' }, [flow]),
      node('quality_control', quality, [node('decision_source', { value: 'df' })]),
    ]),
  ];
}
