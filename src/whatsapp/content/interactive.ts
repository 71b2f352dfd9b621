// Builds messages with buttons or lists as native flows, the only form that phones still show (D-110). The stanza needs
// additional nodes; without them WhatsApp accepts the message and phones show nothing.
import { randomBytes } from 'node:crypto';
import type { proto } from '../baileys/proto.ts';
import type { Stanza } from '../baileys/stanza.ts';

export interface FlowButton {
  /** The client's name of the button type: quick_reply, cta_url, single_select, … */
  name: string;
  params: object;
}

export interface Flow {
  title?: string | undefined;
  /** Uploaded picture above the text. */
  picture?: proto.Message.IImageMessage | undefined;
  /** The message has no body when this is undefined. */
  text?: string | undefined;
  footer?: string | undefined;
  buttons: readonly FlowButton[];
}

export function toInteractive(
  { title, picture, text, footer, buttons }: Flow,
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

/** Returns the `<biz>` node of the stanza. Payments use another form of it. */
export function flowNodes(buttons: readonly FlowButton[], now: number): Stanza[] {
  if (buttons[0]?.name === 'payment_info') return [node('biz', { native_flow_name: 'payment_info' })];
  const flow = node('native_flow', { v: '9', name: 'mixed' });
  const quality = { decision_id: randomBytes(20).toString('hex'), source_type: 'third_party' };
  return [
    node('biz', { actual_actors: '2', host_storage: '2', privacy_mode_ts: String(Math.floor(now / 1000)) }, [
      node('interactive', { type: 'native_flow', v: '1' }, [flow]),
      node('quality_control', quality, [node('decision_source', { value: 'df' })]),
    ]),
  ];
}
