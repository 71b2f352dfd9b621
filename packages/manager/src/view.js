// What every part of the page is made of: markup, buttons that wait, notices, dialogs, fields.
import htm from 'htm';
import { h } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

export const html = htm.bind(h);

/** `[problem, busy, run]`: run(work) waits for work(), keeps its problem as a sentence and tells whether it went well. */
export function useWork() {
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const run = async (work) => {
    setBusy(true);
    setProblem('');
    try {
      await work();
      return true;
    } catch (error) {
      if (error.name !== 'AbortError') setProblem(error.message);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return [problem, busy, run];
}

/**
 * Calls `work(signal)` now and every `ms` while somebody looks at the page; never twice at a time, and seldom where the answer takes long:
 * looking on must not become the gateway's main work.
 */
export function usePolling(work, ms, keys) {
  useEffect(() => {
    const controller = new AbortController();
    let timer;
    const round = async () => {
      const began = performance.now();
      if (!document.hidden) await work(controller.signal).catch(() => undefined);
      const took = performance.now() - began;
      if (!controller.signal.aborted) timer = setTimeout(round, Math.max(ms, took * 5));
    };
    void round();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, keys);
}

/** A ref for a list that stays at its end while `size` grows. */
export function useEnd(size) {
  const ref = useRef();
  useEffect(() => {
    ref.current.scrollTop = ref.current.scrollHeight;
  }, [size]);
  return ref;
}

/** A problem, read out at once; nothing without one. */
export const Problem = ({ text }) => html`<div role="alert" class=${text ? 'notice bad' : 'blank'}>${text}</div>`;

/** Good news, read out when there is time; nothing without any. */
export const Notice = ({ text }) => html`<div role="status" class=${text ? 'notice good' : 'blank'}>${text}</div>`;

/** A label with its control; `hint` stands below. Other properties are those of the control (`as`, input by default). */
export function Field({ label, hint, as = 'input', children, ...rest }) {
  const id = useId();
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <${as} id=${id} aria-describedby=${hint ? `${id}-hint` : undefined} ...${rest}>${children}<//>
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
  </div>`;
}

export function Check({ label, hint, ...rest }) {
  const id = useId();
  return html`<div class="check">
    <input type="checkbox" id=${id} aria-describedby=${hint ? `${id}-hint` : undefined} ...${rest} />
    <label for=${id}>${label}</label>
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
  </div>`;
}

/** A dialog over the page; Escape closes it. */
export function Dialog({ title, onClose, children }) {
  const ref = useRef();
  useEffect(() => {
    const opener = document.activeElement;
    ref.current.showModal();
    return () => opener?.focus?.();
  }, []);
  return html`<dialog ref=${ref} aria-label=${title} onClose=${onClose}>
    <div class="sheet"><h2>${title}</h2>${children}</div>
  </dialog>`;
}

/** Asks before something that cannot be taken back. `work` does it; the dialog closes when it went well. */
export function Confirm({ title, text, action, work, onClose }) {
  const [problem, busy, run] = useWork();
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <p>${text}</p>
    <${Problem} text=${problem} />
    <div class="row end">
      <button type="button" onClick=${onClose}>Cancel</button>
      <button type="button" class="danger" disabled=${busy} onClick=${async () => (await run(work)) && onClose()}>${action}</button>
    </div>
  <//>`;
}

/** The values of a form's named controls: text trimmed, boxes as booleans. */
export function valuesOf(form) {
  const named = [...form.elements].filter(({ name }) => name);
  return Object.fromEntries(
    named.map(({ name, type, checked, value }) => [name, type === 'checkbox' ? checked : value.trim()]),
  );
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
/** A time of today by the clock, any other with its day. Takes ms or an ISO text; nothing for none. */
export function timeOf(at) {
  if (at === null || at === undefined) return '';
  const date = new Date(at);
  return (date.toDateString() === new Date().toDateString() ? clock : day).format(date);
}
