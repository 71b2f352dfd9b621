// Sends a text with buttons (interface §4.3).
import { GatewayError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { resolveRecipient } from '../address/recipient.ts';
import { type NativeFlowButton, nativeFlowNodes, toInteractiveMessage } from '../content/interactive.ts';
import type { Media } from '../media/media.ts';
import { assertNewChatAllowed } from '../outbound/new-chat-limit.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import { logFailedPreparation } from '../outbound/send-log.ts';
import type { Session } from '../session.ts';
import { prepareMedia } from './media.ts';

export interface Button {
  /** Default: reply. */
  type?: 'reply' | 'copy' | 'url' | 'call' | 'pix';
  displayText?: string;
  id?: string;
  url?: string;
  copyCode?: string;
  phoneNumber?: string;
  currency?: string;
  name?: string;
  keyType?: 'phone' | 'email' | 'cpf' | 'cnpj' | 'random';
  key?: string;
}

export interface ButtonsInput {
  number: string;
  buttonMessage: {
    title?: string;
    description?: string;
    footer?: string;
    /** URL, base64 or data URL of a picture above the text. */
    thumbnailUrl?: string;
    buttons: Button[];
  };
  options?: SendOptions;
}

/**
 * Resolves with the recorded message. Throws as send(), as sendMedia() for the picture, and INVALID_REQUEST for buttons
 * that cannot be combined.
 */
export async function sendButtons(session: Session, media: Media, input: ButtonsInput): Promise<Message> {
  const { number, buttonMessage, options } = input;
  const { title, description, footer, thumbnailUrl } = buttonMessage;
  const buttons = toFlowButtons(buttonMessage.buttons);
  const picture = thumbnailUrl
    ? await logFailedPreparation(session, 'interactiveMessage', async () => {
        // Checks first, so that no file is downloaded for a recipient who cannot get it.
        await assertNewChatAllowed(session, await resolveRecipient(session, number));
        return media.use(session.instanceId, thumbnailUrl, async (file) =>
          media.upload(session, await prepareMedia(session, media, file, { mediatype: 'image' })),
        );
      })
    : undefined;
  const isPayment = buttons[0]?.name === 'payment_info';
  // Phones show a payment without a text. Other buttons need one, which may be empty.
  const texts = description ? { title, text: description } : { text: title || (isPayment ? undefined : '') };
  const flow = { ...texts, picture: picture?.imageMessage ?? undefined, footer, buttons };
  return send(session, {
    number,
    options,
    kind: 'interactiveMessage',
    presence: 'composing',
    nodes: nativeFlowNodes(buttons, Date.now()),
    content: (contextInfo) => toInteractiveMessage(flow, contextInfo),
  });
}

const invalidRequest = (sentence: string) => new GatewayError('INVALID_REQUEST', [sentence], { certain: true });

/** Converts buttons. Valid are one to three replies, or any other buttons, or a single payment. */
export function toFlowButtons(buttons: readonly Button[]): NativeFlowButton[] {
  if (buttons.length === 0) throw invalidRequest('At least one button is required');
  const count = (type: Button['type']) => buttons.filter((button) => (button.type ?? 'reply') === type).length;
  const [replies, payments] = [count('reply'), count('pix')];
  if (replies > 3) throw invalidRequest('Maximum of 3 reply buttons allowed');
  if (replies > 0 && replies < buttons.length)
    throw invalidRequest('Reply buttons cannot be mixed with other button types');
  if (payments > 1) throw invalidRequest('Only one PIX button is allowed');
  if (payments > 0 && buttons.length > 1) throw invalidRequest('PIX button cannot be mixed with other button types');
  return buttons.map(toFlowButton);
}

function toFlowButton(button: Button, index: number): NativeFlowButton {
  const { type = 'reply' } = button;
  const need = (field: Exclude<keyof Button, 'type'>): string => {
    const value = button[field];
    if (!value)
      throw new GatewayError('INVALID_REQUEST', [[`buttons[${index}] requires property "${field}"`]], {
        certain: true,
      });
    return value;
  };
  const display = () => ({ display_text: need('displayText') });
  switch (type) {
    case 'reply':
      return { name: 'quick_reply', params: { ...display(), id: need('id') } };
    case 'copy':
      return { name: 'cta_copy', params: { ...display(), copy_code: need('copyCode') } };
    case 'url':
      return { name: 'cta_url', params: { ...display(), url: need('url'), merchant_url: need('url') } };
    case 'call':
      return { name: 'cta_call', params: { ...display(), phone_number: need('phoneNumber') } };
    case 'pix':
      return { name: 'payment_info', params: toPayment(need) };
  }
}

const PIX_KEY_TYPES: Readonly<Record<string, string>> = {
  phone: 'PHONE',
  email: 'EMAIL',
  cpf: 'CPF',
  cnpj: 'CNPJ',
  random: 'EVP',
};

/** Builds a payment request without an amount. The payer enters it. */
function toPayment(need: (field: 'currency' | 'name' | 'keyType' | 'key') => string): object {
  const nothing = { value: 0, offset: 100 };
  const order = { status: 'pending', subtotal: nothing, order_type: 'ORDER', items: [] };
  const pix = { merchant_name: need('name'), key: need('key'), key_type: PIX_KEY_TYPES[need('keyType')] };
  return {
    currency: need('currency'),
    total_amount: nothing,
    reference_id: `PIX${Date.now().toString(36).toUpperCase()}`,
    type: 'physical-goods',
    order,
    payment_settings: [{ type: 'pix_static_code', pix_static_code: pix }],
    share_payment_status: false,
  };
}
