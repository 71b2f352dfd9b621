// Sends a text with buttons as a native flow, WhatsApp's format of interactive messages. Decision D-110.
import { GatewayError, invalidRequestError } from '../../errors.ts';
import type { Message } from '../../events/events.ts';
import { type NativeFlowButton, toInteractiveMessage } from '../content/interactive.ts';
import type { Media } from '../media/media.ts';
import { assertRecipientAllowed } from '../outbound/new-chat-limit.ts';
import { type SendOptions, send } from '../outbound/send.ts';
import { runPreparation } from '../outbound/send-log.ts';
import type { Session } from '../session.ts';
import { prepareMedia } from './media.ts';

export interface Button {
  /** Default: reply. */
  type?: 'reply' | 'copy' | 'url' | 'call' | 'pix';
  /** The label; for all types except `pix`. */
  displayText?: string;
  /** For `reply`. */
  id?: string;
  /** For `url`. */
  url?: string;
  /** For `copy`: the text that the button copies. */
  copyCode?: string;
  /** For `call`. */
  phoneNumber?: string;
  /** For `pix`. All fields below are also for `pix`. */
  currency?: string;
  /** Name of the payee. */
  name?: string;
  /** Kind of `key`, the payee's PIX key. */
  keyType?: 'phone' | 'email' | 'cpf' | 'cnpj' | 'random';
  key?: string;
}

export interface ButtonsInput {
  number: string;
  buttonMessage: {
    title?: string;
    description?: string;
    footer?: string;
    /** A URL, base64 or a data URL of a picture above the text. */
    thumbnailUrl?: string;
    buttons: Button[];
  };
  options?: SendOptions;
}

/**
 * Resolves with the sent message. Throws the errors of send() and toFlowButtons(), and for the picture those of
 * sendMedia().
 */
export async function sendButtons(session: Session, media: Media, input: ButtonsInput): Promise<Message> {
  const { number, buttonMessage, options } = input;
  const { title, description, footer, thumbnailUrl } = buttonMessage;
  const buttons = toFlowButtons(buttonMessage.buttons);
  const picture = thumbnailUrl
    ? await runPreparation(session, 'interactiveMessage', async () => {
        // Refuses the recipient before the picture is loaded. Buttons cannot be posted in channels.
        await assertRecipientAllowed(session, number, { channels: false });
        return media.withFile(session.instanceId, thumbnailUrl, async (file) =>
          media.upload(session, await prepareMedia(session, media, file, { mediatype: 'image' })),
        );
      })
    : undefined;
  const isPayment = buttons[0]?.name === 'payment_info';
  // A payment needs no text. Phones show other buttons only with a text, which can be empty. Without a description, the
  // title is the text.
  const defaultText = isPayment ? undefined : '';
  const texts = description ? { title, text: description } : { text: title || defaultText };
  const flow = { ...texts, picture: picture?.imageMessage ?? undefined, footer, buttons };
  return send(session, {
    number,
    options,
    kind: 'interactiveMessage',
    presence: 'composing',
    content: (contextInfo) => toInteractiveMessage(flow, contextInfo),
  });
}

/** The error for buttons that cannot be combined. Clients of other gateways compare its text, which names no field. */
const combinationError = (text: string) => new GatewayError('INVALID_REQUEST', [text], { certain: true });

/**
 * Converts the buttons of a request. WhatsApp accepts either one to three `reply` buttons, or a single `pix` button, or
 * any number of the other types. Throws INVALID_REQUEST for other combinations and for missing fields.
 */
export function toFlowButtons(buttons: readonly Button[]): NativeFlowButton[] {
  if (buttons.length === 0) throw combinationError('At least one button is required');
  const count = (type: Button['type']) => buttons.filter((button) => (button.type ?? 'reply') === type).length;
  const replies = count('reply');
  const payments = count('pix');
  if (replies > 3) throw combinationError('Maximum of 3 reply buttons allowed');
  if (replies > 0 && replies < buttons.length)
    throw combinationError('Reply buttons cannot be mixed with other button types');
  if (payments > 1) throw combinationError('Only one PIX button is allowed');
  if (payments > 0 && buttons.length > 1) throw combinationError('PIX button cannot be mixed with other button types');
  return buttons.map(toFlowButton);
}

function toFlowButton(button: Button, index: number): NativeFlowButton {
  const { type = 'reply' } = button;
  /** Returns the value of a field. Throws INVALID_REQUEST when it is missing or empty. */
  const requireField = (field: Exclude<keyof Button, 'type'>): string => {
    const value = button[field];
    if (!value) throw invalidRequestError(`buttonMessage.buttons[${index}] requires property "${field}"`);
    return value;
  };
  const displayText = () => ({ display_text: requireField('displayText') });
  switch (type) {
    case 'reply':
      return { name: 'quick_reply', params: { ...displayText(), id: requireField('id') } };
    case 'copy':
      return { name: 'cta_copy', params: { ...displayText(), copy_code: requireField('copyCode') } };
    case 'url':
      return {
        name: 'cta_url',
        params: { ...displayText(), url: requireField('url'), merchant_url: requireField('url') },
      };
    case 'call':
      return { name: 'cta_call', params: { ...displayText(), phone_number: requireField('phoneNumber') } };
    case 'pix':
      return { name: 'payment_info', params: toPayment(requireField) };
  }
}

/** WhatsApp's names of the PIX key types, by the API's names. */
const PIX_KEY_TYPES: Readonly<Record<string, string>> = {
  phone: 'PHONE',
  email: 'EMAIL',
  cpf: 'CPF',
  cnpj: 'CNPJ',
  random: 'EVP',
};

/** Builds a request for a PIX payment (instant payment in Brazil). The amount is zero, because the payer enters it. */
function toPayment(requireField: (field: 'currency' | 'name' | 'keyType' | 'key') => string): object {
  // `offset` is the divisor of `value`: amounts are in hundredths.
  const zeroAmount = { value: 0, offset: 100 };
  const order = { status: 'pending', subtotal: zeroAmount, order_type: 'ORDER', items: [] };
  const pix = {
    merchant_name: requireField('name'),
    key: requireField('key'),
    key_type: PIX_KEY_TYPES[requireField('keyType')],
  };
  return {
    currency: requireField('currency'),
    total_amount: zeroAmount,
    reference_id: `PIX${Date.now().toString(36).toUpperCase()}`,
    type: 'physical-goods',
    order,
    payment_settings: [{ type: 'pix_static_code', pix_static_code: pix }],
    share_payment_status: false,
  };
}
