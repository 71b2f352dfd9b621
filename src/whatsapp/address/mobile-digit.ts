// The digit that mobile phone numbers of Brazil (9), Mexico (1) and Argentina (9) can have or lack: WhatsApp registers
// such a number in one of the two forms.

/**
 * Removes the mobile digit from a number of 13 digits: in Mexico and Argentina the digit after the country code, in
 * Brazil the digit after the area code. A Brazilian number is changed only if the area code is 31 or more and the digit
 * after the mobile digit is 7 or more. The value of the mobile digit is not checked.
 */
export function removeMobileDigit(digits: string): string {
  if (/^5[24]\d{11}$/.test(digits)) return digits.slice(0, 2) + digits.slice(3);
  const brazil = /^55(\d{2})\d(\d{8})$/.exec(digits);
  const [, area = '', rest = ''] = brazil ?? [];
  if (brazil && Number(area) >= 31 && Number(rest[0]) >= 7) return `55${area}${rest}`;
  return digits;
}

/**
 * Returns the numbers under which WhatsApp can have registered `digits`: `digits` itself first, then, for Brazil (9),
 * Mexico (1) and Argentina (9), the same number with the mobile digit removed or added.
 */
export function numberSpellingsOf(digits: string): string[] {
  const parts = /^(55\d{2})9(\d{8})$|^(52)1(\d{10})$|^(54)9(\d{10})$/.exec(digits);
  // join() leaves out the groups of the other two countries, which are undefined.
  if (parts) return [digits, parts.slice(1).join('')];
  if (/^55\d{10}$/.test(digits)) return [digits, `${digits.slice(0, 4)}9${digits.slice(4)}`];
  if (/^52\d{10}$/.test(digits)) return [digits, `521${digits.slice(2)}`];
  if (/^54\d{10}$/.test(digits)) return [digits, `549${digits.slice(2)}`];
  return [digits];
}
