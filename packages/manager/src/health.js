// How a receiver fares: its state, why, what to do about it, and what waits for it.
import { html, Problem, timeOf, useWork } from './view.js';

const isFailing = ({ consecutiveFailures, failingSince }) => consecutiveFailures > 0 || failingSince !== null;

export function Health({ enabled, health }) {
  if (!enabled) return html`<span class="badge bad">Off</span>`;
  if (health?.breakerOpenUntil) return html`<span class="badge bad">Paused</span>`;
  if (health && isFailing(health)) return html`<span class="badge busy">Failing</span>`;
  return html`<span class="badge good">Well</span>`;
}

function causeOf({ lastFailure, failingSince }) {
  if (!lastFailure) return failingSince ? `Nothing was taken since ${timeOf(failingSince)}.` : '';
  const { status, error, at } = lastFailure;
  return status === null ? `It gave no answer at ${timeOf(at)}: ${error}.` : `It answered ${status} at ${timeOf(at)}.`;
}

/** Why posts do not arrive and what to do; nothing for a receiver that is well. `onRetry` makes the next attempts due now. */
export function Trouble({ enabled, health, onRetry }) {
  const [problem, busy, run] = useWork();
  if (!enabled)
    return html`<p class="cause">Nothing is posted to it; what waits is kept. <strong>Choose Change and switch it on.</strong></p>`;
  if (!health || !(health.breakerOpenUntil || isFailing(health))) return null;
  return html`<p class="cause">
      ${causeOf(health)} ${consequenceOf(health)} <strong>${adviceOf(health)}</strong>
    </p>
    <${Problem} text=${problem} />
    ${health.waiting > 0 && html`<button type="button" disabled=${busy} onClick=${() => run(onRetry)}>Try now</button>`}`;
}

function adviceOf({ waiting, dead }) {
  if (waiting > 0) return 'Repair the receiver, then try now.';
  return dead > 0 ? 'Repair the receiver, then post again what was given up.' : 'Repair the receiver.';
}

function consequenceOf({ waiting, breakerOpenUntil }) {
  if (breakerOpenUntil)
    return `Nothing is lost: posts wait, one is tried at ${timeOf(breakerOpenUntil)}, and when it is taken the others follow.`;
  return waiting > 0 ? 'What waits is tried again by itself; the list below says when.' : '';
}

export function Backlog({
  health: { waiting, dead, oldestAgeSeconds, consecutiveFailures, breakerOpenUntil, failingSince, shed },
}) {
  const facts = [
    ['Waiting', oldestAgeSeconds ? `${waiting}, the oldest for ${oldestAgeSeconds} s` : waiting],
    ['Given up', dead],
    ['Failures in a row', consecutiveFailures],
    failingSince && ['Failing since', timeOf(failingSince)],
    breakerOpenUntil && ['Tried again at', timeOf(breakerOpenUntil)],
    shed.light + shed.other > 0 && ['Dropped for want of room', shed.light + shed.other],
  ].filter(Boolean);
  return html`<dl class="facts small">${facts.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
}
