// Building blocks of the page: markup, hooks for work and polling, notices, form fields, dialogs and dates.
import htm from 'htm';
import { h } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { currentLocale, t } from './current-language.js';

/** @typedef {import('./types.d.ts').FormValues} FormValues */
/** @typedef {import('preact').ComponentChildren} Children */

/** Template tag for the markup of the page: htm with the elements of Preact. */
export const html = htm.bind(h);

/** The message of a caught value. @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** Whether the error says that an AbortSignal canceled the work. @param {unknown} error */
export const isAbort = (error) => error instanceof Error && error.name === 'AbortError';

/**
 * Tracks the asynchronous actions of a component. `run(work)` calls `work()`, sets `isBusy` until it settles, sets
 * `problem` to the message of its error, and resolves with whether `work` succeeded.
 * @returns {[problem: string, isBusy: boolean, run: (work: () => Promise<unknown>) => Promise<boolean>]}
 */
export function useWork() {
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  /** @param {() => Promise<unknown>} work */
  const run = async (work) => {
    setBusy(true);
    setProblem('');
    try {
      await work();
      return true;
    } catch (error) {
      if (!isAbort(error)) setProblem(messageOf(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return [problem, isBusy, run];
}

/**
 * Calls `work(signal)` now and every `ms` while the page is visible. Calls do not overlap. The pause after a call is at
 * least five times as long as the call took, so that a slow gateway gets few calls.
 * @param {(signal: AbortSignal) => Promise<unknown>} work
 * @param {number} ms
 * @param {unknown[]} keys restart the polling when they change
 */
export function usePolling(work, ms, keys) {
  useEffect(() => {
    const controller = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const poll = async () => {
      const startedAt = performance.now();
      if (!document.hidden) await work(controller.signal).catch(() => undefined);
      const duration = performance.now() - startedAt;
      if (!controller.signal.aborted) timer = setTimeout(poll, Math.max(ms, duration * 5));
    };
    void poll();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, keys);
}

/**
 * A ref for a list that stays scrolled to its end while `size` grows.
 * @param {number} size
 */
export function useScrollToEnd(size) {
  const ref = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (ref.current) ref.current.scrollTop = ref.current.scrollHeight;
  }, [size]);
  return ref;
}

/**
 * Moves the focus to the element with the attribute `data-focus`, or else to the heading, so that screen readers
 * announce the new view.
 */
export function focusFirst() {
  /** @type {HTMLElement | null} */
  const first = document.querySelector('[data-focus]') ?? document.querySelector('h1');
  first?.focus();
  if (first instanceof HTMLInputElement) first.select();
}

/**
 * Copies the text of an element to the clipboard. When the page was loaded over plain HTTP or the browser refuses,
 * selects the element, so that the user can copy the text. Resolves with whether the text was copied.
 * @param {string} text
 * @param {Node | null} element
 */
export async function copyText(text, element) {
  try {
    // Pages that were not loaded securely have no `clipboard`, so this line throws.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (element) getSelection()?.selectAllChildren(element);
    return false;
  }
}

/** An error that screen readers announce at once; hidden while `text` is empty. @param {{ text?: string }} props */
export const Problem = ({ text }) => html`<div role="alert" class=${text ? 'notice bad' : 'blank'}>${text}</div>`;

/** A success message that screen readers announce; hidden while `text` is empty. @param {{ text?: string }} props */
export const Notice = ({ text }) => html`<div role="status" class=${text ? 'notice good' : 'blank'}>${text}</div>`;

/**
 * A label with its control and an optional hint. `as` is the element of the control, default `input`. The control gets
 * all other properties.
 * @param {{ label: string, hint?: string, as?: string, children?: Children, [property: string]: unknown }} props
 */
export function Field({ label, hint, as = 'input', children, ...rest }) {
  const id = useId();
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <${as} id=${id} aria-describedby=${hint ? `${id}-hint` : undefined} ...${rest}>${children}<//>
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
  </div>`;
}

/** A checkbox with its label. @param {{ label: string, hint?: string, [property: string]: unknown }} props */
export function Check({ label, hint, ...rest }) {
  const id = useId();
  return html`<div class="check">
    <input type="checkbox" id=${id} aria-describedby=${hint ? `${id}-hint` : undefined} ...${rest} />
    <label for=${id}>${label}</label>
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
  </div>`;
}

/** A modal dialog; Escape closes it. @param {{ title: string, onClose: () => void, children?: Children }} props */
export function Dialog({ title, onClose, children }) {
  const ref = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    const opener = document.activeElement;
    ref.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return html`<dialog ref=${ref} aria-label=${title} onClose=${onClose}>
    <div class="sheet"><h2>${title}</h2>${children}</div>
  </dialog>`;
}

/**
 * Asks before an action that cannot be undone. The button with the label `action` calls `work`. The dialog closes when
 * `work` succeeded.
 * @param {{ title: string, text: string, action: string, work: () => Promise<unknown>, onClose: () => void }} props
 */
export function Confirm({ title, text, action, work, onClose }) {
  const [problem, isBusy, run] = useWork();
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <p>${text}</p>
    <${Problem} text=${problem} />
    <div class="row end">
      <button type="button" onClick=${onClose}>${t('app.cancel')}</button>
      <button type="button" class="danger" disabled=${isBusy} onClick=${async () => (await run(work)) && onClose()}>${action}</button>
    </div>
  <//>`;
}

/** A handler that passes the value of its control to `set`. @param {(value: string) => void} set */
export const onValue = (set) => (/** @type {Event & { currentTarget: HTMLInputElement }} */ event) =>
  set(event.currentTarget.value);

/**
 * The controls of a form that have a name.
 * @param {HTMLFormElement} form
 */
const controlsOf = (form) => /** @type {HTMLInputElement[]} */ ([...form.elements]).filter(({ name }) => name);

/**
 * The trimmed texts of a form's named controls, without checkboxes.
 * @param {HTMLFormElement} form
 * @returns {FormValues}
 */
export const textsOf = (form) =>
  Object.fromEntries(
    controlsOf(form)
      .filter(({ type }) => type !== 'checkbox')
      .map(({ name, value }) => [name, value.trim()]),
  );

/**
 * The states of a form's named checkboxes.
 * @param {HTMLFormElement} form
 * @returns {Record<string, boolean>}
 */
export const checksOf = (form) =>
  Object.fromEntries(
    controlsOf(form)
      .filter(({ type }) => type === 'checkbox')
      .map(({ name, checked }) => [name, checked]),
  );

/** @type {Intl.DateTimeFormatOptions} */
const TIME = { hour: '2-digit', minute: '2-digit', second: '2-digit' };
/** @type {Intl.DateTimeFormatOptions} */
const DATE_AND_TIME = { dateStyle: 'medium', timeStyle: 'short' };
/** Formats by locale and options, kept because they are slow to create. @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {Intl.DateTimeFormatOptions} options */
function dateFormat(options) {
  const id = `${currentLocale()} ${options === TIME}`;
  const format = formats.get(id) ?? new Intl.DateTimeFormat(currentLocale(), options);
  formats.set(id, format);
  return format;
}

/**
 * The time of day for today, date and time for other days; empty without a time.
 * @param {number | string | null | undefined} at epoch ms or ISO 8601
 */
export function timeOf(at) {
  if (at === null || at === undefined) return '';
  const date = new Date(at);
  return dateFormat(date.toDateString() === new Date().toDateString() ? TIME : DATE_AND_TIME).format(date);
}
