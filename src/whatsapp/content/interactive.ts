// Messages with something to tap, buttons and lists, in the only form in which phones show them today (DECISIONS): a native flow, and in the
// stanza what tells the platform of it. Without that the platform takes the message and nobody sees it.
import { randomBytes } from 'node:crypto';
import type { proto } from '../baileys/proto.ts';
import type { Stanza } from '../baileys/stanza.ts';

export interface FlowButton {
  /** As the platform's clients name what it does: quick_reply, cta_url, single_select, … */
  name: string;
  params: object;
}

export interface Flow {
  title?: string | undefined;
  /** Above the text, uploaded. */
  picture?: proto.Message.IImageMessage | undefined;
  /** Undefined: there is no body. */
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

/** `<biz>` of the stanza; what was measured is in DECISIONS. Payments have a form of their own. */
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
